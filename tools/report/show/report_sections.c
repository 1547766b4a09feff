/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/show/report_sections.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS(name) columns_##name, &n_columns_##name, fill_##name

/* ---- what is worth a table ---- */

static bool always(const struct report *r)
{
    (void)r;
    return true;
}

static bool has_depth(const struct report *r)
{
    return r->sums.depth > 1;
}

static bool has_sites(const struct report *r)
{
    return r->sites.all.n != 0;
}

static bool has_lines(const struct report *r)
{
    return r->sites.lines.n != 0;
}

/* Who makes a call is known by stacks of calls. */
static void paths_missing(struct report *r, const struct look *look, FILE *out)
{
    (void)look;
    if (r->has_samples && !r->has_stacks)
        fputs("  Recorded calls have no call stacks here, only samples have them: --unwind 20\n"
              "  records the functions that make calls.\n",
              out);
}

static bool has_processes(const struct report *r)
{
    return r->sums.n_processes > 1;
}

static bool has_threads(const struct report *r)
{
    return r->sums.n_locations > r->sums.n_processes;
}

static bool has_contention(const struct report *r)
{
    return r->sums.waits[WAIT_LOCK] != 0;
}

static bool has_devices(const struct report *r)
{
    return r->devices.all.n != 0;
}

static bool has_memory(const struct report *r)
{
    return r->memory.all.n != 0;
}

static bool has_memory_sites(const struct report *r)
{
    return r->memory_sites.all.n != 0;
}

static bool has_memory_paths(const struct report *r)
{
    for (size_t i = 0; i < r->memory_sites.all.n; i++)
        if (r->memory_sites.all.at[i].path != NIL)
            return true;
    return false;
}

static bool never(const struct report *r)
{
    (void)r;
    return false;
}

static bool stand_somewhere(const struct report *r)
{
    return r->stands.all.n != 0;
}

