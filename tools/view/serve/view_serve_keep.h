/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The results of a pass over the archive that windows need: the numbers of the page, call paths,
 * missing definitions, the beginning of the trace. Read from a cache, or written to a cache.
 */
#ifndef TOOLS_VIEW_SERVE_KEEP_H
#define TOOLS_VIEW_SERVE_KEEP_H

#include "tools/view/view_cache.h"
#include "tools/view/view_numbers.h"

/* The numbers of the page, by index. */
struct serve_numbers {
    LIST(uint32_t) region;
    LIST(uint32_t) path;
    LIST(uint32_t) comm;
    uint32_t rest;          /* region: the number for all other regions */
    uint32_t n_paths;       /* in the page */
    LIST(uint64_t) metrics; /* in the page: row and member */
};

void serve_keep_save(struct cache *cache, const struct view *v, const struct view_part *p,
                     const struct view_numbers *numbers);

/* Into a view and a part with definitions and rows alone. False: the cache does not fit. */
bool serve_keep_load(const struct cache *cache, struct view *v, struct view_part *p,
                     struct serve_numbers *numbers);

/*
 * Numbers for everything that a part has by now; items missing in the page are NIL, regions `rest`.
 */
void serve_numbers_extend(struct view_numbers *to, const struct serve_numbers *from,
                          const struct view_part *p);

/* NIL: not in the page. */
uint32_t serve_numbers_metric(const struct serve_numbers *n, uint32_t row, uint32_t member);

void serve_numbers_free(struct serve_numbers *n);

/* A key for the archive of a view and the kind of page. NULL without memory. */
char *serve_key(const struct view *v);

#endif
