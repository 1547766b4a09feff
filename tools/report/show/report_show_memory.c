/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of the memory that processes hold. */
#include <limits.h>
#include <stdlib.h>

#include "tools/report/iterations/iterations.h"
#include "tools/report/show/report_sections.h"

static const struct column columns_memory[] = {
    {"process", "process", UNIT_TEXT, EVERYWHERE, "the process"},
    {"peak", "peak", UNIT_BYTES, EVERYWHERE, "the most that it held of the heap at once"},
    {"peak_at", "at", UNIT_SECONDS, EVERYWHERE,
     "seconds since the beginning: the first record with this peak"},
    {"end", "at the end", UNIT_BYTES, EVERYWHERE, "what it held when it ended"},
    {"mapped_peak", "mapped", UNIT_BYTES, UNLESS_ZERO,
     "the most that it had mapped by itself at once, past the allocator of the heap"},
    {"mapped_end", "at the end", UNIT_BYTES, UNLESS_ZERO, "what of that it had when it ended"},
    {"growth", "growth", UNIT_BYTES, UNLESS_ZERO,
     "growth of both in the second half of the run, if they grow steadily until the run ends; "
     "else 0"},
    {"each", "an iteration", UNIT_BYTES, UNLESS_ZERO,
     "growth with each iteration of the outermost loop with which its memory grows all the time; "
     "else 0"},
    {"records", "", UNIT_COUNT, DATA_ONLY, "number of values"},
};

static void fill_memory(struct report *r, struct table *t)
{
    for (size_t i = 0; i < r->memory.all.n; i++) {
        const struct holding *held = &r->memory.all.at[i];
        double each;
        ROW(t, defs_process_name(&r->defs, held->process), held->peak,
            seconds_since_begin(r, held->peak_at), held->heap, held->mapped_peak, held->mapped,
            memory_growth(held).bytes,
            (uint64_t)(iterations_of_memory(r, held, &each) ? each + 0.5 : 0.0), held->records);
    }
}

static bool has_memory(const struct report *r)
{
    return r->memory.all.n != 0;
}

SECTION(memory, "memory", "Memory",
        "what processes hold of the heap, and have mapped: at the peak and at the end",
        .sort = "peak", .is_of_interest = has_memory)

static const struct column columns_memory_course[] = {
    {"from", "from", UNIT_SECONDS, EVERYWHERE,
     "seconds since the beginning; the run has 20 such slices"},
    {"held", "held", UNIT_BYTES, EVERYWHERE,
     "the most that each process held in the slice, of the heap and mapped, sum of all processes"},
    {"most", "most", UNIT_BYTES, EVERYWHERE, "the same of the process that held most"},
    {"process", "process", UNIT_TEXT, EVERYWHERE, "that process"},
};

static void fill_memory_course(struct report *r, struct table *t)
{
    for (uint32_t slice = 0; slice < MEMORY_SLICES && r->memory.all.n; slice++) {
        const struct holding *most = &r->memory.all.at[0];
        uint64_t sum = 0;
        for (size_t i = 0; i < r->memory.all.n; i++) {
            const struct holding *held = &r->memory.all.at[i];
            sum += held->most[slice];
            most = held->most[slice] > most->most[slice] ? held : most;
        }
        ROW(t, seconds_since_begin(r, memory_slice_begin(r, slice)), sum, most->most[slice],
            defs_process_name(&r->defs, most->process));
    }
}

SECTION(memory_course, "memory", "Memory over time",
        "what processes hold of the heap, and have mapped, over time", .is_only_by = true)

