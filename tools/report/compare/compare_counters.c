/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/compare/compare_counters.h"

#include <string.h>

/* As PAPI and perf(1) call them. */
static const struct {
    const char *name;
    enum counter counter;
} known[] = {
    {"PAPI_TOT_INS", COUNTER_INSTRUCTIONS},        {"PAPI_TOT_CYC", COUNTER_CYCLES},
    {"perf:instructions", COUNTER_INSTRUCTIONS},   {"perf:cycles", COUNTER_CYCLES},
    {"perf:instructions:u", COUNTER_INSTRUCTIONS}, {"perf:cycles:u", COUNTER_CYCLES},
};

struct counters counters_of(const struct report *r)
{
    struct counters made = {{NULL}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        for (size_t k = 0; !made.name[known[i].counter] && k < r->defs.members.n; k++)
            if (!strcmp(defs_text(&r->defs, r->defs.members.at[k].name), known[i].name))
                made.name[known[i].counter] = known[i].name;
    return made;
}

void counting_at(struct counting *c, bool is_change)
{
    c->is_mixed |= is_change && !c->has_just_read;
    c->has_just_read = false;
}

/* Integers are subtracted as such, since they may be long. */
static double difference(OTF2_Type type, OTF2_MetricValue last, OTF2_MetricValue value)
{
    if (type == OTF2_TYPE_DOUBLE)
        return value.floating_point - last.floating_point;
    return (double)(int64_t)(value.unsigned_int - last.unsigned_int);
}

static void take(struct counting *c, enum counter counter, const struct metric_member *member,
                 OTF2_Type type, OTF2_MetricValue value, bool counts)
{
    bool is_sum = (member->mode & OTF2_METRIC_VALUE_MASK) == OTF2_METRIC_VALUE_ACCUMULATED;
    double gained =
        is_sum ? difference(type, c->last[counter], value) : defs_metric_value(type, value);
    c->last[counter] = value;
    c->is_there[counter] = true;
    if (counts)
        c->gained[counter] += gained;
}

void counting_take(struct counting *c, const struct counters *names, const struct report *r,
                   uint32_t class, uint8_t n, const OTF2_Type *types,
                   const OTF2_MetricValue *values, bool counts)
{
    const struct metric_class *of = &r->defs.classes.at[class];
    bool has_taken = false;
    for (uint32_t i = 0; i < n && i < of->n; i++) {
        uint32_t member = defs_member(&r->defs, of->members[i]);
        const struct metric_member *m = member == NIL ? NULL : &r->defs.members.at[member];
        const char *name = m ? defs_text(&r->defs, m->name) : "";
        for (unsigned k = 0; m && k < COUNTERS; k++)
            if (names->name[k] && !strcmp(names->name[k], name)) {
                take(c, (enum counter)k, m, types[i], values[i], counts);
                has_taken = true;
            }
    }
    if (!has_taken)
        return;
    c->is_unknown |= c->is_mixed && counts;
    c->is_mixed = false;
    c->has_just_read = true;
}
