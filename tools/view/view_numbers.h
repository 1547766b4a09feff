/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What regions, call paths and communicators are called in the page: numbers of those that occur,
 * which depend on the archive alone and not on the order in which its locations were read.
 */
#ifndef TOOLS_VIEW_NUMBERS_H
#define TOOLS_VIEW_NUMBERS_H

#include "tools/view/view_part.h"

struct view_numbers {
    LIST(uint32_t) regions; /* indices, most time of its own first; NIL: all others */
    uint32_t *region;       /* by index: number */
    uint32_t rest;          /* number of all others */
    LIST(uint32_t) paths;   /* indices */
    uint32_t *path;         /* by index: number */
    LIST(uint32_t) comms;
    uint32_t *comm;
};

/* For a part that is finished and has everything. */
void view_numbers_make(struct view_numbers *n, const struct view_part *p);
void view_numbers_free(struct view_numbers *n);

static inline uint32_t view_numbers_region(const struct view_numbers *n, uint32_t region)
{
    return region == NIL ? n->rest : n->region[region];
}

#endif
