/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pass over a share of the locations. Each part has a reader and definitions of its own. Of
 * struct view a part writes only the rows of its locations; all further results are joined at the
 * end.
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
    struct defs *defs; /* of the view, or of this part */
    size_t n_regions;  /* with definitions */
    size_t n_comms;
    LIST(uint64_t) odd_regions; /* undefined ids, present in events only: numbered from n_regions */
    LIST(uint64_t) odd_comms;
    uint32_t first_row; /* rows read by this and by all joined parts */
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
    uint64_t n_untold; /* events since the last line of progress */
    bool is_first;     /* first of the process: reports the progress of all parts */
    const char *trouble;
    bool is_cut; /* small sums are put together */
    bool are_pairs_cut;
};

void view_part_init(struct view_part *p, struct view *v, struct defs *defs);
void view_part_free(struct view_part *p);

/*
 * The whole pass, by view->wish.threads workers or by the ranks of a job. All parts are joined to
 * the returned part: the result is the same for any number of workers. Each worker reads its
 * locations one after the other. In a job, only the first rank gets the whole result. The remaining
 * ranks know the time span and the number of events, and whether the events are too many to be
 * exact.
 */
struct view_part *view_pass(struct view *v);

/*
 * Brings the results into the order of the page, and reduces the results to the amount that the
 * page can show.
 */
void view_part_finish(struct view_part *p);

/* A further reduction, when the page is still too big. */
void view_part_reduce(struct view_part *p, size_t sums, size_t pairs, size_t points);

/* Adds the results of another part, whose results are then of no further use. */
void view_part_join(struct view_part *p, struct view_part *other);

#endif
