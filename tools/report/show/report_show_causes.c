/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of causes and of the critical path. */
#include <math.h>
#include <stdlib.h>

#include "tools/report/causes/causes.h"
#include "tools/report/show/report_sections.h"

static const struct column columns_causes[] = {
    {"process", "process", UNIT_TEXT, EVERYWHERE, "process that others had to wait for"},
    {"region", "region", UNIT_TEXT, EVERYWHERE,
     "region in which the process was longer than those that waited; `(start)`: it began later"},
    {"path", "path", UNIT_TEXT, UNLESS_ZERO,
     "the end of the call path to the region that is too much, as far as it is that of no other "
     "path; empty: there is one path, or it is not known"},
    {"after", "after", UNIT_TEXT, EVERYWHERE,
     "the MPI call that communicates after which the process was in the region; empty: none, or "
     "`region` is a call itself"},
    {"site", "at", UNIT_TEXT, EVERYWHERE,
     "where the program makes this call, or the call that `region` is; empty: not known"},
    {"cost", "cost", UNIT_SECONDS, EVERYWHERE,
     "seconds of waiting that this process caused in this region behind this call"},
    {"direct", "direct", UNIT_SECONDS, EVERYWHERE,
     "seconds of `cost` of those that waited for this process itself"},
    {"propagated", "propagated", UNIT_SECONDS, UNLESS_ZERO,
     "seconds of `cost` of those that waited for another process, which this one had delayed"},
    {"time", "time", UNIT_SECONDS, EVERYWHERE,
     "seconds of the process in the region behind this call, without waits for other ranks"},
    {"others", "others", UNIT_SECONDS, EVERYWHERE,
     "mean of `time` of the other processes that call MPI; null: does not apply"},
    {"critical", "critical", UNIT_SECONDS, EVERYWHERE, "seconds of `time` on the critical path"},
    {"gain", "gain", UNIT_SECONDS, EVERYWHERE,
     "seconds that the run takes less, at most, if `time` were `others`"},
    {"waiter", "waiter", UNIT_TEXT, EVERYWHERE, "process that waits most for it"},
    {"waits_in", "waits in", UNIT_TEXT, EVERYWHERE, "the call in which it waits most for it"},
    {"waits_at", "", UNIT_TEXT, DATA_ONLY, "where the program makes that call; empty: not known"},
    {"waited", "", UNIT_SECONDS, DATA_ONLY, "seconds of `cost` of this waiter in this call"},
};

static const struct column columns_critical_regions[] = {
    {"region", "region", UNIT_TEXT, EVERYWHERE, "name of the region"},
    {"critical", "critical", UNIT_SECONDS, EVERYWHERE, "seconds on the critical path"},
    {"percent", "of path %", UNIT_PERCENT, EVERYWHERE, "`critical` in percent of the path"},
    {"mean", "mean", UNIT_SECONDS, EVERYWHERE,
     "mean time of the processes that call MPI in the region, without waits for other ranks"},
    {"imbalance", "imbalance", UNIT_SECONDS, EVERYWHERE,
     "`critical` - `mean`, at least 0: how much longer the run is because the work is not shared "
     "evenly"},
    {"process", "most on", UNIT_TEXT, EVERYWHERE, "process with most of `critical`"},
};

static const struct column columns_critical_processes[] = {
    {"process", "process", UNIT_TEXT, EVERYWHERE, "name of the process"},
    {"critical", "critical", UNIT_SECONDS, EVERYWHERE, "seconds on the critical path"},
    {"percent", "of path %", UNIT_PERCENT, EVERYWHERE, "`critical` in percent of the path"},
    {"region", "mostly", UNIT_TEXT, EVERYWHERE, "region with most of `critical`"},
};

static const char *region_name(const struct report *r, uint32_t region)
{
    return region == NIL ? "(start)" : defs_region_name(&r->defs, region);
}

