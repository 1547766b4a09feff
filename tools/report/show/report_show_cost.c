/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of what recording has cost. */
#include "tools/report/show/report_sections.h"
#include "tools/report/topics/report_cost.h"

static const struct column columns_cost[] = {
    {"region", "region", UNIT_TEXT, EVERYWHERE, "name, as in the table `regions`"},
    {"calls", "calls", UNIT_COUNT, EVERYWHERE, "number of calls; null: none"},
    {"events", "events", UNIT_COUNT, EVERYWHERE,
     "records of its calls, and those made while it was the innermost region"},
    {"events_percent", "events %", UNIT_PERCENT, EVERYWHERE, "`events` in percent of all"},
    {"bytes", "bytes", UNIT_BYTES, EVERYWHERE,
     "estimate: share of the event files, by the number of events"},
    {"cost", "cost", UNIT_SECONDS, EVERYWHERE, "estimate: seconds of CPU time that recording took"},
    {"cost_percent", "of self %", UNIT_PERCENT, EVERYWHERE,
     "`cost` in percent of `self`, at most 100; null: no `self`"},
    {"self", "self", UNIT_SECONDS, EVERYWHERE, "seconds in the region alone"},
    {"filter", "filter", UNIT_TEXT, EVERYWHERE,
     "`leave out`: --suggest-filter names it; else empty"},
};

static void put_cost(struct report *r, struct table *t, uint32_t index)
{
    const struct costs *all = &r->costs;
    const struct cost *cost = &all->regions.at[index];
    const struct region_sum *sum = &r->sums.regions.at[index];
    double self = defs_seconds(&r->defs, sum->self);
    ROW(t, defs_region_name(&r->defs, index),
        sum->calls && index >= REGIONS_OWN ? cell(sum->calls) : nothing, cost->events,
        percent_of(cost->events, all->all.events), cost->bytes, cost->seconds,
        sum->self ? cell(cost->seconds < self ? 100.0 * cost->seconds / self : 100.0) : nothing,
        self, cost->is_advised ? "leave out" : "");
}

static void fill_cost(struct report *r, struct table *t)
{
    const struct costs *all = costs_make(r);
    for (uint32_t i = 0; i < all->regions.n; i++)
        if (all->regions.at[i].events &&
            !(percent_of(r->sums.regions.at[i].self, r->sums.total) < t->wish->min_percent))
            put_cost(r, t, i);
}

SECTION(cost, "cost", "Cost of recording", "events, bytes and time that recording took, by region",
        .sort = "cost", .is_only_by = true)
