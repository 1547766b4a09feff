/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way by which all workers come to know all lines. The workers exchange
 *
 * - their heads: whether everything has room, the length of each track, and the activities
 * - waits: a wait goes to the worker that has read the wait's location
 * - ends of waits: a wait gets its place among the waits of the line that ends the wait
 * - the lines (causes_given.c)
 */
#include "tools/report/causes/causes_lines.h"

#include <stdlib.h>
#include <string.h>

#include "tools/engine/common.h"
#include "tools/report/causes/causes_given.h"
#include "tools/report/causes/causes_order.h"

/* The head of a worker's message. The worker's tracks and activities follow. */
struct head {
    uint64_t bytes;
    uint64_t n_waits;
    uint64_t n_tracks;
    uint64_t n_activities;
    uint64_t has_none; /* the worker had no room, or has not read all */
};

struct head_track {
    uint64_t first;
    uint64_t last;
    uint64_t n_calls;
    uint64_t n_laps;
    uint64_t location;
};

struct opening {
    struct lines *lines;
    struct report *r;
    unsigned size; /* workers */
    struct activities own;
    const uint64_t **ends; /* by line: the ends of the line's waits */
};

/* ---- exchanging ---- */

static const struct engine_bytes *exchange(struct opening *o)
{
    return o->lines->engine ? engine_exchange(o->lines->engine, o->lines->out) : o->lines->out;
}

static const struct engine_bytes *give_all(struct opening *o, struct engine_bytes bytes)
{
    for (unsigned i = 0; i < o->size; i++)
        o->lines->out[i] = bytes;
    return exchange(o);
}

static void end_exchange(struct opening *o)
{
    if (o->lines->engine)
        engine_exchanged(o->lines->engine);
}

/* ---- heads ---- */

/* Room for the laps of all tracks of the present worker. */
static struct lap *make_laps(const struct opening *o)
{
    size_t n = 0;
    for (size_t i = 0; i < o->lines->n; i++)
        n += o->r->profile.streams[i].track.laps.n;
    return lines_room(o->lines, n * sizeof(struct lap));
}

static struct engine_bytes make_head(struct opening *o)
{
    const struct report *r = o->r;
    const struct tracks *t = &r->tracks;
    size_t n_laps = 0;
    struct head head = {.bytes = t->bytes,
                        .n_waits = t->waits.n,
                        .has_none = t->is_over || r->trouble || r->defs.has_unknown ||
                                    r->notes.wants_whole};
    struct engine_bytes bytes = {0};
    engine_add(&bytes, &head, sizeof head);
    activities_begin(&o->own);
    o->lines->laps = make_laps(o);
    for (size_t i = 0; i < o->lines->n && !head.has_none; i++) {
        const struct stream *s = &r->profile.streams[i];
        struct head_track track = {s->first, s->last, s->track.calls.n, s->track.laps.n, i};
        if (!track.n_calls)
            continue;
        o->lines->at[i].calls = s->track.calls.at;
        o->lines->at[i].laps = o->lines->laps + n_laps;
        activities_name(&o->own, r, &s->track, o->lines->laps + n_laps);
        n_laps += s->track.laps.n;
        engine_add(&bytes, &track, sizeof track);
        head.n_tracks++;
    }
    head.n_activities = o->own.all.n;
    engine_add(&bytes, o->own.all.at, o->own.all.n * sizeof *o->own.all.at);
    memcpy(bytes.at, &head, sizeof head);
    return bytes;
}

static void take_head(struct opening *o, unsigned worker, const struct engine_bytes *bytes)
{
    struct lines *lines = o->lines;
    struct head head;
    memcpy(&head, bytes->at, sizeof head);
    const char *at = bytes->at + sizeof head;
    for (uint64_t i = 0; i < head.n_tracks; i++, at += sizeof(struct head_track)) {
        struct head_track track;
        memcpy(&track, at, sizeof track);
        struct line *line = &lines->at[track.location];
        line->n_calls = (size_t)track.n_calls;
        line->n_laps = (size_t)track.n_laps;
        line->first = track.first;
        line->last = track.last;
        line->worker = worker;
        lines->first = line->first < lines->first ? line->first : lines->first;
        lines->last = line->last > lines->last ? line->last : lines->last;
    }
    for (uint64_t i = 0; i < head.n_activities; i++, at += sizeof(struct activity)) {
        struct activity activity;
        memcpy(&activity, at, sizeof activity);
        (void)activities_index(&lines->activities, activity);
    }
}

