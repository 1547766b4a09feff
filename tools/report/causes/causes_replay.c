/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/causes/causes_replay.h"

#include <stdlib.h>

enum {
    JUMPS_MAX = 2000, /* chains that jump more often are followed no further */
    STILL_MAX = 64,   /* of these, without going back in time */
};

/* ---- lines ---- */

static int by_end(const void *a, const void *b)
{
    const struct track_wait *x = a;
    const struct track_wait *y = b;
    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->other != y->other)
        return x->other < y->other ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* What two waits explain is the earlier one's. */
static void add_wait(struct line *line, struct track_wait wait)
{
    if (line->n_waits && wait.begin < line->waits[line->n_waits - 1].end)
        wait.begin = line->waits[line->n_waits - 1].end;
    if (wait.begin < wait.end)
        line->waits[line->n_waits++] = wait;
}

static uint32_t waits_before(const struct line *line, uint64_t time)
{
    size_t low = 0;
    size_t high = line->n_waits;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (line->waits[middle].end <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static void make_waits(struct replay *p)
{
    struct tracks *t = &p->r->tracks;
    if (t->waits.n)
        qsort(t->waits.at, t->waits.n, sizeof *t->waits.at, by_end);
    for (size_t i = 0; i < t->waits.n; i++) {
        struct track_wait wait = t->waits.at[i];
        struct line *line = &p->lines[wait.location];
        if (!line->waits)
            line->waits = &t->waits.at[i];
        if (line->is_there && p->lines[wait.other].is_there)
            add_wait(line, wait);
    }
    for (uint32_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < p->lines[i].n_waits; k++) {
            struct track_wait *wait = &p->lines[i].waits[k];
            wait->why = waits_before(&p->lines[wait->other], wait->end);
        }
}

/* A thread goes back to its process's main line, that to the process that has started it. */
static uint32_t starter_of(const struct report *r, uint32_t location)
{
    const struct process *process = &r->defs.processes.at[r->defs.locations.at[location].process];
    uint32_t main = process->main;
    if (main == location)
        main = process->creator == NIL ? NIL : r->defs.processes.at[process->creator].main;
    return main;
}

void replay_make(struct replay *p, struct report *r)
{
    p->r = r;
    p->n = r->defs.locations.n;
    p->first = r->first;
    p->lines = take_memory(p->n * sizeof *p->lines);
    p->known = take_memory(r->profile.nodes.n * sizeof *p->known);
    for (uint32_t i = 0; i < p->n; i++) {
        const struct stream *s = &r->profile.streams[i];
        p->lines[i] = (struct line){.track = &s->track,
                                    .first = s->first,
                                    .last = s->last,
                                    .process = s->process,
                                    .starter = starter_of(r, i),
                                    .is_there = s->track.calls.n != 0};
    }
    make_waits(p);
}

struct spot replay_spot(const struct replay *p, uint32_t line, uint64_t time)
{
    return (struct spot){time, line, waits_before(&p->lines[line], time)};
}

/* The last call of the line that begins at a time or before: mostly near the one before. */
static size_t call_at(struct line *line, uint64_t time)
{
    const struct track_call *calls = line->track->calls.at;
    size_t n = line->track->calls.n;
    size_t low = line->recent;
    size_t step = 1;
    while (low && calls[low].begin > time) {
        low = low > step ? low - step : 0;
        step *= 2;
    }
    size_t high = low + 1;
    for (step = 1; high < n && calls[high].begin <= time; step *= 2) {
        low = high;
        high = high + step;
    }
    high = high < n ? high : n;
    for (low++; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (calls[middle].begin <= time)
            low = middle + 1;
        else
            high = middle;
    }
    line->recent = low - 1;
    return line->recent;
}

uint64_t line_calls_before(struct line *line, uint64_t time, size_t n)
{
    size_t call = call_at(line, time);
    return call > n ? line->track->calls.at[call - n].begin : 0;
}

/* ---- chains ---- */

static void add_piece(pieces *chain, uint32_t line, uint64_t from, uint64_t to)
{
    if (to > from)
        *LIST_ADD(chain) = (struct piece){line, from, to};
}

static struct spot released(const struct track_wait *wait)
{
    return (struct spot){wait->end, wait->other, wait->why};
}

/* Its waits that end at this very time lead on. Clocks may be too coarse to tell what came first.
 */
static void settle(const struct replay *p, struct spot *spot, uint64_t least)
{
    for (unsigned i = 0; i < STILL_MAX && spot->time > least && spot->n_waits; i++) {
        const struct track_wait *wait = &p->lines[spot->line].waits[spot->n_waits - 1];
        if (wait->end != spot->time)
            return;
        *spot = released(wait);
    }
    while (spot->n_waits && p->lines[spot->line].waits[spot->n_waits - 1].end == spot->time)
        spot->n_waits--;
}

/* Where a chain comes from: the time at which it leaves the spot's line, and the line that is next.
 */
static struct spot before(const struct replay *p, const struct spot *spot, uint64_t least)
{
    const struct line *line = &p->lines[spot->line];
    if (spot->n_waits && line->waits[spot->n_waits - 1].end > least)
        return released(&line->waits[spot->n_waits - 1]);
    bool has_starter = line->starter != NIL && p->lines[line->starter].is_there &&
                       p->lines[line->starter].first < line->first;
    if (has_starter && line->first > least && line->first < spot->time)
        return replay_spot(p, line->starter, line->first);
    return (struct spot){least, spot->line, 0};
}

void replay_back(const struct replay *p, struct spot *spot, uint64_t least, pieces *chain)
{
    struct spot to = before(p, spot, least);
    add_piece(chain, spot->line, to.time, spot->time);
    *spot = to;
    settle(p, spot, least);
}

void replay_meet(const struct replay *p, struct spot a, struct spot b, uint64_t least,
                 pieces *chain_a, pieces *chain_b)
{
    settle(p, &a, least);
    settle(p, &b, least);
    for (size_t jumps = 0; a.time > least || b.time > least; jumps++) {
        uint64_t jump_a = a.time > least ? before(p, &a, least).time : least;
        uint64_t jump_b = b.time > least ? before(p, &b, least).time : least;
        uint64_t early = a.time < b.time ? a.time : b.time;
        bool is_met = a.line == b.line && jump_a < early && jump_b < early;
        if (is_met || jumps >= JUMPS_MAX) {
            add_piece(chain_a, a.line, early, a.time);
            add_piece(chain_b, b.line, early, b.time);
            return;
        }
        if (a.time > least && (jump_a > jump_b || b.time <= least))
            replay_back(p, &a, least, chain_a);
        else
            replay_back(p, &b, least, chain_b);
    }
}

/* ---- what the time was spent on ---- */

static uint32_t activity_of(struct replay *p, struct activity a)
{
    uint64_t rest = (uint64_t)a.call << 32 | a.site;
    uint32_t index = map_find(&p->activity_of, a.region, rest);
    if (index == NIL) {
        index = (uint32_t)p->activities.n;
        *LIST_ADD(&p->activities) = a;
        map_set(&p->activity_of, a.region, rest, index);
    }
    return index;
}

static struct activity activity_at(const struct replay *p, uint32_t node, uint32_t call)
{
    const struct node *nodes = p->r->profile.nodes.at;
    if (call == NIL)
        return (struct activity){nodes[node].region, NIL, NIL};
    if (call == node)
        return (struct activity){nodes[node].region, NIL, nodes[node].site};
    return (struct activity){nodes[node].region, nodes[call].region, nodes[call].site};
}

static uint32_t known_activity(struct replay *p, uint32_t node, uint32_t call)
{
    struct known *known = &p->known[node];
    if (known->call != call + 1 || !known->activity)
        *known = (struct known){call + 1, activity_of(p, activity_at(p, node, call)) + 1};
    return known->activity - 1;
}

static void add_portion(portions *to, uint32_t line, uint32_t activity, uint64_t ticks)
{
    if (ticks)
        *LIST_ADD(to) = (struct portion){line, activity, ticks};
}

/* The laps from one call to the next one stand for times that follow each other. */
static uint64_t add_laps(struct replay *p, const struct piece *piece, size_t index, portions *to)
{
    const struct track *track = p->lines[piece->line].track;
    const struct track_call *call = &track->calls.at[index];
    size_t end = index + 1 < track->calls.n ? call[1].first : track->laps.n;
    uint64_t time = call->begin;
    uint64_t found = 0;
    for (size_t i = call->first; i < end && time < piece->to; i++) {
        const struct lap *lap = &track->laps.at[i];
        uint64_t from = time > piece->from ? time : piece->from;
        time += lap->ticks;
        uint64_t until = time < piece->to ? time : piece->to;
        if (until <= from)
            continue;
        add_portion(to, piece->line, known_activity(p, lap->node, call->node), until - from);
        found += until - from;
    }
    return found;
}

size_t replay_portions(struct replay *p, const struct piece *piece, portions *to)
{
    struct line *line = &p->lines[piece->line];
    uint64_t left = piece->to - piece->from;
    if (piece->from < line->first) {
        uint64_t before = (piece->to < line->first ? piece->to : line->first) - piece->from;
        add_portion(to, piece->line, activity_of(p, (struct activity){NIL, NIL, NIL}), before);
        left -= before;
    }
    size_t first = call_at(line, piece->from);
    size_t end = first;
    for (; left && end < line->track->calls.n && line->track->calls.at[end].begin < piece->to;
         end++)
        left -= add_laps(p, piece, end, to);
    if (left)
        add_portion(to, piece->line, activity_of(p, (struct activity){REGION_PROGRAM, NIL, NIL}),
                    left);
    return end - first;
}

uint32_t replay_cost(struct replay *p, uint32_t process, uint32_t activity)
{
    while (p->recent.n <= activity)
        (void)LIST_ADD(&p->recent);
    uint32_t *recent = &p->recent.at[activity];
    if (*recent && p->costs.at[*recent - 1].process == process)
        return *recent - 1;
    uint32_t index = map_find(&p->cost_of, process, activity);
    if (index == NIL) {
        index = (uint32_t)p->costs.n;
        *LIST_ADD(&p->costs) = (struct due){.process = process, .activity = activity};
        map_set(&p->cost_of, process, activity, index);
    }
    *recent = index + 1;
    return index;
}
