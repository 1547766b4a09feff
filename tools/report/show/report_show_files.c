/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/causes/causes_opens.h"
#include "tools/report/show/report_sections.h"

/* How accesses go on from each other, of the columns that MOVES_COLUMNS makes. */
#define MOVES_COLUMNS                                                                              \
    {"small_percent", "small %", UNIT_PERCENT, UNLESS_ZERO,                                        \
     "accesses of under 4,096 bytes, in percent of those that moved a byte"},                      \
        {"sequential_percent", "sequential %", UNIT_PERCENT, EVERYWHERE,                           \
         "accesses that begin where the one before has ended, in percent of `judged`"},            \
        {"strided_percent", "strided %", UNIT_PERCENT, UNLESS_ZERO,                                \
         "others that are as far from the one before as that was from its own, likewise"},         \
        {"random_percent", "random %", UNIT_PERCENT, UNLESS_ZERO, "all others, likewise"},         \
        {"unaligned_percent", "unaligned %", UNIT_PERCENT, UNLESS_ZERO,                            \
         "accesses that begin at no multiple of 4,096, in percent of `placed`"},                   \
        {"judged", "", UNIT_COUNT, DATA_ONLY, "accesses of which it is known how they go on"},     \
    {                                                                                              \
        "placed", "", UNIT_COUNT, DATA_ONLY, "accesses whose place in the file is known"           \
    }

static void put_moves(struct table *t, const struct moves *m)
{
    uint64_t judged = m->sequential + m->strided + m->random;
    ROW(t, percent_of(m->small, m->moved), percent_of(m->sequential, judged),
        percent_of(m->strided, judged), percent_of(m->random, judged),
        percent_of(m->unaligned, m->placed), judged, m->placed);
}

/* Without bytes or time there is none. */
static void put_bandwidth(struct report *r, struct table *t, const struct moves *m)
{
    ROW(t,
        m->bytes && m->ticks ? (double)m->bytes / defs_seconds(&r->defs, m->ticks) : (double)NAN);
}

static const char *const kinds[] = {
    [ACCESS_READ] = "read",
    [ACCESS_WRITE] = "write",
    [ACCESS_OPEN] = "open",
    [ACCESS_OTHER] = "other",
};

static void put_file(struct report *r, struct table *t, uint32_t file)
{
    uint64_t handle = r->files.all.at[file].handle;
    ROW(t, defs_handle_file(&r->defs, handle), defs_handle_layer(&r->defs, handle));
}

/* ---- by file ---- */

static const struct column columns_files[] = {
    {"file", "file", UNIT_TEXT, EVERYWHERE, "name of the file, or of the handle"},
    {"layer", "by", UNIT_TEXT, EVERYWHERE, "interface: MPI-IO, POSIX I/O"},
    {"opens", "opened", UNIT_COUNT, UNLESS_ZERO, "how often"},
    {"reads", "reads", UNIT_COUNT, EVERYWHERE, "operations"},
    {"read_bytes", "read", UNIT_BYTES, EVERYWHERE, "bytes"},
    {"writes", "writes", UNIT_COUNT, EVERYWHERE, "operations"},
    {"written_bytes", "written", UNIT_BYTES, EVERYWHERE, "bytes"},
    {"mapped_bytes", "mapped", UNIT_BYTES, UNLESS_ZERO, "bytes that were mapped to memory"},
    {"others", "", UNIT_COUNT, DATA_ONLY, "seeks and flushes"},
    {"time", "time", UNIT_SECONDS, EVERYWHERE, "seconds from the begin of operations to their end"},
    {"longest", "longest", UNIT_SECONDS, EVERYWHERE, "longest operation"},
    {"bandwidth", "bandwidth", UNIT_RATE, EVERYWHERE,
     "bytes that were read and written, by the seconds of these operations"},
    {"processes", "processes", UNIT_COUNT, UNLESS_SAME, "how many use the file"},
    {"sharers", "sharers", UNIT_COUNT, UNLESS_ZERO,
     "those of them that write it in pieces of under 4,096 bytes, most of them strided"},
    MOVES_COLUMNS,
};

