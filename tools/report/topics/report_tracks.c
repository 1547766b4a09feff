/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/topics/report_tracks.h"

#include <stdlib.h>
#include <string.h>

#include "tools/engine/common.h"
#include "tools/report/topics/report.h"

void tracks_make(struct report *r)
{
    for (size_t i = 0; i < r->defs.processes.n; i++)
        r->tracks.has_ranks |= r->defs.processes.at[i].rank != NIL;
    for (size_t i = REGIONS_OWN; i < r->defs.regions.n; i++) {
        const struct region *region = &r->defs.regions.at[i];
        r->tracks.has_roles |=
            region->paradigm == OTF2_PARADIGM_MPI && region->role > OTF2_REGION_ROLE_WRAPPER;
    }
}

bool tracks_is_beat(const struct region *region)
{
    return region->paradigm == OTF2_PARADIGM_USER ||
           (region->paradigm == OTF2_PARADIGM_OPENMP && region->role == OTF2_REGION_ROLE_PARALLEL);
}

uint32_t tracks_call(const struct report *r, uint32_t call, uint32_t before)
{
    const struct region *region =
        call == NIL ? NULL : &r->defs.regions.at[r->profile.nodes.at[call].region];
    bool is_local = region && r->tracks.has_roles && region->paradigm == OTF2_PARADIGM_MPI &&
                    region->role == OTF2_REGION_ROLE_FUNCTION && region->meaning == REGION_PLAIN;
    return is_local ? before : call;
}

void track_free(struct track *track)
{
    common_free(track->calls.at);
    common_free(track->laps.at);
    *track = (struct track){0};
}

/* Nothing more is kept of the run. */
static void drop_all(struct report *r)
{
    free(r->tracks.waits.at);
    memset(&r->tracks.waits, 0, sizeof r->tracks.waits);
    for (size_t i = 0; i < r->defs.locations.n; i++)
        track_free(&r->profile.streams[i].track);
}

void tracks_keep(struct report *r)
{
    const bool keeps = !r->tracks.is_over && !r->tracks.is_brief;
    for (uint32_t i = 0; i < r->defs.locations.n && keeps; i++) {
        struct stream *s = &r->profile.streams[i];
        if (!s->track.calls.n || r->defs.processes.at[s->process].main != i)
            continue;
        s->kept = s->track;
        s->track = (struct track){0};
    }
    drop_all(r);
}

/* False: there is no room for that. */
static bool take_room(struct report *r, size_t bytes)
{
    struct tracks *t = &r->tracks;
    if (t->is_over)
        return false;
    t->bytes += bytes;
    if (t->bytes > t->budget) {
        t->is_over = true;
        drop_all(r);
    }
    return !t->is_over;
}

/* So few lists are large that a process can have each of them as a piece of its own. */
static size_t large_bytes(const struct report *r)
{
    enum { LARGE_LISTS = 4096 };
    size_t least = r->tracks.budget / LARGE_LISTS;
    return least > COMMON_LEAST ? least : COMMON_LEAST;
}

/* Room for one more item; for a large list of a rank, where the other ranks see it. */
static void *grow(const struct report *r, void *items, size_t *room, size_t n, size_t item)
{
    const struct engine *engine = r->notes.engine;
    bool is_shown = engine && !engine_is_shared(engine);
    size_t bytes = 2 * n * item;
    if (!is_shown || bytes < large_bytes(r))
        return list_room(items, room, n + 1, item);
    bool is_common = common_place(items) != COMMON_NOWHERE;
    /* A list is within the budget, and so half of its room is. */
    void *grown = common_grow(is_common ? items : NULL, bytes, 2 * r->tracks.budget + 2 * item);
    if (!grown && !is_common)
        return list_room(items, room, n + 1, item);
    if (!is_common) {
        memcpy(there(grown), items, n * item);
        free(items);
    }
    *room = 2 * n;
    return there(grown);
}

#define TRACK_ADD(r, list)                                                                         \
    ((list)->at = (list)->n < (list)->room                                                         \
                      ? (list)->at                                                                 \
                      : grow((r), (list)->at, &(list)->room, (list)->n, sizeof *(list)->at),       \
     &(list)->at[(list)->n++])

static void put_laps(struct report *r, struct stream *s)
{
    for (size_t i = 0; i < s->touched.n; i++) {
        struct node *node = &r->profile.nodes.at[s->touched.at[i]];
        uint64_t ticks = node->lap;
        node->lap = 0;
        while (ticks && take_room(r, sizeof(struct lap))) {
            uint32_t part = ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;
            *TRACK_ADD(r, &s->track.laps) = (struct lap){s->touched.at[i], part};
            ticks -= part;
        }
    }
    s->touched.n = 0;
}

static void put_call(struct report *r, struct stream *s, struct track_call call)
{
    struct track *track = &s->track;
    call.first = track->laps.n & INT32_MAX;
    if (take_room(r, sizeof call))
        *TRACK_ADD(r, &track->calls) = call;
}

static void begin_track(struct report *r, struct stream *s)
{
    if (!s->track.calls.n)
        put_call(r, s, (struct track_call){.begin = s->first, .node = NIL});
}

static void mark(struct report *r, struct stream *s, uint32_t node, bool is_call)
{
    begin_track(r, s);
    put_laps(r, s);
    put_call(r, s, (struct track_call){.begin = s->last, .node = node, .is_call = is_call});
}

void tracks_mark(struct report *r, struct stream *s, uint32_t node)
{
    if (!r->tracks.is_over)
        mark(r, s, node, true);
}

void tracks_mark_event(struct report *r, struct stream *s)
{
    const struct track *track = &s->track;
    if (r->tracks.is_over ||
        (track->calls.n && track->calls.at[track->calls.n - 1].begin == s->last))
        return;
    profile_lap(r, s);
    mark(r, s, profile_top(s)->node, false);
}

void tracks_close(struct report *r, struct stream *s)
{
    if (r->tracks.is_over)
        return;
    begin_track(r, s);
    put_laps(r, s);
}

void tracks_wait(struct report *r, struct track_wait wait)
{
    if (wait.location != wait.other && wait.end > wait.begin &&
        take_room(r, sizeof(struct track_wait)))
        *LIST_ADD(&r->tracks.waits) = wait;
}
