/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/topics/report_tracks.h"

#include <stdlib.h>
#include <string.h>

#include "tools/report/topics/report.h"

void tracks_make(struct report *r)
{
    for (size_t i = 0; i < r->defs.processes.n; i++)
        r->tracks.has_ranks |= r->defs.processes.at[i].rank != NIL;
}

bool tracks_is_beat(const struct region *region)
{
    return region->paradigm == OTF2_PARADIGM_USER ||
           (region->paradigm == OTF2_PARADIGM_OPENMP && region->role == OTF2_REGION_ROLE_PARALLEL);
}

static void drop_track(struct track *track)
{
    free(track->calls.at);
    free(track->laps.at);
    *track = (struct track){0};
}

/* Nothing more is kept of the run. */
static void drop_all(struct report *r)
{
    free(r->tracks.waits.at);
    memset(&r->tracks.waits, 0, sizeof r->tracks.waits);
    for (size_t i = 0; i < r->defs.locations.n; i++)
        drop_track(&r->profile.streams[i].track);
}

void tracks_keep(struct report *r)
{
    for (uint32_t i = 0; i < r->defs.locations.n && !r->tracks.is_over; i++) {
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

static void put_laps(struct report *r, struct stream *s)
{
    for (size_t i = 0; i < s->touched.n; i++) {
        struct node *node = &r->profile.nodes.at[s->touched.at[i]];
        uint64_t ticks = node->lap;
        node->lap = 0;
        while (ticks && take_room(r, sizeof(struct lap))) {
            uint32_t part = ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;
            *LIST_ADD(&s->track.laps) = (struct lap){s->touched.at[i], part};
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
        *LIST_ADD(&track->calls) = call;
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