static void fill_files(struct report *r, struct table *t)
{
    struct file_sum *sums = files_sum(r);
    struct file_sharers *sharers = files_sharers(r);
    for (uint32_t i = 0; i < r->files.all.n; i++) {
        const struct file_sum *sum = &sums[i];
        put_file(r, t, i);
        ROW(t, sum->of[ACCESS_OPEN].n, sum->of[ACCESS_READ].n, sum->of[ACCESS_READ].bytes,
            sum->of[ACCESS_WRITE].n, sum->of[ACCESS_WRITE].bytes, sum->of[ACCESS_OPEN].bytes,
            sum->of[ACCESS_OTHER].n, sum->accesses.ticks + sum->of[ACCESS_OTHER].ticks,
            place_ticks(&r->files.all.at[i].longest));
        put_bandwidth(r, t, &sum->accesses);
        ROW(t, sum->n_processes, sharers[i].n);
        put_moves(t, &sum->accesses);
    }
    free(sharers);
    free(sums);
}

SECTION(files, "io", "Files", "operations on files", .sort = "time")

/* ---- rows of accesses, added up ---- */

/* `key` says what is one row: NIL and 0 where rows do not tell. Returns how many there are. */
static size_t add_up(const struct report *r, struct access *sums,
                     struct access (*key)(struct access))
{
    struct accesses a = {0};
    for (size_t i = 0; i < r->accesses.all.n; i++) {
        struct access like = key(r->accesses.all.at[i]);
        moves_add(&accesses_row(&a, &like)->moves, &r->accesses.all.at[i].moves);
    }
    for (size_t i = 0; i < a.all.n; i++)
        sums[i] = a.all.at[i];
    free(a.all.at);
    free(a.index_of.slots);
    return a.all.n;
}

static struct access *room_for_sums(const struct report *r)
{
    return take_memory((r->accesses.all.n + 1) * sizeof(struct access));
}

/* ---- by process and call site ---- */

static const struct column columns_file_accesses[] = {
    {"file", "file", UNIT_TEXT, EVERYWHERE, "as in the table `files`"},
    {"layer", "by", UNIT_TEXT, UNLESS_SAME, "interface"},
    {"process", "process", UNIT_TEXT, UNLESS_SAME, "who does it"},
    {"site", "at", UNIT_TEXT, UNLESS_SAME,
     "where the program makes the calls, as in the table `sites`; empty: not known"},
    {"kind", "kind", UNIT_TEXT, EVERYWHERE, "`read`, `write`, `open`, or `other`: seeks, flushes"},
    {"inside", "inside", UNIT_COUNT, UNLESS_ZERO,
     "1: in a call of another interface, as MPI-IO, which counts the bytes as well; else 0"},
    {"count", "count", UNIT_COUNT, EVERYWHERE, "how often"},
    {"bytes", "bytes", UNIT_BYTES, EVERYWHERE, "bytes that were moved"},
    {"time", "time", UNIT_SECONDS, EVERYWHERE,
     "seconds from the begin of operations to their end; of the calls that open; 0 for seeks"},
    {"bandwidth", "bandwidth", UNIT_RATE, EVERYWHERE, "`bytes` by `time`"},
    MOVES_COLUMNS,
};

static struct access of_all_sizes(struct access a)
{
    a.power = 0;
    return a;
}

static void fill_file_accesses(struct report *r, struct table *t)
{
    struct access *sums = room_for_sums(r);
    size_t n = add_up(r, sums, of_all_sizes);
    for (size_t i = 0; i < n; i++) {
        const struct access *a = &sums[i];
        put_file(r, t, a->file);
        ROW(t, defs_process_name(&r->defs, a->process), defs_site_name(&r->defs, a->site),
            kinds[a->kind], a->is_below, a->moves.n, a->moves.bytes, a->moves.ticks);
        put_bandwidth(r, t, &a->moves);
        put_moves(t, &a->moves);
    }
    free(sums);
}