/* All workers come to the same. */
static bool meet_heads(struct opening *o)
{
    uint64_t bytes = 0;
    uint64_t n_waits = 0;
    bool has_none = false;
    struct engine_bytes own = make_head(o);
    const struct engine_bytes *all = give_all(o, own);
    for (unsigned i = 0; i < o->size; i++) {
        struct head head;
        memcpy(&head, all[i].at, sizeof head);
        bytes += head.bytes;
        n_waits += head.n_waits;
        has_none |= head.has_none != 0;
    }
    bool is_known = !has_none && n_waits && bytes <= o->r->tracks.budget;
    o->lines->bytes = bytes;
    for (unsigned i = 0; i < o->size && is_known; i++)
        take_head(o, i, &all[i]);
    end_exchange(o);
    free(own.at);
    return is_known;
}

/* ---- waits ---- */

/* Time explained by two waits belongs to the earlier wait. */
static size_t part_waits(const struct lines *lines, const struct line *line, struct release *waits)
{
    size_t n = 0;
    size_t call = 0;
    for (size_t i = 0; i < line->n_waits && line->n_calls; i++) {
        struct release wait = waits[i];
        if (n && wait.begin < waits[n - 1].end)
            wait.begin = waits[n - 1].end;
        if (wait.begin >= wait.end || !lines->at[wait.other].n_calls)
            continue;
        call = line_call(line, call, wait.end);
        wait.call = (uint32_t)call;
        waits[n++] = wait;
    }
    return n;
}

/* The worker that gets the waits of a location. */
static unsigned worker_of(const struct opening *o, uint32_t location)
{
    return o->lines->engine ? o->r->notes.location_of[location] : 0;
}

/* The waits of the worker's own locations stay in place. */
static void give_waits(struct opening *o)
{
    struct tracks *t = &o->r->tracks;
    struct engine_bytes *out = o->lines->out;
    unsigned rank = o->lines->engine ? o->lines->engine->rank : 0;
    size_t n = 0;
    memset(out, 0, o->size * sizeof *out);
    for (size_t i = 0; i < t->waits.n; i++) {
        const struct track_wait *wait = &t->waits.at[i];
        unsigned worker = worker_of(o, wait->location);
        if (worker == rank)
            t->waits.at[n++] = *wait;
        else
            engine_add(&out[worker], wait, sizeof *wait);
    }
    out[rank] = (struct engine_bytes){.at = (char *)t->waits.at, .n = n * sizeof *t->waits.at};
    memset(&t->waits, 0, sizeof t->waits);
}

static const struct track_wait *wait_in(const struct engine_bytes *bytes, size_t i)
{
    return &((const struct track_wait *)(const void *)bytes->at)[i];
}

/* Puts the waits of a line together. Returns by line the end of the line's waits. */
static size_t *put_waits(const struct opening *o, const struct engine_bytes *all)
{
    struct lines *lines = o->lines;
    size_t *next =
        take_memory((lines->n + 1) * sizeof *next); /* by line: the place of the line's next wait */
    for (unsigned i = 0; i < o->size; i++)
        for (size_t k = 0; k < all[i].n / sizeof(struct track_wait); k++)
            lines->at[wait_in(&all[i], k)->location].n_waits++;
    for (size_t i = 0; i < lines->n; i++)
        next[i + 1] = next[i] + lines->at[i].n_waits;
    lines->waits = lines_room(lines, (next[lines->n] + 1) * sizeof *lines->waits);
    for (unsigned i = 0; i < o->size; i++)
        for (size_t k = 0; k < all[i].n / sizeof(struct track_wait); k++) {
            const struct track_wait *wait = wait_in(&all[i], k);
            lines->waits[next[wait->location]++] = (struct release){.end = wait->end,
                                                                    .begin = wait->begin,
                                                                    .other = wait->other,
                                                                    .node = wait->node};
        }
    return next;
}

static void order_waits(const struct opening *o, const size_t *ends)
{
    struct lines *lines = o->lines;
    size_t most = 0;
    for (size_t i = 0; i < lines->n; i++)
        most = lines->at[i].n_waits > most ? lines->at[i].n_waits : most;
    struct release *room = take_memory((most / 2 + 1) * sizeof *room);
    for (size_t i = 0; i < lines->n; i++) {
        struct line *line = &lines->at[i];
        struct release *waits = &lines->waits[ends[i] - line->n_waits];
        if (!line->n_waits)
            continue;
        order_sort(waits, line->n_waits, room);
        line->waits = waits;
        line->n_waits = part_waits(lines, line, waits);
    }
    free(room);
}

static void meet_waits(struct opening *o)
{
    give_waits(o);
    struct engine_bytes *given = take_memory(o->size * sizeof *given);
    memcpy(given, o->lines->out, o->size * sizeof *given);
    size_t *ends = put_waits(o, exchange(o));
    end_exchange(o);
    order_waits(o, ends);
    free(ends);
    for (unsigned i = 0; i < o->size; i++)
        free(given[i].at);
    free(given);
}