static void put_waiter(struct report *r, struct table *t, const struct cause *cause)
{
    const struct node *node = cause->waiter == NIL ? NULL : &r->profile.nodes.at[cause->waiter];
    ROW(t, node ? defs_process_name(&r->defs, r->profile.streams[node->location].process) : "",
        node ? defs_region_name(&r->defs, node->region) : "",
        node ? defs_site_name(&r->defs, node->site) : "",
        cause->waited / (double)r->defs.clock.ticks_per_second);
}

static void put_cause(struct report *r, struct table *t, const struct cause *cause)
{
    double second = (double)r->defs.clock.ticks_per_second;
    ROW(t, defs_process_name(&r->defs, cause->process), region_name(r, cause->region),
        cause->path ? cause->path : "",
        cause->call == NIL ? "" : defs_region_name(&r->defs, cause->call),
        defs_site_name(&r->defs, cause->site), (cause->direct + cause->indirect) / second,
        cause->direct / second, cause->indirect / second, cause->own,
        cause->others < 0.0 ? (double)NAN : cause->others / second, cause->critical,
        cause_gain(cause) / second);
    put_waiter(r, t, cause);
}

static void fill_causes(struct report *r, struct table *t)
{
    const struct causes *c = causes_of(r);
    for (size_t i = 0; i < c->all.n; i++)
        put_cause(r, t, &c->all.at[i]);
}

SECTION(causes, "causes", "Causes of waiting",
        "what made others wait: the processes and regions that took longer", .sort = "cost",
        .is_only_by = true)

/* Parts of the critical path that have something in common. */
struct along {
    uint64_t critical;
    const struct path_part *most;
};

static struct along *add_up(const struct report *r, const struct causes *c, bool by_region)
{
    size_t room = 0;
    size_t n = r->defs.regions.n + r->defs.processes.n + 1;
    struct along *sums = list_grow(NULL, &room, n, sizeof *sums);
    for (size_t i = 0; i < c->path.n; i++) {
        const struct path_part *part = &c->path.at[i];
        size_t region = part->region == NIL ? r->defs.regions.n : part->region;
        struct along *sum = &sums[by_region ? region : part->process];
        sum->critical += part->critical;
        if (!sum->most || part->critical > sum->most->critical)
            sum->most = part;
    }
    return sums;
}

static void fill_critical_regions(struct report *r, struct table *t)
{
    const struct causes *c = causes_of(r);
    struct along *sums = add_up(r, c, true);
    double second = (double)r->defs.clock.ticks_per_second;
    for (uint32_t i = 0; i <= r->defs.regions.n; i++) {
        const struct along *sum = &sums[i];
        if (!sum->critical)
            continue;
        bool is_known = i < r->defs.regions.n && c->n_processes > 1;
        double mean = is_known ? (double)c->in_region[i] / (double)c->n_processes : (double)NAN;
        ROW(t, region_name(r, sum->most->region), sum->critical,
            percent_of(sum->critical, c->length), mean / second,
            is_known ? fmax(0.0, (double)sum->critical - mean) / second : mean,
            defs_process_name(&r->defs, sum->most->process));
    }
    free(sums);
}

SECTION(critical_regions, "critical", "Critical path by region",
        "the critical path, on which the length of the run depends, by region", .sort = "critical",
        .is_only_by = true)

static void fill_critical_processes(struct report *r, struct table *t)
{
    const struct causes *c = causes_of(r);
    struct along *sums = add_up(r, c, false);
    for (uint32_t i = 0; i < r->defs.processes.n; i++) {
        if (!sums[i].critical)
            continue;
        ROW(t, defs_process_name(&r->defs, i), sums[i].critical,
            percent_of(sums[i].critical, c->length), region_name(r, sums[i].most->region));
    }
    free(sums);
}

SECTION(critical_processes, "critical", "Critical path by process",
        "the critical path, on which the length of the run depends, by process", .sort = "critical",
        .is_only_by = true)
