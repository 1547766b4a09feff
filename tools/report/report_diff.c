/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/report_diff.h"

const struct column columns_diff[] = {
    {"region", "region", UNIT_TEXT, EVERYWHERE, "name; regions with the same name count as one"},
    {"change", "change", UNIT_CHANGE, EVERYWHERE,
     "seconds in the region alone: `after` - `before`"},
    {"change_percent", "change %", UNIT_CHANGE_PERCENT, EVERYWHERE,
     "`change` in percent of `before`; null: the region was not there"},
    {"size", "", UNIT_SECONDS, DATA_ONLY, "`change` without its sign; rows are sorted by it"},
    {"before", "before", UNIT_SECONDS, EVERYWHERE, "seconds in the region alone, first archive"},
    {"after", "after", UNIT_SECONDS, EVERYWHERE, "seconds in the region alone, second archive"},
    {"calls_before", "calls before", UNIT_COUNT, EVERYWHERE, "of the region"},
    {"calls_after", "calls after", UNIT_COUNT, EVERYWHERE, "of the region"},
};
COLUMNS_END(diff)

struct side {
    double self;
    uint64_t calls;
};

struct change {
    const char *name;
    struct side of[2];
};

static int by_name(const void *a, const void *b)
{
    const struct change *x = a;
    const struct change *y = b;
    return strcmp(x->name, y->name);
}

struct changes {
    LIST(struct change) all;
};

static void add_all(struct changes *c, const struct report *r, unsigned side)
{
    for (uint32_t i = 0; i < r->sums.regions.n; i++) {
        const struct region_sum *sum = &r->sums.regions.at[i];
        if (!sum->is_seen || (i < REGIONS_OWN && !sum->self))
            continue;
        struct change *change = LIST_ADD(&c->all);
        change->name = defs_region_name(&r->defs, i);
        change->of[side].self = defs_seconds(&r->defs, sum->self);
        change->of[side].calls = i < REGIONS_OWN ? 0 : sum->calls;
    }
}

static void put_change(struct table *t, const struct change *c)
{
    double change = c->of[1].self - c->of[0].self;
    put_text(t, c->name);
    put_real(t, change);
    put_real(t, 100.0 * change / c->of[0].self);
    put_real(t, fabs(change));
    for (unsigned i = 0; i < 2; i++)
        put_real(t, c->of[i].self);
    for (unsigned i = 0; i < 2; i++)
        /* What was only seen on stacks has time, and calls that nobody counted. */
        if (c->of[i].calls || c->of[i].self == 0.0)
            put_count(t, c->of[i].calls);
        else
            put_nothing(t);
}

struct table diff_table(struct report *before, struct report *after, const struct wish *wish)
{
    struct table t = {.columns = columns_diff, .n_columns = n_columns_diff};
    struct changes c = {0};
    add_all(&c, before, 0);
    add_all(&c, after, 1);
    if (c.all.n)
        qsort(c.all.at, c.all.n, sizeof c.all.at[0], by_name);
    for (size_t i = 0; i < c.all.n;) {
        struct change sum = c.all.at[i];
        for (i++; i < c.all.n && !strcmp(c.all.at[i].name, sum.name); i++)
            for (unsigned side = 0; side < 2; side++) {
                sum.of[side].self += c.all.at[i].of[side].self;
                sum.of[side].calls += c.all.at[i].of[side].calls;
            }
        put_change(&t, &sum);
    }
    free(c.all.at);
    size_t column = wish->sort ? table_column(&t, wish->sort) : SIZE_MAX;
    table_sort(&t, column == SIZE_MAX ? table_column(&t, "size") : column);
    return t;
}

void diff_head(struct report *before, struct report *after, FILE *out)
{
    struct report *const both[] = {before, after};
    static const char *const names[] = {"before", "after"};
    char wall[VALUE_BYTES];
    char time[VALUE_BYTES];
    for (unsigned i = 0; i < 2; i++) {
        struct report *r = both[i];
        fprintf(out, "%s: ", names[i]);
        text_clean(r->path, out);
        fprintf(out, ", %s wall, %s of all threads\n",
                seconds_text(wall, defs_seconds(&r->defs, r->last - r->first)),
                seconds_text(time, defs_seconds(&r->defs, r->sums.total)));
    }
    fputc('\n', out);
}