/* ---- the waits before a wait's end ---- */

static struct engine_bytes make_ends(const struct opening *o)
{
    struct engine_bytes bytes = {0};
    for (uint32_t i = 0; i < o->lines->n; i++) {
        const struct line *line = &o->lines->at[i];
        uint64_t n = line->n_waits;
        if (!line->n_calls || !line_is_own(o->lines, i))
            continue;
        engine_add(&bytes, &n, sizeof n);
        for (size_t k = 0; k < line->n_waits; k++)
            engine_add(&bytes, &line->waits[k].end, sizeof line->waits[k].end);
    }
    return bytes;
}

static void take_ends(struct opening *o, unsigned worker, const struct engine_bytes *bytes)
{
    const uint64_t *at = (const void *)bytes->at;
    for (size_t i = 0; i < o->lines->n; i++) {
        struct line *line = &o->lines->at[i];
        if (!line->n_calls || line->worker != worker)
            continue;
        line->n_waits = (size_t)*at++;
        o->ends[i] = at;
        at += line->n_waits;
    }
}

static void meet_ends(struct opening *o)
{
    struct lines *lines = o->lines;
    struct engine_bytes own = make_ends(o);
    const struct engine_bytes *all = give_all(o, own);
    size_t *near = take_memory((lines->n + 1) * sizeof *near); /* by line */
    for (unsigned i = 0; i < o->size; i++)
        take_ends(o, i, &all[i]);
    for (uint32_t i = 0; i < lines->n; i++) {
        if (!line_is_own(lines, i) || !lines->at[i].n_waits)
            continue;
        struct release *waits = &lines->waits[lines->at[i].waits - lines->waits];
        for (size_t k = 0; k < lines->at[i].n_waits; k++) {
            uint32_t other = waits[k].other;
            near[other] = times_until(o->ends[other], sizeof *o->ends[other],
                                      lines->at[other].n_waits, near[other], waits[k].end);
            waits[k].n_before = (uint32_t)near[other];
        }
    }
    end_exchange(o);
    free(near);
    free(own.at);
}

/* Replaces the activities' numbers of the present worker by the numbers common to all workers. */
static void rename_laps(const struct opening *o)
{
    struct lines *lines = o->lines;
    uint32_t *now = take_memory(o->own.all.n * sizeof *now);
    size_t n = 0;
    for (uint32_t i = 0; i < lines->n; i++)
        n += line_is_own(lines, i) ? lines->at[i].n_laps : 0;
    for (size_t i = 0; i < o->own.all.n; i++)
        now[i] = activities_index(&lines->activities, o->own.all.at[i]);
    for (size_t i = 0; i < n; i++)
        lines->laps[i].node = now[lines->laps[i].node];
    free(now);
}

/* ---- everything ---- */

/*
 * A thread's starter is the main line of the process; a main line's starter is the main line of the
 * creating process.
 */
static uint32_t starter_of(const struct report *r, uint32_t location)
{
    const struct process *process = &r->defs.processes.at[r->defs.locations.at[location].process];
    uint32_t main = process->main;
    if (main == location)
        main = process->creator == NIL ? NIL : r->defs.processes.at[process->creator].main;
    return main;
}

bool lines_open(struct lines *lines, struct report *r)
{
    *lines =
        (struct lines){.n = r->defs.locations.n, .first = UINT64_MAX, .engine = r->notes.engine};
    struct engine *engine = lines->engine;
    struct opening o = {.lines = lines, .r = r, .size = engine ? engine->size : 1};
    lines->out = take_memory(o.size * sizeof *lines->out);
    o.ends = take_memory((lines->n + 1) * sizeof *o.ends);
    lines->at = take_memory((lines->n + 1) * sizeof *lines->at);
    for (uint32_t i = 0; i < lines->n; i++) {
        lines->at[i].process = r->defs.locations.at[i].process;
        lines->at[i].starter = starter_of(r, i);
        lines->at[i].worker = worker_of(&o, i);
    }
    activities_begin(&lines->activities);
    bool is_known = meet_heads(&o);
    if (is_known) {
        meet_waits(&o);
        meet_ends(&o);
        if (lines->engine)
            rename_laps(&o);
        given_lines(lines);
    }
    activities_end(&o.own);
    free(o.ends);
    return is_known;
}

void lines_close(struct lines *lines, struct report *r)
{
    given_close(lines);
    if (lines->bytes > r->tracks.budget)
        r->tracks.is_over = true;
    tracks_keep(r);
    free(lines->at);
    free(lines->out);
    common_free(lines->waits);
    common_free(lines->laps);
    activities_end(&lines->activities);
}
