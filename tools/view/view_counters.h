/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values of metrics, a curve for each metric of a row. A curve of very many values becomes one of
 * stretches, each with the least and the greatest of its values.
 */
#ifndef TOOLS_VIEW_COUNTERS_H
#define TOOLS_VIEW_COUNTERS_H

#include "tools/view/view.h"

struct view_point {
    uint64_t time;
    double value;
};

/* The first, the least, the greatest: two of them at least. */
struct view_stretch {
    struct view_point least;
    struct view_point greatest;
};

struct view_curve {
    uint32_t row;
    uint32_t member;
    uint64_t each; /* values to a stretch; 1: they are as they were */
    uint64_t n;    /* values in the last one */
    struct view_point last;
    LIST(struct view_stretch) stretches;
};

struct view_counters {
    size_t most; /* stretches of a curve */
    LIST(struct view_curve) curves;
    struct map curve_of; /* (row, member) */
};

void view_counters_init(struct view_counters *c, const struct view *v);
void view_counters_clear(struct view_counters *c); /* no curves */
void view_counters_free(struct view_counters *c);
void view_counters_add(struct view_counters *c, uint32_t row, uint32_t member, uint64_t time,
                       double value);
void view_counters_join(struct view_counters *c, const struct view_counters *other);

/* In the order of rows and members, with no more points than that. */
void view_counters_finish(struct view_counters *c, size_t most);

#endif
