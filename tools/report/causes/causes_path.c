/* SPDX-License-Identifier: BSD-3-Clause */
/* The critical path: the chain of the run's end. */
#include <stdlib.h>

#include "tools/report/causes/causes_replay.h"

/* The main thread that ends last. */
static uint32_t last_line(const struct replay *p)
{
    uint32_t last = NIL;
    for (uint32_t i = 0; i < p->n; i++) {
        const struct line *line = &p->lines[i];
        if (line->is_there && p->r->defs.processes.at[line->process].main == i &&
            (last == NIL || line->last > p->lines[last].last))
            last = i;
    }
    return last;
}

static void add(struct replay *p, const pieces *chain, portions *found)
{
    for (size_t i = 0; i < chain->n; i++) {
        found->n = 0;
        replay_portions(p, &chain->at[i], found);
        for (size_t k = 0; k < found->n; k++) {
            const struct portion *portion = &found->at[k];
            uint32_t cost = replay_cost(p, p->lines[portion->line].process, portion->activity);
            p->costs.at[cost].critical += portion->ticks;
        }
    }
}

uint64_t costs_make_of_path(struct replay *p)
{
    uint32_t last = last_line(p);
    pieces chain = {0};
    portions found = {0};
    if (last == NIL)
        return 0;
    struct spot spot = replay_spot(p, last, p->lines[last].last);
    uint64_t length = spot.time - p->first;
    while (spot.time > p->first) {
        chain.n = 0;
        replay_back(p, &spot, p->first, &chain);
        add(p, &chain, &found);
    }
    free(chain.at);
    free(found.at);
    return length;
}
