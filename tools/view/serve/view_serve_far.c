/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/serve/view_serve_far.h"

#include <stdlib.h>

enum {
    ENDS_MAX = 50000,
    BYTES_MAX = 64 << 20,
    EVENTS_MAX = 2000000,
};

static struct view_channel *channel_of(const struct serve_far *f, uint32_t index)
{
    return &f->part->exact.channels.at[index];
}

static bool is_enough(struct serve_far *f)
{
    f->is_too_much |= f->n_bytes > BYTES_MAX || f->n_events > EVENTS_MAX || f->is_over(f->user);
    return f->is_too_much;
}

/* ---- whose rows have to be read ---- */

/* Whether a channel of a row has had n messages before the window, as far as places tell. */
static bool has_had(struct serve_far *f, uint32_t channel, uint64_t n)
{
    uint32_t row = channel_of(f, channel)->row;
    const struct view_place *last = view_places_last(f->places, row);
    const struct view_place *before = view_places_before(f->places, row, f->from);
    const struct view_place *behind = !before         ? view_places_first(f->places, row)
                                      : before < last ? before + 1
                                                      : before;
    if (!last)
        return !n;
    return n == (before ? view_places_count(f->places, row, before, channel, &f->n_bytes) : 0) &&
           n == view_places_count(f->places, row, behind, channel, &f->n_bytes);
}

void serve_far_peers(struct serve_far *f, bool *is_peer)
{
    const struct view_exact *e = &f->part->exact;
    for (size_t i = 0; i < e->met.n && !is_enough(f); i++) {
        const struct view_channel *c = channel_of(f, e->met.at[i]);
        if (c->row == NIL || !f->is_asked[c->row])
            continue;
        uint32_t other = view_exact_channel(e, &c->envelope, !c->is_receive);
        uint32_t row = other == NIL ? NIL : channel_of(f, other)->row;
        if (row != NIL && !f->is_read[row] && !is_peer[row])
            is_peer[row] = !has_had(f, other, c->before);
    }
}

/* ---- missing ends ---- */

static bool is_asked(const struct serve_far *f, const struct view_channel *c,
                     const struct view_channel *other)
{
    return f->is_asked[c->row] || f->is_asked[other->row];
}

/* How many messages a channel has in all. */
static uint64_t total(struct serve_far *f, uint32_t channel)
{
    uint32_t row = channel_of(f, channel)->row;
    const struct view_place *last = view_places_last(f->places, row);
    return last ? view_places_count(f->places, row, last, channel, &f->n_bytes) : 0;
}

/*
 * Adds the ends of messages that one side has had before the window, and the opposite side has not.
 */
static void add_under_way(struct serve_far *f, uint32_t send, uint32_t receive, view_ends *ends)
{
    uint64_t sent = channel_of(f, send)->before;
    uint64_t received = channel_of(f, receive)->before;
    uint64_t first = sent < received ? sent : received;
    uint64_t end = sent < received ? received : sent;
    if (first == end)
        return;
    uint64_t all = total(f, sent < received ? send : receive);
    for (uint64_t i = first; i < end && i < all && !is_enough(f); i++) {
        struct view_end both[] = {{send, i}, {receive, i}};
        f->is_too_much |= ends->n > ENDS_MAX;
        if (view_exact_has(&f->part->exact, &both[0]) || view_exact_has(&f->part->exact, &both[1]))
            continue; /* a single end is present, and the search for the far end goes on already */
        *LIST_ADD(ends) = both[0];
        *LIST_ADD(ends) = both[1];
    }
}

static void add_all_under_way(struct serve_far *f, view_ends *ends)
{
    const struct view_exact *e = &f->part->exact;
    for (size_t i = 0; i < e->met.n && !is_enough(f); i++) {
        uint32_t one = e->met.at[i];
        const struct view_channel *c = channel_of(f, one);
        uint32_t other = view_exact_channel(e, &c->envelope, !c->is_receive);
        if (c->row == NIL || other == NIL || !is_asked(f, c, channel_of(f, other)) ||
            !f->is_read[c->row])
            continue;
        if (f->is_read[channel_of(f, other)->row])
            add_under_way(f, c->is_receive ? other : one, c->is_receive ? one : other, ends);
        else
            f->is_too_much |= !has_had(f, other, c->before);
    }
}

/* Keeps only ends of messages with a row that was asked for. */
static void keep_asked(const struct serve_far *f, view_ends *ends)
{
    const struct view_exact *e = &f->part->exact;
    size_t n = 0;
    for (size_t i = 0; i < ends->n; i++) {
        const struct view_channel *c = channel_of(f, ends->at[i].channel);
        uint32_t other = view_exact_channel(e, &c->envelope, !c->is_receive);
        if (other != NIL && is_asked(f, c, channel_of(f, other)))
            ends->at[n++] = ends->at[i];
    }
    ends->n = n;
}

/* ---- places of the ends ---- */

struct stop {
    const struct view_place *place;
    uint32_t row;
};

static int by_stop(const void *x, const void *y)
{
    const struct stop *p = x;
    const struct stop *q = y;
    ORDER(p->row, q->row);
    return (p->place > q->place) - (p->place < q->place);
}

/* Reads each place once, however many ends lie behind the place. */
static void read_all(struct serve_far *f, struct stop *stops, size_t n)
{
    if (n)
        qsort(stops, n, sizeof *stops, by_stop);
    for (size_t i = 0; i < n && !is_enough(f); i++)
        if (!i || by_stop(&stops[i - 1], &stops[i]))
            f->read(f->user, stops[i].row, stops[i].place);
}

void serve_far_find(struct serve_far *f)
{
    struct view_exact *e = &f->part->exact;
    view_ends ends = {0};
    LIST(struct stop) stops = {0};
    view_exact_loose(e, &ends);
    keep_asked(f, &ends);
    add_all_under_way(f, &ends);
    view_ends_sort(&ends);
    for (size_t i = 0; i < ends.n && !is_enough(f); i++) {
        uint32_t row = channel_of(f, ends.at[i].channel)->row;
        const struct view_place *place = view_places_of(f->places, row, &ends.at[i], &f->n_bytes);
        if (place != view_places_last(f->places, row)) /* else the end does not exist */
            *LIST_ADD(&stops) = (struct stop){place, row};
    }
    struct view_counters kept = f->part->counters;
    size_t n_windows = e->n_windows;
    f->part->counters = (struct view_counters){.most = 1};
    e->wanted = &ends;
    e->n_windows = 0; /* the windows need no further calls or samples */
    read_all(f, stops.at, stops.n);
    e->wanted = NULL;
    e->n_windows = n_windows;
    view_counters_clear(&f->part->counters);
    view_counters_free(&f->part->counters);
    f->part->counters = kept;
    free(stops.at);
    free(ends.at);
}