#define HELD_COLUMNS                                                                               \
    {"at_peak", "at the peak", UNIT_BYTES, EVERYWHERE,                                             \
     "what was held of it when each process held most, sum of all processes"},                     \
        {"most", "at most", UNIT_BYTES, EVERYWHERE,                                                \
         "the most that each process held of it at once, sum of all processes"},                   \
        {"end", "at the end", UNIT_BYTES, EVERYWHERE,                                              \
         "what was held of it when the processes ended"},                                          \
        {"growth", "growth", UNIT_BYTES, UNLESS_ZERO,                                              \
         "growth in the second half of the run, sum of all processes"},                            \
        {"taken", "taken", UNIT_BYTES, EVERYWHERE, "all that was taken"},                          \
        {"blocks", "recorded", UNIT_COUNT, EVERYWHERE, "number of blocks that were recorded"},     \
    {                                                                                              \
        "samples", "samples", UNIT_COUNT, UNLESS_ZERO,                                             \
            "how many of them are samples, each of which stands for many blocks: then the bytes "  \
            "are estimates"                                                                        \
    }

static void put_held(struct table *t, const struct memory_site *sum)
{
    ROW(t, sum->at_peak, sum->most, sum->held, sum->growth, sum->taken, sum->blocks, sum->samples);
}

/* All processes together, by site or by path. `sums` has room for all; returns how many. */
static size_t sum_up(const struct report *r, bool is_by_path, struct memory_site *sums)
{
    struct map index_of = {0};
    size_t n = 0;
    for (size_t i = 0; i < r->memory_sites.all.n; i++) {
        const struct memory_site *row = &r->memory_sites.all.at[i];
        if ((row->path != NIL) != is_by_path)
            continue;
        uint32_t at = map_index(&index_of, row->site, row->path, n);
        if (at == n)
            sums[n++] = (struct memory_site){.site = row->site, .path = row->path};
        sums[at].at_peak += row->at_peak;
        sums[at].most += row->most;
        sums[at].held += row->held;
        sums[at].growth += row->growth;
        sums[at].taken += row->taken;
        sums[at].blocks += row->blocks;
        sums[at].samples += row->samples;
    }
    free(index_of.slots);
    return n;
}

static const struct column columns_memory_sites[] = {
    SITE_COLUMNS("takes the memory", "not known"),
    {"function", "in", UNIT_TEXT, EVERYWHERE, "the function that takes it"},
    HELD_COLUMNS,
};

static void fill_memory_sites(struct report *r, struct table *t)
{
    struct memory_site *sums = take_memory((r->memory_sites.all.n + 1) * sizeof *sums);
    size_t n = sum_up(r, false, sums);
    for (size_t i = 0; i < n; i++) {
        put_site(r, t, sums[i].site);
        put_held(t, &sums[i]);
    }
    free(sums);
}

static bool has_memory_sites(const struct report *r)
{
    return r->memory_sites.all.n != 0;
}

SECTION(memory_sites, "memory", "Memory by call site",
        "where the program has taken the memory that it holds", .sort = "at_peak",
        .is_of_interest = has_memory_sites)

static const struct column columns_memory_paths[] = {
    {"shown", "call path", UNIT_TEXT, TEXT_ONLY,
     "the path of calls that takes the memory, at most four frames of it"},
    {"callpath", "", UNIT_TEXT, DATA_ONLY,
     "the functions with their lines from the outermost on, separated by `>`"},
    HELD_COLUMNS,
};

static void fill_memory_paths(struct report *r, struct table *t)
{
    enum { SHOWN = 4 };
    struct memory_site *sums = take_memory((r->memory_sites.all.n + 1) * sizeof *sums);
    size_t n = sum_up(r, true, sums);
    for (size_t i = 0; i < n; i++) {
        ROW(t, defs_path_name(&r->defs, sums[i].path, SHOWN),
            defs_path_name(&r->defs, sums[i].path, UINT_MAX));
        put_held(t, &sums[i]);
    }
    free(sums);
}

static bool has_memory_paths(const struct report *r)
{
    for (size_t i = 0; i < r->memory_sites.all.n; i++)
        if (r->memory_sites.all.at[i].path != NIL)
            return true;
    return false;
}

SECTION(memory_paths, "memory", "Memory by call path",
        "by which calls the program has taken the memory that it holds", .sort = "at_peak",
        .is_of_interest = has_memory_paths)
