/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of iterations. */
#include <math.h>

#include "tools/report/iterations/iterations.h"
#include "tools/report/show/report_sections.h"

static const struct column columns_iterations[] = {
    {"level", "level", UNIT_COUNT, EVERYWHERE, "1: the outermost loop; 2: a loop within it, ..."},
    {"iterations", "iterations", UNIT_COUNT, EVERYWHERE, "how many"},
    {"region", "ends with", UNIT_TEXT, EVERYWHERE, "the call with which an iteration ends"},
    {"site", "at", UNIT_TEXT, EVERYWHERE, "where the program makes this call; empty: not known"},
    {"median", "median", UNIT_SECONDS, EVERYWHERE,
     "seconds of an iteration: median of all but the first"},
    {"slowest", "slowest", UNIT_SECONDS, EVERYWHERE, "the slowest of the others"},
    {"slowest_number", "number", UNIT_COUNT, EVERYWHERE, "which iteration that is; the first is 1"},
    {"drift_percent", "drift %", UNIT_CHANGE_PERCENT, EVERYWHERE,
     "robust slope: by how much iterations get slower during the run, in percent of the median"},
    {"grows_process", "grows on", UNIT_TEXT, EVERYWHERE,
     "process of what grows most; empty: iterations do not clearly get slower"},
    {"grows_region", "in", UNIT_TEXT, EVERYWHERE, "region of what grows most"},
    {"grows_after", "", UNIT_TEXT, DATA_ONLY,
     "the call after which that is; empty: none, or it is a call"},
    {"grows_site", "where", UNIT_TEXT, EVERYWHERE,
     "where the program makes that call, or the call that `grows_region` is; empty: not known"},
    {"lower_quartile", "25 %", UNIT_SECONDS, EVERYWHERE, "a quarter of these take less"},
    {"upper_quartile", "75 %", UNIT_SECONDS, EVERYWHERE, "a quarter of these take more"},
    {"first", "first", UNIT_SECONDS, EVERYWHERE,
     "the first iteration; it may contain what the program prepares"},
    {"slowest_at", "from", UNIT_SECONDS, EVERYWHERE,
     "when the slowest begins: seconds since the first event"},
    {"share_percent", "run %", UNIT_PERCENT, EVERYWHERE,
     "iterations that are alike in percent of the time from the first call to the last"},
    {"at_first", "", UNIT_SECONDS, DATA_ONLY,
     "median of the first iterations behind the first one"},
    {"at_end", "", UNIT_SECONDS, DATA_ONLY, "median of the last iterations"},
    {"grows", "", UNIT_SECONDS, DATA_ONLY,
     "seconds that what grows most takes longer at the end, by iteration; null: nothing grows"},
    {"grows_everywhere", "", UNIT_TEXT, DATA_ONLY,
     "`yes`: all processes take longer, about as much; `no`; empty: no drift"},
    {"slow", "", UNIT_SECONDS, DATA_ONLY,
     "seconds that the slowest iteration takes longer in `slow_region`; null: it is no exception"},
    {"slow_process", "", UNIT_TEXT, DATA_ONLY, "process that makes the slowest iteration slow"},
    {"slow_region", "", UNIT_TEXT, DATA_ONLY, "region in which it takes longer"},
    {"slow_after", "", UNIT_TEXT, DATA_ONLY,
     "the call after which that is; empty: none, or it is a call"},
    {"slow_site", "", UNIT_TEXT, DATA_ONLY, "as `grows_site`"},
};

/* Who takes longer, where. */
static void put_what(struct report *r, struct table *t, const struct growth *g)
{
    bool is_known = g->process != NIL;
    ROW(t, is_known ? defs_process_name(&r->defs, g->process) : "",
        is_known ? defs_region_name(&r->defs, g->region) : "",
        is_known && g->call != NIL ? defs_region_name(&r->defs, g->call) : "",
        is_known ? defs_site_name(&r->defs, g->site) : "");
}

static void put_growth(struct report *r, struct table *t, const struct growth *g)
{
    ROW(t, g->process != NIL ? cell(g->ticks / (double)r->defs.clock.ticks_per_second) : nothing);
}

static void put_loop(struct report *r, struct table *t, const struct loop *loop, size_t level)
{
    double second = (double)r->defs.clock.ticks_per_second;
    double median = (double)loop->quartiles[1];
    ROW(t, level, loop->n, defs_region_name(&r->defs, loop->region),
        defs_site_name(&r->defs, loop->site), loop->quartiles[1], loop_ticks(loop, loop->slowest),
        loop->slowest + 1,
        median > 0.0 ? 100.0 * loop->slope * (double)(loop->n - 1) / median : (double)NAN);
    put_what(r, t, &loop->grows);
    ROW(t, loop->quartiles[0], loop->quartiles[2], loop->first,
        loop->ends[loop->slowest - 1] - r->first, 100.0 * loop->share, loop->at_first / second,
        loop->at_end / second);
    put_growth(r, t, &loop->grows);
    ROW(t, loop->grows.process == NIL ? "" : loop->grows.is_everywhere ? "yes" : "no");
    put_growth(r, t, &loop->slow);
    put_what(r, t, &loop->slow);
}

static void fill_iterations(struct report *r, struct table *t)
{
    const struct iterations *all = iterations_of(r);
    for (size_t i = 0; i < all->loops.n; i++)
        put_loop(r, t, &all->loops.at[i], i + 1);
}

SECTION(iterations, "iterations", "Iterations",
        "loops of the program: how long their iterations take, and whether they get slower", )