SECTION(file_accesses, "io", "File accesses",
        "operations on files by process and call site, and whether they are sequential",
        .sort = "time", .is_only_by = true)

/* ---- by size ---- */

static const struct column columns_file_sizes[] = {
    {"file", "file", UNIT_TEXT, EVERYWHERE, "as in the table `files`"},
    {"layer", "by", UNIT_TEXT, UNLESS_SAME, "interface"},
    {"kind", "kind", UNIT_TEXT, EVERYWHERE, "`read` or `write`"},
    {"from_bytes", "from", UNIT_BYTES, EVERYWHERE, "least bytes of the row"},
    {"below_bytes", "below", UNIT_BYTES, EVERYWHERE, "the row has fewer bytes than that"},
    {"count", "count", UNIT_COUNT, EVERYWHERE, "operations that moved so many bytes"},
    {"bytes", "bytes", UNIT_BYTES, EVERYWHERE, "bytes that were moved"},
    {"time", "time", UNIT_SECONDS, EVERYWHERE, "seconds from the begin of operations to their end"},
};

static struct access of_all_processes(struct access a)
{
    a.process = a.site = NIL;
    a.is_below = false;
    return a;
}

static int by_size(const void *a, const void *b)
{
    const struct access *x = a;
    const struct access *y = b;
    ORDER(x->file, y->file);
    ORDER(x->kind, y->kind);
    return (x->power > y->power) - (x->power < y->power);
}

static void fill_file_sizes(struct report *r, struct table *t)
{
    struct access *sums = room_for_sums(r);
    size_t n = add_up(r, sums, of_all_processes);
    qsort(sums, n, sizeof *sums, by_size);
    for (size_t i = 0; i < n; i++) {
        const struct access *a = &sums[i];
        if (a->kind != ACCESS_READ && a->kind != ACCESS_WRITE)
            continue;
        put_file(r, t, a->file);
        ROW(t, kinds[a->kind]);
        put_power(t, a->power);
        ROW(t, a->moves.n, a->moves.bytes, a->moves.ticks);
    }
    free(sums);
}

SECTION(file_sizes, "io", "Sizes of file accesses", "reads and writes by size, in powers of two",
        .is_only_by = true)

/* ---- by process ---- */

static const struct column columns_file_processes[] = {
    {"process", "process", UNIT_TEXT, EVERYWHERE, "the process"},
    {"time", "time", UNIT_SECONDS, EVERYWHERE,
     "seconds in calls that work on files, without those that such calls make"},
    {"time_percent", "% of time", UNIT_PERCENT, EVERYWHERE,
     "`time` in percent of the time of the process"},
    {"calls", "calls", UNIT_COUNT, EVERYWHERE, "how many"},
    {"metadata_time", "metadata", UNIT_SECONDS, EVERYWHERE,
     "the part of `time` in calls that move no data: open, close, seek, delete"},
    {"metadata_calls", "calls", UNIT_COUNT, EVERYWHERE, "how many of `calls` are such"},
    {"metadata_rate", "a second", UNIT_NUMBER, EVERYWHERE,
     "`metadata_calls` by the seconds from the first event of the process to its last"},
    {"metadata_peak", "at most", UNIT_NUMBER, EVERYWHERE,
     "the most `metadata_calls` a second, in a tenth of a second, or in a 400th of the run if that "
     "is longer"},
    {"storm_rate", "storm", UNIT_NUMBER, UNLESS_ZERO,
     "`metadata_calls` a second in the storm with most of them: half a second or more with at "
     "least 1,000 a second"},
    {"storm_time", "for", UNIT_SECONDS, UNLESS_ZERO, "seconds from its first call to its last"},
    {"storm_begin", "from", UNIT_SECONDS, UNLESS_ZERO, "when that is: seconds since the beginning"},
    {"opens", "opened", UNIT_COUNT, EVERYWHERE, "files and handles that were opened"},
    {"read_bytes", "read", UNIT_BYTES, EVERYWHERE,
     "bytes, without what one interface does for another one"},
    {"written_bytes", "written", UNIT_BYTES, EVERYWHERE, "likewise"},
};

