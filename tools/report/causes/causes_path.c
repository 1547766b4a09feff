/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The critical path: the chain of the run's end. Each worker adds up what its own lines do there,
 * and in all.
 */
#include <stdlib.h>

#include "tools/report/causes/causes_replay.h"

/* The main thread that ends last. */
static uint32_t last_line(const struct lines *lines, const struct report *r)
{
    uint32_t last = NIL;
    for (uint32_t i = 0; i < lines->n; i++) {
        const struct line *line = &lines->at[i];
        if (line->n_calls && r->defs.processes.at[line->process].main == i &&
            (last == NIL || line->last > lines->at[last].last))
            last = i;
    }
    return last;
}

static int by_location(const void *a, const void *b)
{
    const struct stint *x = a;
    const struct stint *y = b;
    const uint32_t keys[][2] = {{x->location, y->location},
                                {x->activity.region, y->activity.region},
                                {x->activity.call, y->activity.call},
                                {x->activity.site, y->activity.site}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

struct path {
    const struct lines *lines;
    struct report *r;
    struct map index_of; /* (line, activity) to what is found */
    portions spent;
};

static void add(struct path *p, const struct piece *piece, bool is_critical)
{
    struct tracks *t = &p->r->tracks;
    p->spent.n = 0;
    (void)replay_portions(p->lines, piece, &p->spent);
    for (size_t i = 0; i < p->spent.n; i++) {
        const struct portion *portion = &p->spent.at[i];
        uint32_t index = map_index(&p->index_of, piece->line, portion->activity, t->stints.n);
        if (index == t->stints.n)
            *LIST_ADD(&t->stints) =
                (struct stint){.location = piece->line,
                               .activity = p->lines->activities.all.at[portion->activity]};
        struct stint *found = &t->stints.at[index];
        *(is_critical ? &found->critical : &found->own) += portion->ticks;
    }
}

/* All of a line but for its waits. */
static void add_line(struct path *p, uint32_t index)
{
    const struct line *line = &p->lines->at[index];
    struct piece piece = {.line = index, .from = line->first};
    for (size_t i = 0; i <= line->n_waits; i++) {
        const struct release *wait = i < line->n_waits ? &line->waits[i] : NULL;
        piece.to = wait ? wait->begin : line->last;
        if (piece.to > piece.from)
            add(p, &piece, false);
        if (wait && wait->end > piece.from)
            piece = (struct piece){index, wait->call, wait->end, 0};
    }
}

void replay_path(const struct lines *lines, struct report *r)
{
    struct tracks *t = &r->tracks;
    struct path p = {.lines = lines, .r = r};
    pieces chain = {0};
    uint32_t last = last_line(lines, r);
    if (last == NIL)
        return;
    replay_all(lines, replay_spot(lines, last, lines->at[last].last), lines->first, &chain);
    for (size_t i = 0; i < chain.n; i++)
        if (line_is_own(lines, chain.at[i].line))
            add(&p, &chain.at[i], true);
    for (uint32_t i = 0; i < lines->n; i++)
        if (lines->at[i].n_calls > 1 && line_is_own(lines, i))
            add_line(&p, i);
    if (t->stints.n)
        qsort(t->stints.at, t->stints.n, sizeof *t->stints.at, by_location);
    free(p.index_of.slots);
    free(p.spent.at);
    free(chain.at);
}
