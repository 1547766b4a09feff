/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of processes and threads. */
#include <math.h>

#include "format/names.h"
#include "tools/base/placement.h"
#include "tools/report/show/report_sections.h"

static const struct column columns_processes[] = {
    {"process", "process", UNIT_TEXT, EVERYWHERE, "rank, or name of the location group"},
    {"rank", "", UNIT_ID, DATA_ONLY, "rank in MPI_COMM_WORLD; null: none"},
    {"host", "host", UNIT_TEXT, UNLESS_SAME, "node of the system tree"},
    {"threads", "threads", UNIT_COUNT, UNLESS_SAME, "locations with events"},
    {"calls", "calls", UNIT_COUNT, EVERYWHERE, "calls of recorded regions"},
    {"wall", "wall", UNIT_SECONDS, EVERYWHERE, "seconds from the first event to the last"},
    {"time", "", UNIT_SECONDS, DATA_ONLY, "seconds of all its threads"},
    {"cpu", "CPU", UNIT_SECONDS, UNLESS_ZERO,
     "seconds of CPU time of all its threads; null: not known"},
    {"cpu_percent", "CPU %", UNIT_PERCENT, UNLESS_ZERO,
     "`cpu` in percent of `time`, at most 100: how long its threads had a processor; null: not "
     "known"},
    {"program_percent", "program %", UNIT_PERCENT, EVERYWHERE, "time outside of recorded regions"},
    {"blocked_percent", "blocked %", UNIT_PERCENT, UNLESS_ZERO,
     "time outside of recorded calls without CPU time; null: not sampled"},
    {"mpi_percent", "MPI %", UNIT_PERCENT, UNLESS_ZERO, "time in MPI; null: MPI calls are missing"},
    {"waiting_percent", "waiting %", UNIT_PERCENT, UNLESS_ZERO,
     "time spent waiting for other ranks or threads, or for a lock"},
    {"top", "most time in", UNIT_TEXT, EVERYWHERE, "region with the greatest `self`"},
    {"top_self", "", UNIT_SECONDS, DATA_ONLY, "`self` of that region"},
    {"not_recorded", "not recorded", UNIT_SECONDS, UNLESS_ZERO,
     "seconds of its threads with recording off; no other number except `wall` contains them"},
};

#define UNKNOWN UINT64_MAX

/* The percentages of a row, `other` of MPI or idling, and what takes most. */
static void put_spent(struct report *r, struct table *t, const struct spent *spent, uint64_t other)
{
    ROW(t, percent_of(spent->program, spent->total),
        spent->samples ? cell(percent_of(spent->blocked, spent->total)) : nothing,
        other == UNKNOWN ? NAN : percent_of(other, spent->total),
        percent_of(spent_waiting(spent), spent->total),
        spent->top == NIL ? "" : defs_region_name(&r->defs, spent->top), spent->top_self,
        spent->off);
}

static void put_cpu(struct report *r, struct table *t, uint32_t process)
{
    const struct spent *spent = &r->sums.processes.at[process];
    struct placement p = placement_of(&r->defs, process);
    double cpu = placement_cpu(&r->defs, &p);
    placement_free(&p);
    ROW(t, cpu > 0.0 ? cpu / (double)r->defs.clock.ticks_per_second : (double)NAN,
        cpu > 0.0 && spent->total ? fmin(100.0, 100.0 * cpu / (double)spent->total) : (double)NAN);
}

static void fill_processes(struct report *r, struct table *t)
{
    for (uint32_t i = 0; i < r->sums.processes.n; i++) {
        const struct spent *spent = &r->sums.processes.at[i];
        const struct process *p = &r->defs.processes.at[i];
        if (!spent->n_threads || p->is_device)
            continue;
        ROW(t, defs_process_name(&r->defs, i), cell_unless(p->rank, NIL),
            defs_text(&r->defs, p->node), spent->n_threads, spent->calls,
            spent->last - spent->first, spent->total);
        put_cpu(r, t, i);
        put_spent(r, t, spent, missing_mpi(r) ? UNKNOWN : spent->mpi);
    }
}

static bool has_processes(const struct report *r)
{
    return r->sums.n_processes > 1;
}

SECTION(processes, "process", "Processes", "time by process", .is_of_interest = has_processes)

static const struct column columns_threads[] = {
    {"location", "location", UNIT_ID, EVERYWHERE, "id of the location in the archive"},
    {"process", "process", UNIT_TEXT, UNLESS_SAME, "as in the table of processes"},
    {"thread", "thread", UNIT_TEXT, EVERYWHERE, "name of the location"},
    {"type", "", UNIT_TEXT, DATA_ONLY, "CPU_THREAD, ACCELERATOR_STREAM, ..."},
    {"calls", "calls", UNIT_COUNT, EVERYWHERE, "calls of recorded regions"},
    {"begin", "", UNIT_SECONDS, DATA_ONLY, "seconds from the archive's first event to its own"},
    {"time", "time", UNIT_SECONDS, EVERYWHERE, "seconds from its first event to its last"},
    {"program_percent", "program %", UNIT_PERCENT, EVERYWHERE, "time outside of recorded regions"},
    {"blocked_percent", "blocked %", UNIT_PERCENT, UNLESS_ZERO,
     "time outside of recorded calls without CPU time; null: not sampled"},
    {"idle_percent", "idle %", UNIT_PERCENT, UNLESS_ZERO, "time of a team member without work"},
    {"waiting_percent", "waiting %", UNIT_PERCENT, UNLESS_ZERO,
     "time spent waiting for other ranks or threads, or for a lock"},
    {"top", "most time in", UNIT_TEXT, EVERYWHERE, "region with the greatest `self`"},
    {"top_self", "", UNIT_SECONDS, DATA_ONLY, "`self` of that region"},
    {"not_recorded", "not recorded", UNIT_SECONDS, UNLESS_ZERO,
     "seconds with recording off; no other number contains them"},
};

static void fill_threads(struct report *r, struct table *t)
{
    for (uint32_t i = 0; i < r->defs.locations.n; i++) {
        const struct location *location = &r->defs.locations.at[i];
        const struct spent *spent = &r->sums.locations.at[i];
        const char *type = otf2_enum_name(OTF2_ENUM_LocationType, location->type);
        if (!r->is_selected[i] || !r->profile.streams[i].stack.n)
            continue;
        ROW(t, location->id, defs_process_name(&r->defs, location->process),
            defs_text(&r->defs, location->name), type ? type : "", spent->calls,
            spent->first - r->first, spent->last - spent->first - spent->off);
        put_spent(r, t, spent, spent->idle);
    }
}

static bool has_threads(const struct report *r)
{
    return r->sums.n_locations > r->sums.n_processes;
}

SECTION(threads, "thread", "Threads", "time by thread", .is_of_interest = has_threads)
