/* SPDX-License-Identifier: BSD-3-Clause */
/* Where processes ran, and what they used. */
#include "tools/base/placement.h"
#include "tools/report/show/report_sections.h"

const struct column columns_placement[] = {
    {"process", "process", UNIT_TEXT, EVERYWHERE, "rank, or name of the location group"},
    {"host", "host", UNIT_TEXT, UNLESS_SAME, "name of the host; empty: not known"},
    {"cores", "cores", UNIT_TEXT, EVERYWHERE,
     "numbers of the processors that its threads could run on, at flushes and at its end"},
    {"n_cores", "", UNIT_COUNT, DATA_ONLY, "how many these are"},
    {"at_start", "at start", UNIT_TEXT, UNLESS_SAME,
     "where it could run when it began to record; empty: the same"},
    {"seen", "seen on", UNIT_TEXT, EVERYWHERE, "processors on which it was seen"},
    {"numa_nodes", "NUMA", UNIT_TEXT, EVERYWHERE, "NUMA nodes on which it was seen"},
    {"peak_bytes", "memory", UNIT_BYTES, EVERYWHERE,
     "greatest resident memory of the process; null: not known"},
    {"migrations", "moves", UNIT_COUNT, EVERYWHERE,
     "how often its main thread was moved to another processor; null: not known"},
    {"voluntary", "waits", UNIT_COUNT, EVERYWHERE,
     "how often its threads gave up their processor to wait"},
    {"involuntary", "interrupted", UNIT_COUNT, EVERYWHERE,
     "how often the kernel gave the processor of its threads to others"},
    {"user", "user", UNIT_SECONDS, EVERYWHERE, "seconds of CPU time in user mode"},
    {"system", "system", UNIT_SECONDS, EVERYWHERE, "seconds of CPU time in the kernel"},
    {"minor_faults", "page faults", UNIT_COUNT, EVERYWHERE, "page faults without input"},
    {"major_faults", "from disk", UNIT_COUNT, EVERYWHERE, "page faults with input"},
};
COLUMNS_END(placement)

static void put_known(struct table *t, uint64_t number, uint64_t factor)
{
    if (number == PLACEMENT_UNKNOWN)
        put_nothing(t);
    else
        put_count(t, number * factor);
}

static void put_us(struct table *t, uint64_t us)
{
    if (us == PLACEMENT_UNKNOWN)
        put_nothing(t);
    else
        put_real(t, 1e-6 * (double)us);
}

void fill_placement(struct report *r, const struct wish *wish, struct table *t)
{
    enum { KIB = 1024 };
    (void)wish;
    for (uint32_t i = 0; i < r->defs.processes.n; i++) {
        if (!r->sums.processes.at[i].n_threads || !placement_is_known(&r->defs, i))
            continue;
        struct placement p = placement_of(&r->defs, i);
        put_text(t, defs_process_name(&r->defs, i));
        put_text(t, defs_text(&r->defs, r->defs.processes.at[i].node));
        put_text(t, copy_text(p.cores));
        if (p.n_cores)
            put_count(t, p.n_cores);
        else
            put_nothing(t);
        put_text(t, copy_text(p.at_start));
        put_text(t, copy_text(p.seen));
        put_text(t, copy_text(p.nodes));
        put_known(t, p.peak_kib, KIB);
        put_known(t, p.migrations, 1);
        put_known(t, p.count[SPUR_USAGE_VOLUNTARY], 1);
        put_known(t, p.count[SPUR_USAGE_INVOLUNTARY], 1);
        put_us(t, p.count[SPUR_USAGE_USER]);
        put_us(t, p.count[SPUR_USAGE_SYSTEM]);
        put_known(t, p.count[SPUR_USAGE_MINOR], 1);
        put_known(t, p.count[SPUR_USAGE_MAJOR], 1);
        placement_free(&p);
    }
}