/* What the program itself has done: opens, reads and writes by process. */
static struct moves *own_moves(const struct report *r, size_t n_processes)
{
    struct moves *all = take_memory((n_processes + 1) * ACCESS_KINDS * sizeof *all);
    for (size_t i = 0; i < r->accesses.all.n; i++) {
        const struct access *a = &r->accesses.all.at[i];
        if (!a->is_below)
            moves_add(&all[a->process * ACCESS_KINDS + a->kind], &a->moves);
    }
    return all;
}

static void put_storm(struct report *r, struct table *t, const struct storm *storm)
{
    ROW(t, (double)storm->peak / storms_window_seconds(&r->defs),
        storm->calls ? storms_rate(&r->defs, storm) : 0.0, storm->end - storm->begin,
        storm->calls ? seconds_since_begin(r, storm->begin) : 0.0);
}

static void fill_file_processes(struct report *r, struct table *t)
{
    struct file_times *times = files_times(r);
    struct moves *all = own_moves(r, r->defs.processes.n);
    struct storm *storms = storms_find(&r->storms, &r->defs);
    for (uint32_t i = 0; i < r->defs.processes.n; i++) {
        const struct moves *own = &all[(size_t)i * ACCESS_KINDS];
        const struct spent *spent = &r->sums.processes.at[i];
        if (!times[i].calls)
            continue;
        double wall = defs_seconds(&r->defs, spent->last - spent->first);
        ROW(t, defs_process_name(&r->defs, i), times[i].ticks,
            percent_of(times[i].ticks, spent->total), times[i].calls, times[i].metadata_ticks,
            times[i].metadata_calls, (double)times[i].metadata_calls / wall);
        put_storm(r, t, &storms[i]);
        ROW(t, own[ACCESS_OPEN].n, own[ACCESS_READ].bytes, own[ACCESS_WRITE].bytes);
    }
    free(times);
    free(storms);
    free(all);
}

SECTION(file_processes, "io", "Files by process",
        "time that processes spend in calls on files, and their bytes", .sort = "time",
        .is_only_by = true)

/* ---- by interface ---- */

static const struct column columns_file_layers[] = {
    {"layer", "interface", UNIT_TEXT, EVERYWHERE, "its name"},
    {"inside", "for another one", UNIT_COUNT, UNLESS_ZERO,
     "1: what calls of another interface do by it, which count the same bytes; else 0"},
    {"opens", "opened", UNIT_COUNT, EVERYWHERE, "files and handles that were opened"},
    {"reads", "reads", UNIT_COUNT, EVERYWHERE, "operations"},
    {"read_bytes", "read", UNIT_BYTES, EVERYWHERE, "bytes"},
    {"writes", "writes", UNIT_COUNT, EVERYWHERE, "operations"},
    {"written_bytes", "written", UNIT_BYTES, EVERYWHERE, "bytes"},
    {"time", "time", UNIT_SECONDS, EVERYWHERE, "seconds from the begin of operations to their end"},
    {"time_percent", "% of time", UNIT_PERCENT, EVERYWHERE, "`time` in percent of all time"},
};

