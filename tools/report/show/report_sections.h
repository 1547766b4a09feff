/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of a report. Each table is a row of report_sections.c: the word of --by that asks for
 * the table, its key in JSON and CSV, its columns, and the function that fills the table.
 */
#ifndef TOOLS_REPORT_SECTIONS_H
#define TOOLS_REPORT_SECTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "tools/report/show/report_table.h"
#include "tools/report/topics/report.h"

/* The user's wishes for all tables. */
struct wish {
    const char *sort;   /* key of a column, NULL: the table's own order */
    size_t top;         /* rows, SIZE_MAX: all */
    bool is_brief;      /* only rows of interest */
    double min_percent; /* of regions and call paths */
    struct look look;
};

struct section {
    const char *group;
    const char *key;
    const char *title;
    const struct column *columns;
    const size_t *n_columns;
    void (*fill)(struct report *r, const struct wish *wish, struct table *t);
    const char *sort; /* key of a column; NULL: rows stay in their order */
    /* Text in addition to the table; NULL: no text. */
    void (*also)(struct report *r, const struct look *look, FILE *out);
    bool (*is_of_interest)(const struct report *r); /* shown without --by */
    const char *doc;
};

enum { SECTIONS_MAX = 48 };
extern const struct section sections[];
extern const size_t n_sections;

/* A table filled and sorted, but not cut. A --sort that the table does not have is ignored. */
struct table section_table(const struct section *section, struct report *r,
                           const struct wish *wish);

/* Functions that fill the tables, and their columns: report_show_*.c. */
#define SECTION_COLUMNS(name)                                                                      \
    extern const struct column columns_##name[];                                                   \
    extern const size_t n_columns_##name;                                                          \
    void fill_##name(struct report *r, const struct wish *wish, struct table *t);

SECTION_COLUMNS(crashes)
SECTION_COLUMNS(stands)
SECTION_COLUMNS(regions)
SECTION_COLUMNS(sites)
SECTION_COLUMNS(lines)
SECTION_COLUMNS(callpaths)
SECTION_COLUMNS(processes)
SECTION_COLUMNS(threads)
SECTION_COLUMNS(placement)
SECTION_COLUMNS(efficiency)
SECTION_COLUMNS(mpi_processes)
SECTION_COLUMNS(mpi_functions)
SECTION_COLUMNS(messages)
SECTION_COLUMNS(message_processes)
SECTION_COLUMNS(sizes)
SECTION_COLUMNS(collectives)
SECTION_COLUMNS(causes)
SECTION_COLUMNS(critical_regions)
SECTION_COLUMNS(critical_processes)
SECTION_COLUMNS(iterations)
SECTION_COLUMNS(parallel)
SECTION_COLUMNS(locks)
SECTION_COLUMNS(metrics)
SECTION_COLUMNS(files)
SECTION_COLUMNS(file_accesses)
SECTION_COLUMNS(file_sizes)
SECTION_COLUMNS(file_processes)
SECTION_COLUMNS(file_layers)
SECTION_COLUMNS(file_opens)
SECTION_COLUMNS(devices)
SECTION_COLUMNS(device_idle)
SECTION_COLUMNS(device_kernels)
SECTION_COLUMNS(device_copies)
SECTION_COLUMNS(memory)
SECTION_COLUMNS(memory_course)
SECTION_COLUMNS(memory_sites)
SECTION_COLUMNS(memory_paths)
SECTION_COLUMNS(cost)
#undef SECTION_COLUMNS

/* Processes with a known call stack at their crash, and the causes of their crashes. */
void crash_causes(struct report *r, const struct look *look, FILE *out);
bool has_crashed(const struct report *r);

/* Circles of locations that wait for each other. */
void deadlocks(struct report *r, const struct look *look, FILE *out);

/* Whether a stream of the device, a location group, is part of the tables. */
bool has_device(const struct report *r, uint32_t device);

/* Messages between few processes as matrices. */
void matrix_of_messages(struct report *r, const struct look *look, FILE *out);

/* In a report_show_*.c, behind the array of columns. */
#define COLUMNS_END(name)                                                                          \
    const size_t n_columns_##name = sizeof columns_##name / sizeof columns_##name[0];

/* A call site: name, file, line and function, for the columns of SITE_COLUMNS. */
void put_site(struct report *r, struct table *t, uint32_t index);
#define SITE_COLUMNS(what, unknown)                                                                \
    {"site", "site", UNIT_TEXT, EVERYWHERE,                                                        \
     "where the program " what ", as solver.c:118; without debug information the function; "       \
     "empty: " unknown},                                                                           \
        {"file", "", UNIT_TEXT, DATA_ONLY, "source file, as recorded"},                            \
    {                                                                                              \
        "line", "", UNIT_ID, DATA_ONLY, "line in the file; null: unknown"                          \
    }

static inline void put_ticks(struct report *r, struct table *t, uint64_t ticks)
{
    put_real(t, defs_seconds(&r->defs, ticks));
}

/* Two cells of a power: from 2^(power - 1) up to, and without, 2^power bytes; power 0: no bytes. */
static inline void put_power(struct table *t, uint32_t power)
{
    put_count(t, power ? UINT64_C(1) << (power - 1) : 0);
    if (power < 64)
        put_count(t, UINT64_C(1) << power);
    else
        put_nothing(t);
}

/* Waiting for messages: not known if calls that send or receive were left out. */
static inline void put_late(struct report *r, struct table *t, uint64_t ticks)
{
    if (r->gaps.has_all_messages)
        put_ticks(r, t, ticks);
    else
        put_nothing(t);
}

#endif
