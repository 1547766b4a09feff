/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/files/storms.h"

#include <stdlib.h>

enum {
    WINDOWS = 400,       /* of a run at most */
    PER_SECOND = 10,     /* windows at most */
    LEAST_RATE = 1000,   /* calls a second, of a storm */
    LEAST_PER_SECOND = 2 /* a storm lasts a second by that at least */
};

static uint64_t window_ticks(const struct defs *d)
{
    const struct clock *clock = &d->clock;
    const uint64_t by_time = clock->ticks_per_second / PER_SECOND;
    const uint64_t by_length = clock->length / WINDOWS;
    const uint64_t ticks = by_time > by_length ? by_time : by_length;
    return ticks ? ticks : 1;
}

double storms_window_seconds(const struct defs *d)
{
    return defs_seconds(d, window_ticks(d));
}

double storms_rate(const struct defs *d, const struct storm *storm)
{
    return (double)storm->calls / defs_seconds(d, storm->end - storm->begin);
}

/* ---- counting ---- */

static void merge(struct storm_window *to, const struct storm_window *from)
{
    to->calls += from->calls;
    to->first = from->first < to->first ? from->first : to->first;
    to->last = from->last > to->last ? from->last : to->last;
}

void storms_add(struct storms *s, const struct storm_window *window)
{
    const uint32_t at = map_index(&s->index_of, window->process, window->index, s->all.n);
    if (at == s->all.n)
        *LIST_ADD(&s->all) = *window;
    else
        merge(&s->all.at[at], window);
}

void storms_call(struct storms *s, const struct defs *d, uint32_t process, uint64_t begin,
                 uint64_t end)
{
    const uint64_t since = begin > d->clock.start ? begin - d->clock.start : 0;
    storms_add(s, &(struct storm_window){.process = process,
                                         .index = (uint32_t)(since / window_ticks(d)),
                                         .calls = 1,
                                         .first = begin,
                                         .last = end});
}

/* ---- finding ---- */

static int by_process(const void *left, const void *right)
{
    const struct storm_window *a = left;
    const struct storm_window *b = right;
    ORDER(a->process, b->process);
    ORDER(a->index, b->index);
    return 0;
}

static int by_time(const void *left, const void *right)
{
    const struct storm_window *a = left;
    const struct storm_window *b = right;
    ORDER(a->index, b->index);
    ORDER(a->process, b->process);
    return 0;
}

static bool is_stormy(const struct defs *d, const struct storm_window *window)
{
    return (double)window->calls >= LEAST_RATE * storms_window_seconds(d);
}

/* What has been merged up to its index, since a window. */
static void note_storm(const struct defs *d, struct storm *to, const struct storm_window *sum,
                       uint32_t since)
{
    const uint64_t least = d->clock.ticks_per_second / LEAST_PER_SECOND;
    if (sum->calls <= to->calls || sum->last - sum->first < least || sum->last == sum->first)
        return;
    to->calls = sum->calls;
    to->begin = sum->first;
    to->end = sum->last;
    to->from = since;
    to->to = sum->index;
}

/* Of windows of one process in the order of time, or of sums over all. */
static struct storm storm_in(const struct defs *d, const struct storm_window *at, size_t n)
{
    struct storm found = {.process = n ? at[0].process : NIL};
    struct storm_window sum = {0};
    uint32_t since = 0;
    for (size_t i = 0; i < n; i++) {
        const bool goes_on = sum.calls && at[i].index == sum.index + 1;
        found.peak = at[i].calls > found.peak ? at[i].calls : found.peak;
        if (!is_stormy(d, &at[i])) {
            sum = (struct storm_window){0};
            continue;
        }
        if (goes_on) {
            merge(&sum, &at[i]);
            sum.index++;
        } else {
            sum = at[i];
            since = sum.index;
        }
        note_storm(d, &found, &sum, since);
    }
    found.own = found.calls;
    return found;
}

/* Who makes most of the calls in the storm of all. */
static void find_most(const struct storms *s, const struct defs *d, struct storm *storm)
{
    uint64_t *calls = take_memory((d->processes.n + 1) * sizeof *calls);
    for (size_t i = 0; i < s->all.n; i++) {
        const struct storm_window *w = &s->all.at[i];
        if (storm->calls && w->index >= storm->from && w->index <= storm->to)
            calls[w->process] += w->calls;
    }
    storm->own = 0;
    for (uint32_t i = 0; i < d->processes.n; i++)
        if (calls[i] > storm->own) {
            storm->own = calls[i];
            storm->process = i;
        }
    free(calls);
}

static struct storm storm_of_all(const struct storms *s, const struct defs *d, struct storms *w)
{
    size_t n = 0;
    LIST_SORT(&w->all, by_time);
    for (size_t i = 0; i < w->all.n; i++) {
        if (n && w->all.at[n - 1].index == w->all.at[i].index)
            merge(&w->all.at[n - 1], &w->all.at[i]);
        else
            w->all.at[n++] = w->all.at[i];
    }
    struct storm storm = storm_in(d, w->all.at, n);
    find_most(s, d, &storm);
    return storm;
}

struct storm *storms_find(const struct storms *s, const struct defs *d)
{
    struct storm *found = take_memory((d->processes.n + 1) * sizeof *found);
    struct storms w = {0}; /* in order */
    for (size_t i = 0; i < s->all.n; i++)
        *LIST_ADD(&w.all) = s->all.at[i];
    LIST_SORT(&w.all, by_process);
    for (size_t i = 0, n; i < w.all.n; i += n) {
        for (n = 1; i + n < w.all.n && w.all.at[i + n].process == w.all.at[i].process; n++)
            ;
        found[w.all.at[i].process] = storm_in(d, &w.all.at[i], n);
    }
    found[d->processes.n] = storm_of_all(s, d, &w);
    free(w.all.at);
    return found;
}
