/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of metrics by region. */
#include <math.h>
#include <stdlib.h>

#include "tools/report/show/report_sections.h"

/* ---- metrics ---- */

static const struct column columns_metrics[] = {
    {"metric", "metric", UNIT_TEXT, EVERYWHERE, "name of the metric"},
    {"unit", "unit", UNIT_TEXT, EVERYWHERE, "its unit; values are in it"},
    {"region", "region", UNIT_TEXT, EVERYWHERE, "region in which the metric was read"},
    {"values", "", UNIT_COUNT, DATA_ONLY, "number of records in the region alone"},
    {"self", "self", UNIT_NUMBER, UNLESS_ZERO, "counters: sum in the region alone, all threads"},
    {"self_percent", "self %", UNIT_PERCENT, UNLESS_ZERO, "`self` in percent of all regions"},
    {"total", "total", UNIT_NUMBER, UNLESS_ZERO,
     "counters: sum in the region and in the regions that it calls"},
    {"min", "min", UNIT_NUMBER, UNLESS_ZERO, "measured values: minimum"},
    {"avg", "avg", UNIT_NUMBER, UNLESS_ZERO, "measured values: mean"},
    {"max", "max", UNIT_NUMBER, UNLESS_ZERO, "measured values: maximum"},
};

/* One metric at one region. */
struct meter {
    uint32_t member;
    uint32_t region;
    uint64_t n;
    double self;
    double total;
    double min;
    double max;
};

struct meters {
    LIST(struct meter) all;
    struct map index_of; /* (member, region) */
};

static struct meter *meter_of(struct meters *m, uint32_t member, uint32_t region)
{
    uint32_t index = map_index(&m->index_of, member, region, m->all.n);
    if (index == m->all.n)
        *LIST_ADD(&m->all) =
            (struct meter){.member = member, .region = region, .min = INFINITY, .max = -INFINITY};
    return &m->all.at[index];
}

/* A counter's gain belongs to all regions around it, each of them once. */
static void add_gauge(const struct report *r, struct meters *m, const struct gauge *gauge)
{
    const struct profile *p = &r->profile;
    struct meter *meter = meter_of(m, gauge->member, p->nodes.at[gauge->node].region);
    meter->n += gauge->n;
    meter->self += gauge->sum;
    meter->min = fmin(meter->min, gauge->min);
    meter->max = fmax(meter->max, gauge->max);
    if (!metrics_is_sum(r, gauge->member))
        return;
    for (uint32_t up = gauge->node; up != NIL; up = p->nodes.at[up].parent)
        if (!p->nodes.at[up].is_nested)
            meter_of(m, gauge->member, p->nodes.at[up].region)->total += gauge->sum;
}

static void put_meter(struct report *r, struct table *t, const struct meter *meter, double all)
{
    const struct metric_member *member = &r->defs.members.at[meter->member];
    double scale = metrics_scale(r, meter->member);
    bool is_sum = metrics_is_sum(r, meter->member);
    bool has_values = !is_sum && meter->n;
    double none = (double)NAN;
    ROW(t, defs_text(&r->defs, member->name), defs_text(&r->defs, member->unit),
        defs_region_name(&r->defs, meter->region), meter->n, is_sum ? scale * meter->self : none,
        is_sum && all > 0.0 ? 100.0 * meter->self / all : none,
        is_sum ? scale * meter->total : none, has_values ? scale * meter->min : none,
        has_values ? scale * meter->self / (double)meter->n : none,
        has_values ? scale * meter->max : none);
}

static void fill_metrics(struct report *r, struct table *t)
{
    struct meters m = {0};
    size_t room = 0;
    double *all = list_grow(NULL, &room, r->defs.members.n + 1, sizeof *all);
    for (size_t i = 0; i < r->metrics.all.n; i++) {
        const struct gauge *gauge = &r->metrics.all.at[i];
        if (!r->is_selected[r->profile.nodes.at[gauge->node].location])
            continue;
        add_gauge(r, &m, gauge);
        all[gauge->member] += gauge->sum;
    }
    for (size_t i = 0; i < m.all.n; i++)
        put_meter(r, t, &m.all.at[i], all[m.all.at[i].member]);
    /* The rows of a metric: the greatest first. */
    table_sort(t, table_column(t, "max"));
    table_sort(t, table_column(t, "total"));
    table_sort(t, table_column(t, "self"));
    free(all);
    free(m.all.at);
    free(m.index_of.slots);
}

SECTION(metrics, "metrics", "Metrics", "metrics by region", .sort = "metric")
