/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pass over some of the locations. Each part has a reader and definitions of its own, and
 * writes of struct view only the rows that are its; what it finds besides is joined at the end.
 */
#ifndef TOOLS_VIEW_PART_H
#define TOOLS_VIEW_PART_H

#include "tools/view/view_counters.h"
#include "tools/view/view_exact.h"
#include "tools/view/view_paths.h"
#include "tools/view/view_pyramid.h"
#include "tools/view/view_tally.h"

struct view_part {
    struct view *view;
    struct defs *defs; /* those of the view, or a part's own */
    size_t n_regions;  /* that definitions have */
    size_t n_comms;
    LIST(uint64_t) odd_regions; /* ids of those behind them, which only events have */
    LIST(uint64_t) odd_comms;
    uint32_t first_row; /* what it and those that it has joined have read */
    uint32_t end_row;
    struct view_paths paths;
    struct view_pyramid pyramid;
    struct view_tally sums;  /* row, call path: ns, calls, samples */
    struct view_tally pairs; /* process, process: bytes, messages */
    struct view_exact exact;
    struct view_counters counters;
    uint32_t path_program;
    uint32_t path_idle;
    uint32_t path_off;
    uint32_t path_rest;
    uint64_t first; /* ticks, of all events */
    uint64_t last;
    uint64_t n_events;
    uint64_t n_untold; /* since the last line of progress */
    bool is_first;     /* of its process: it says how far all are */
    const char *trouble;
    bool is_cut; /* small sums are put together */
    bool are_pairs_cut;
};

void view_part_init(struct view_part *p, struct view *v, struct defs *defs);
void view_part_free(struct view_part *p);

/*
 * The whole pass, by view->wish.threads workers or the ranks of a job, whose parts are joined to
 * the one that is handed out: the same for any number of them. Each reads its locations one after
 * the other. Of a job the first rank gets all; the others know when the events were, how many they
 * are, and whether they are too many to be exact.
 */
struct view_part *view_pass(struct view *v);

/* Brings what was found into the order in which it is shown, and down to how much can be. */
void view_part_finish(struct view_part *p);

/* Less than that, when the page is too big. */
void view_part_reduce(struct view_part *p, size_t sums, size_t pairs, size_t points);

/* Adds what another part has found, which is of no use any more. */
void view_part_join(struct view_part *p, struct view_part *other);

#endif