const struct section sections[] = {
    {"crashes", "crashes", "Where it crashed", COLUMNS(crashes), NULL, crash_causes, has_crashed,
     "call stacks of the threads that processes died of"},
    {"stands", "stands", "Where everything stands", COLUMNS(stands), NULL, deadlocks,
     stand_somewhere, "what each thread was doing last, and for whom it waits"},
    {"region", "regions", "Regions", COLUMNS(regions), "self", NULL, always, "time by region"},
    {"sites", "sites", "Call sites", COLUMNS(sites), "time", NULL, has_sites,
     "calls by the place in the program that makes them"},
    {"lines", "lines", "Hot lines", COLUMNS(lines), "samples", NULL, has_lines,
     "lines of the program that samples found, outside of recorded calls"},
    {"callpath", "callpaths", "Call paths", COLUMNS(callpaths), NULL, paths_missing, has_depth,
     "time by call path; rows are sorted among those of one caller"},
    {"process", "processes", "Processes", COLUMNS(processes), NULL, NULL, has_processes,
     "time by process"},
    {"thread", "threads", "Threads", COLUMNS(threads), NULL, NULL, has_threads, "time by thread"},
    {"placement", "placement", "Placement", COLUMNS(placement), NULL, NULL, never,
     "where processes ran, and what they used: processors, page faults, memory"},
    {"mpi", "efficiency", "Efficiency of the ranks", COLUMNS(efficiency), NULL, NULL, always,
     "how well the ranks use the time between MPI_Init and MPI_Finalize"},
    {"mpi", "mpi_processes", "MPI by rank", COLUMNS(mpi_processes), NULL, NULL, always,
     "time in MPI, and waiting in it"},
    {"mpi", "mpi_functions", "MPI by function", COLUMNS(mpi_functions), "time", NULL, never,
     "time in MPI, and waiting in it"},
    {"messages", "messages", "Messages", COLUMNS(messages), "waiting", matrix_of_messages, always,
     "messages between two ranks, and who waited for whom"},
    {"messages", "message_processes", "Messages by rank", COLUMNS(message_processes), NULL, NULL,
     never, "messages of each rank"},
    {"sizes", "sizes", "Message sizes", COLUMNS(sizes), NULL, NULL, never,
     "messages and operations by size, in powers of two"},
    {"collectives", "collectives", "Collective operations", COLUMNS(collectives), "waiting", NULL,
     always, "by operation and communicator, with the ranks that were waited for"},
    {"causes", "causes", "Causes of waiting", COLUMNS(causes), "cost", NULL, never,
     "what made others wait: the processes and regions that took longer"},
    {"critical", "critical_regions", "Critical path by region", COLUMNS(critical_regions),
     "critical", NULL, never,
     "the critical path, on which the length of the run depends, by region"},
    {"critical", "critical_processes", "Critical path by process", COLUMNS(critical_processes),
     "critical", NULL, never,
     "the critical path, on which the length of the run depends, by process"},
    {"iterations", "iterations", "Iterations", COLUMNS(iterations), NULL, NULL, always,
     "loops of the program: how long their iterations take, and whether they get slower"},
    {"openmp", "parallel", "Parallel regions", COLUMNS(parallel), "time", NULL, always,
     "teams of threads: how busy they are"},
    {"locks", "locks", "Locks", COLUMNS(locks), "waiting", NULL, has_contention,
     "how long threads wait for each lock and hold it"},
    {"metrics", "metrics", "Metrics", COLUMNS(metrics), "metric", NULL, always,
     "metrics by region"},
    {"io", "files", "Files", COLUMNS(files), "time", NULL, always, "operations on files"},
    {"io", "file_accesses", "File accesses", COLUMNS(file_accesses), "time", NULL, never,
     "operations on files by process and call site, and whether they are sequential"},
    {"io", "file_sizes", "Sizes of file accesses", COLUMNS(file_sizes), NULL, NULL, never,
     "reads and writes by size, in powers of two"},
    {"io", "file_processes", "Files by process", COLUMNS(file_processes), "time", NULL, never,
     "time that processes spend in calls on files, and their bytes"},
    {"io", "file_layers", "Files by interface", COLUMNS(file_layers), NULL, NULL, never,
     "operations by interface, and which of them another interface has made"},
    {"io", "file_opens", "Waiting to open files", COLUMNS(file_opens), NULL, NULL, never,
     "who waits for whom while a file is opened"},
    {"devices", "devices", "Devices", COLUMNS(devices), NULL, NULL, has_devices,
     "what devices do, what they do at once, and how long they do nothing"},
    {"devices", "device_idle", "Idle devices", COLUMNS(device_idle), "idle", NULL, has_devices,
     "why devices do nothing between two works"},
    {"devices", "device_kernels", "Kernels", COLUMNS(device_kernels), "time", NULL, has_devices,
     "time of devices by kernel"},
    {"devices", "device_copies", "Copies of devices", COLUMNS(device_copies), "time", NULL,
     has_devices, "copies and fills by what the program asks for"},
    {"memory", "memory", "Memory", COLUMNS(memory), "peak", NULL, has_memory,
     "what processes hold of the heap, and have mapped: at the peak and at the end"},
    {"memory", "memory_course", "Memory over time", COLUMNS(memory_course), NULL, NULL, never,
     "what processes hold of the heap, and have mapped, over time"},
    {"memory", "memory_sites", "Memory by call site", COLUMNS(memory_sites), "at_peak", NULL,
     has_memory_sites, "where the program has taken the memory that it holds"},
    {"memory", "memory_paths", "Memory by call path", COLUMNS(memory_paths), "at_peak", NULL,
     has_memory_paths, "by which calls the program has taken the memory that it holds"},
    {"cost", "cost", "Cost of recording", COLUMNS(cost), "cost", NULL, never,
     "events, bytes and time that recording took, by region"},
};

const size_t n_sections = sizeof sections / sizeof sections[0];
_Static_assert(sizeof sections / sizeof sections[0] <= SECTIONS_MAX, "too many sections");

struct table section_table(const struct section *section, struct report *r, const struct wish *wish)
{
    struct table t = {.columns = section->columns, .n_columns = *section->n_columns};
    section->fill(r, wish, &t);
    /* First as it is without --sort, which decides between equal rows. A key that this table does
     * not have leaves it so. */
    if (section->sort)
        table_sort(&t, table_column(&t, section->sort));
    size_t column = wish->sort ? table_column(&t, wish->sort) : SIZE_MAX;
    if (column != SIZE_MAX && section->fill != fill_callpaths)
        table_sort(&t, column);
    return t;
}
