/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/compare/compare_framed.h"

#include <math.h>
#include <stdlib.h>

#include "tools/report/topics/report.h"

/* Which part of the time of a location counts. */
enum part { PART_NONE, PART_FRAME, PART_ALL };

static enum part part_of(const struct report *r, uint32_t location)
{
    const struct stream *s = &r->profile.streams[location];
    bool is_main = r->defs.processes.at[s->process].main == location;
    if (!is_main)
        return s->in_teams ? PART_ALL : PART_NONE;
    if (r->sums.n_mpi && !r->sums.locations.at[location].mpi)
        return PART_NONE;
    return mpi_frame_is_whole(&s->mpi) ? PART_FRAME : PART_ALL;
}

/* It was entered and left, so that the time of its events is its own. */
static bool is_exact(const struct node *node)
{
    return node->region == REGION_PROGRAM || (node->calls && node->region >= REGIONS_OWN);
}

double *framed_ticks(const struct report *r)
{
    const struct profile *p = &r->profile;
    double *ticks = take_memory((r->defs.regions.n + 1) * sizeof *ticks);
    double *whole = take_memory((p->nodes.n + 1) * sizeof *whole); /* with what is only on stacks */
    uint32_t *exact = take_memory((p->nodes.n + 1) * sizeof *exact);
    for (uint32_t i = 0; i < p->nodes.n; i++) {
        const struct node *node = &p->nodes.at[i];
        exact[i] = is_exact(node) || node->parent == NIL ? i : exact[node->parent];
        whole[exact[i]] += (double)node->self;
    }
    for (uint32_t i = 0; i < p->nodes.n; i++) {
        const struct node *node = &p->nodes.at[i];
        const double all = whole[exact[i]], framed = (double)p->nodes.at[exact[i]].framed;
        const enum part part = part_of(r, node->location);
        if (part == PART_ALL)
            ticks[node->region] += (double)node->self;
        else if (part == PART_FRAME && framed > 0.0)
            ticks[node->region] += (double)node->self * fmin(1.0, framed / all);
    }
    free(whole);
    free(exact);
    return ticks;
}
