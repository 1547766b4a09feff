/* SPDX-License-Identifier: BSD-3-Clause */
/* The sections of the page: columns of numbers. docs/view.md describes them. */
#ifndef TOOLS_VIEW_DATA_H
#define TOOLS_VIEW_DATA_H

#include "tools/view/view_numbers.h"

struct view_bytes {
    LIST(uint8_t) of;
};

/* Levels of the pyramid that are left out, from the finest. */
void view_data_pyramid(struct view_bytes *b, const struct view *v, const struct view_numbers *n,
                       unsigned left_out);
void view_data_paths(struct view_bytes *b, const struct view_part *p, const struct view_numbers *n);
void view_data_sums(struct view_bytes *b, const struct view_part *p, const struct view_numbers *n);
void view_data_pairs(struct view_bytes *b, const struct view_part *p);
void view_data_calls(struct view_bytes *b, const struct view_exact *e,
                     const struct view_numbers *n);
void view_data_messages(struct view_bytes *b, const struct view_exact *e,
                        const struct view_numbers *n);
void view_data_collectives(struct view_bytes *b, const struct view_exact *e,
                           const struct view_numbers *n);
void view_data_samples(struct view_bytes *b, const struct view_exact *e,
                       const struct view_numbers *n);
void view_data_idle(struct view_bytes *b, const struct view_exact *e);
void view_data_counters(struct view_bytes *b, const struct view_counters *c);

/* Values of a curve in the section. */
size_t view_data_points(const struct view_curve *curve);

/* Room for n bytes more, and a number as n bytes, the lowest first. */
uint8_t *view_bytes_more(struct view_bytes *b, size_t n);
void view_bytes_put(struct view_bytes *b, uint64_t value, size_t n);

#endif
