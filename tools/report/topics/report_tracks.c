/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/topics/report_tracks.h"

#include <stdlib.h>
#include <string.h>

#include "tools/report/topics/report.h"

void tracks_drop(struct report *r)
{
    free(r->tracks.waits.at);
    memset(&r->tracks.waits, 0, sizeof r->tracks.waits);
    for (size_t i = 0; i < r->defs.locations.n; i++) {
        struct track *track = &r->profile.streams[i].track;
        free(track->calls.at);
        free(track->laps.at);
        *track = (struct track){0};
    }
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
        tracks_drop(r);
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

static void put_call(struct report *r, struct stream *s, uint64_t begin, uint32_t node)
{
    struct track *track = &s->track;
    if (take_room(r, sizeof(struct track_call)))
        *LIST_ADD(&track->calls) = (struct track_call){begin, node, (uint32_t)track->laps.n};
}

static void begin_track(struct report *r, struct stream *s)
{
    if (!s->track.calls.n)
        put_call(r, s, s->first, NIL);
}

void tracks_mark(struct report *r, struct stream *s, uint32_t node)
{
    if (r->tracks.is_over)
        return;
    begin_track(r, s);
    put_laps(r, s);
    put_call(r, s, s->last, node);
}

void tracks_mark_event(struct report *r, struct stream *s)
{
    const struct track *track = &s->track;
    if (r->tracks.is_over ||
        (track->calls.n && track->calls.at[track->calls.n - 1].begin == s->last))
        return;
    profile_lap(r, s);
    tracks_mark(r, s, profile_top(s)->node);
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