static void put_layer(struct report *r, struct table *t, const char *name, bool is_below)
{
    struct moves of[ACCESS_KINDS] = {{0}};
    bool is_there = false;
    for (size_t i = 0; i < r->accesses.all.n; i++) {
        const struct access *a = &r->accesses.all.at[i];
        if (a->is_below != is_below || strcmp(defs_handle_layer(&r->defs, a->handle), name) != 0)
            continue;
        moves_add(&of[a->kind], &a->moves);
        is_there = true;
    }
    if (!is_there)
        return;
    uint64_t ticks = of[ACCESS_READ].ticks + of[ACCESS_WRITE].ticks + of[ACCESS_OTHER].ticks;
    ROW(t, name, is_below, of[ACCESS_OPEN].n, of[ACCESS_READ].n, of[ACCESS_READ].bytes,
        of[ACCESS_WRITE].n, of[ACCESS_WRITE].bytes, ticks, percent_of(ticks, r->sums.total));
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Interfaces are few; files are not. */
static void fill_file_layers(struct report *r, struct table *t)
{
    struct map is_known = {0};
    LIST(const char *) names = {0};
    for (size_t i = 0; i < r->files.all.n; i++) {
        uint32_t handle = defs_handle(&r->defs, r->files.all.at[i].handle);
        uint32_t paradigm = handle == NIL ? NIL : r->defs.handles.at[handle].paradigm;
        if (map_find(&is_known, paradigm, 0) != NIL)
            continue;
        map_set(&is_known, paradigm, 0, 1);
        *LIST_ADD(&names) = defs_handle_layer(&r->defs, r->files.all.at[i].handle);
    }
    LIST_SORT(&names, by_name);
    for (size_t i = 0; i < names.n; i++)
        for (int is_below = 0; is_below < 2; is_below++)
            if (!i || strcmp(names.at[i], names.at[i - 1]) != 0)
                put_layer(r, t, names.at[i], is_below);
    free(is_known.slots);
    free(names.at);
}

SECTION(file_layers, "io", "Files by interface",
        "operations by interface, and which of them another interface has made", .is_only_by = true)

/* ---- waiting to open ---- */

static const struct column columns_file_opens[] = {
    {"file", "file", UNIT_TEXT, EVERYWHERE, "as in the table `files`"},
    {"layer", "by", UNIT_TEXT, UNLESS_SAME, "interface"},
    {"opens", "opened", UNIT_COUNT, EVERYWHERE, "openings that take 10 microseconds or more"},
    {"waits", "that wait", UNIT_COUNT, EVERYWHERE, "how many of these wait for others"},
    {"waited", "waiting", UNIT_SECONDS, EVERYWHERE, "seconds that they wait, of all threads"},
    {"longest", "longest", UNIT_SECONDS, EVERYWHERE, "longest wait"},
    {"who", "of", UNIT_TEXT, EVERYWHERE, "who waits so long"},
    {"site", "at", UNIT_TEXT, UNLESS_ZERO, "where that opens the file; empty: not known"},
    {"whom", "for", UNIT_TEXT, EVERYWHERE,
     "whom that waits for: who is first to have the file open, or the last to come where all "
     "members of a communicator open it"},
    {"whom_time", "takes", UNIT_SECONDS, EVERYWHERE, "seconds that the opening of `whom` takes"},
    {"why", "which", UNIT_TEXT, EVERYWHERE,
     "`opens`: openings are served one by one; `creates`: the first one creates the file; `comes "
     "last`: all have to come"},
};

static void fill_file_opens(struct report *r, struct table *t)
{
    size_t n;
    struct opens_wait *waits = opens_waits(r, &n);
    for (size_t i = 0; i < n; i++) {
        const struct opens_wait *w = &waits[i];
        const uint32_t who = w->longest.location - 1;
        const uint32_t whom = w->longest.other - 1;
        ROW(t, defs_handle_file(&r->defs, w->handle), defs_handle_layer(&r->defs, w->handle),
            w->openings, w->n, w->ticks, place_ticks(&w->longest), stands_name(r, who, NIL),
            defs_site_name(&r->defs, w->site), stands_name(r, whom, NIL), w->whom_ticks,
            w->is_collective ? "comes last"
            : w->is_creation ? "creates"
                             : "opens");
    }
    free(waits);
}

SECTION(file_opens, "io", "Waiting to open files", "who waits for whom while a file is opened",
        .is_only_by = true)
