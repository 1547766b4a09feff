/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/causes/causes_replay.h"

#include <stdlib.h>

enum {
    JUMPS_MAX = 2000, /* chains with more jumps are followed no further */
    STILL_MAX = 64,   /* jumps without going back in time */
};

/* ---- chains ---- */

struct spot replay_spot(const struct lines *lines, uint32_t line, uint64_t time)
{
    const struct line *l = &lines->at[line];
    size_t n = times_until(l->waits, sizeof *l->waits, l->n_waits, l->n_waits / 2, time);
    return (struct spot){time, line, (uint32_t)n};
}

/* From a time on to the spot. */
static void add_piece(const struct lines *lines, pieces *chain, const struct spot *to,
                      uint64_t from)
{
    const struct line *line = &lines->at[to->line];
    uint32_t call = to->n_waits ? line->waits[to->n_waits - 1].call : 0;
    if (to->time > from)
        *LIST_ADD(chain) = (struct piece){to->line, call, from, to->time};
}

static struct spot released(const struct release *wait)
{
    return (struct spot){wait->end, wait->other, wait->n_before};
}

/*
 * Moves the spot along waits of the line that end at this very time. Clocks may be too coarse to
 * tell the order.
 */
static void settle(const struct lines *lines, struct spot *spot, uint64_t least)
{
    for (unsigned i = 0; i < STILL_MAX && spot->time > least && spot->n_waits; i++) {
        const struct release *wait = &lines->at[spot->line].waits[spot->n_waits - 1];
        if (wait->end != spot->time)
            return;
        *spot = released(wait);
    }
    while (spot->n_waits && lines->at[spot->line].waits[spot->n_waits - 1].end == spot->time)
        spot->n_waits--;
}

/* The origin of a chain: the time at which the chain leaves the spot's line, and the next line. */
static struct spot before(const struct lines *lines, const struct spot *spot, uint64_t least)
{
    const struct line *line = &lines->at[spot->line];
    if (spot->n_waits && line->waits[spot->n_waits - 1].end > least)
        return released(&line->waits[spot->n_waits - 1]);
    bool has_starter = line->starter != NIL && lines->at[line->starter].n_calls &&
                       lines->at[line->starter].first < line->first;
    if (has_starter && line->first > least && line->first < spot->time)
        return replay_spot(lines, line->starter, line->first);
    return (struct spot){least, spot->line, 0};
}

/* A chain on the way from one spot to the next. */
struct way {
    struct spot at;
    struct spot to;
};

static void look(const struct lines *lines, struct way *way, uint64_t least)
{
    settle(lines, &way->at, least);
    way->to = way->at.time > least ? before(lines, &way->at, least)
                                   : (struct spot){least, way->at.line, 0};
}

static void go(const struct lines *lines, struct way *way, uint64_t least, pieces *chain)
{
    add_piece(lines, chain, &way->at, way->to.time);
    way->at = way->to;
    look(lines, way, least);
}

void replay_all(const struct lines *lines, struct spot from, uint64_t least, pieces *chain)
{
    struct way way = {.at = from};
    way.to = before(lines, &from, least);
    while (way.at.time > least)
        go(lines, &way, least, chain);
}

void replay_meet(const struct lines *lines, struct spot from_a, struct spot from_b, uint64_t least,
                 pieces *chain_a, pieces *chain_b)
{
    struct way a = {.at = from_a};
    struct way b = {.at = from_b};
    look(lines, &a, least);
    look(lines, &b, least);
    for (size_t jumps = 0; a.at.time > least || b.at.time > least; jumps++) {
        uint64_t early = a.at.time < b.at.time ? a.at.time : b.at.time;
        bool is_met = a.at.line == b.at.line && a.to.time < early && b.to.time < early;
        if (is_met || jumps >= JUMPS_MAX) {
            add_piece(lines, chain_a, &a.at, early);
            add_piece(lines, chain_b, &b.at, early);
            return;
        }
        if (a.at.time > least && (a.to.time > b.to.time || b.at.time <= least))
            go(lines, &a, least, chain_a);
        else
            go(lines, &b, least, chain_b);
    }
}

/* ---- the use of the time ---- */

static void add_portion(portions *to, uint32_t activity, uint64_t ticks)
{
    if (ticks)
        *LIST_ADD(to) = (struct portion){ticks, activity};
}

/* Laps whose times are all in the piece. False: not all are, and nothing is added. */
static bool add_whole(const struct lap *laps, size_t n, uint64_t most, portions *to,
                      uint64_t *found)
{
    uint64_t ticks = 0;
    if (to->room - to->n < n)
        to->at = list_grow(to->at, &to->room, to->n + n, sizeof *to->at);
    struct portion *at = to->at + to->n;
    for (size_t i = 0; i < n; i++) {
        at[i] = (struct portion){laps[i].ticks, laps[i].node};
        ticks += laps[i].ticks;
    }
    if (ticks > most)
        return false;
    to->n += n;
    *found = ticks;
    return true;
}

/* The laps between two successive calls stand for times that follow each other. */
static uint64_t add_laps(const struct line *line, const struct piece *piece, size_t index,
                         portions *to)
{
    const struct track_call *call = &line->calls[index];
    size_t end = index + 1 < line->n_calls ? call[1].first : line->n_laps;
    uint64_t time = call->begin;
    uint64_t found = 0;
    if (time >= piece->from &&
        add_whole(&line->laps[call->first], end - call->first, piece->to - time, to, &found))
        return found;
    for (size_t i = call->first; i < end && time < piece->to; i++) {
        const struct lap *lap = &line->laps[i];
        uint64_t from = time > piece->from ? time : piece->from;
        time += lap->ticks;
        uint64_t until = time < piece->to ? time : piece->to;
        if (until <= from)
            continue;
        add_portion(to, lap->node, until - from);
        found += until - from;
    }
    return found;
}

size_t replay_portions(const struct lines *lines, const struct piece *piece, portions *to)
{
    const struct line *line = &lines->at[piece->line];
    uint64_t left = piece->to - piece->from;
    if (piece->from < line->first) {
        uint64_t before = (piece->to < line->first ? piece->to : line->first) - piece->from;
        add_portion(to, ACTIVITY_START, before);
        left -= before;
    }
    size_t first = line_call(line, piece->call, piece->from);
    size_t end = first;
    for (; left && end < line->n_calls && line->calls[end].begin < piece->to; end++)
        left -= add_laps(line, piece, end, to);
    add_portion(to, ACTIVITY_PROGRAM, left);
    return end - first;
}

/* ---- everything ---- */

void replay_run(struct report *r)
{
    struct lines lines;
    if (!r->tracks.budget || !r->gaps.has_all_messages) {
        tracks_keep(r);
        return;
    }
    if (lines_open(&lines, r)) {
        replay_costs(&lines, r);
        replay_path(&lines, r);
        for (uint32_t i = 0; i < lines.n; i++)
            if (lines.at[i].n_calls > 1 && line_is_own(&lines, i))
                *LIST_ADD(&r->tracks.callers) = i;
    }
    lines_close(&lines, r);
}
