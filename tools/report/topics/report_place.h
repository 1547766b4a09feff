/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a finding can be seen: the longest of many stretches of one kind. */
#ifndef TOOLS_REPORT_PLACE_H
#define TOOLS_REPORT_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct place {
    uint64_t begin; /* ticks */
    uint64_t end;
    uint32_t location; /* plus 1; 0: no location */
    uint32_t other;    /* plus 1: a second location that takes part */
};

static inline uint64_t place_ticks(const struct place *p)
{
    return p->end - p->begin;
}

/* Takes the new stretch if longer than the old one. */
static inline void place_add(struct place *p, uint64_t begin, uint64_t end, uint32_t location,
                             uint32_t other)
{
    if (end > begin && end - begin > place_ticks(p))
        *p = (struct place){begin, end, location + 1, other + 1};
}

/*
 * Takes the longer stretch; of two of equal length the one that ended first, whichever worker has
 * seen the stretch first. `order`: of locations, see report_notes.h.
 */
static inline void place_join(struct place *to, const struct place *from, const uint32_t *order)
{
    if (!from->location)
        return;
    bool is_longer = place_ticks(from) > place_ticks(to);
    bool is_equal = to->location && place_ticks(from) == place_ticks(to);
    if (is_equal)
        is_longer = from->end != to->end
                        ? from->end < to->end
                        : order && order[from->location - 1] < order[to->location - 1];
    if (is_longer)
        *to = *from;
}

/* A row of polls that received nothing itself, as MPI_Iprobe does. end 0: there is no row. */
struct probed {
    uint64_t begin;
    uint64_t end;
    uint32_t node;
};

#endif
