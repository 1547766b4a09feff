/* SPDX-License-Identifier: BSD-3-Clause */
/* Where processes ran, and what they used. */
#include "tools/base/placement.h"
#include "tools/report/show/report_sections.h"

static const struct column columns_placement[] = {
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

static struct cell seconds_of(uint64_t us)
{
    return us == PLACEMENT_UNKNOWN ? nothing : cell(1e-6 * (double)us);
}

static void fill_placement(struct report *r, struct table *t)
{
    enum { KIB = 1024 };
    for (uint32_t i = 0; i < r->defs.processes.n; i++) {
        if (!r->sums.processes.at[i].n_threads || !placement_is_known(&r->defs, i))
            continue;
        struct placement p = placement_of(&r->defs, i);
        ROW(t, defs_process_name(&r->defs, i), defs_text(&r->defs, r->defs.processes.at[i].node),
            copy_text(p.cores), cell_unless(p.n_cores, 0), copy_text(p.at_start), copy_text(p.seen),
            copy_text(p.nodes), p.peak_kib == PLACEMENT_UNKNOWN ? nothing : cell(p.peak_kib * KIB),
            cell_unless(p.migrations, PLACEMENT_UNKNOWN),
            cell_unless(p.count[SPUR_USAGE_VOLUNTARY], PLACEMENT_UNKNOWN),
            cell_unless(p.count[SPUR_USAGE_INVOLUNTARY], PLACEMENT_UNKNOWN),
            seconds_of(p.count[SPUR_USAGE_USER]), seconds_of(p.count[SPUR_USAGE_SYSTEM]),
            cell_unless(p.count[SPUR_USAGE_MINOR], PLACEMENT_UNKNOWN),
            cell_unless(p.count[SPUR_USAGE_MAJOR], PLACEMENT_UNKNOWN));
        placement_free(&p);
    }
}

SECTION(placement, "placement", "Placement",
        "where processes ran, and what they used: processors, page faults, memory",
        .is_only_by = true)
