/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of a report. The file of a table has all of the table: its columns, the function that
 * fills the table, and a SECTION with the key in JSON and CSV and the word of --by. The order of
 * the tables stands in report_sections.def.
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

/* A table of the report, defined behind the function that fills the table: report_show_*.c. */
struct section {
    struct table_form form;
    const char *group; /* word of --by */
    const char *title;
    void (*fill)(struct report *r, struct table *t);
    const char *sort; /* key of a column; NULL: rows stay in their order */
    /* Text in addition to the table; NULL: no text. */
    void (*also)(struct report *r, const struct look *look, FILE *out);
    bool (*is_of_interest)(const struct report *r); /* shown without --by; NULL: always */
    bool is_only_by;                                /* never shown without --by */
};

#define SECTION(name, group_, title_, doc_, ...)                                                   \
    const struct section section_##name = {.form = {#name, doc_, COLUMNS(columns_##name)},         \
                                           .group = (group_),                                      \
                                           .title = (title_),                                      \
                                           .fill = fill_##name,                                    \
                                           __VA_ARGS__};

#define TABLE(name) extern const struct section section_##name;
#include "tools/report/show/report_sections.def"
#undef TABLE

enum { SECTIONS_MAX = 48 };
extern const struct section *const sections[];
extern const size_t n_sections;

/* Without --by. */
bool section_is_shown(const struct section *section, const struct report *r);

/* A table filled and sorted, but not cut. A --sort that the table does not have is ignored. */
struct table section_table(const struct section *section, struct report *r,
                           const struct wish *wish);

/* Whether a stream of the device, a location group, is part of the tables. */
bool has_device(const struct report *r, uint32_t device);

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

/* Two cells of a power: from 2^(power - 1) up to, and without, 2^power bytes; power 0: no bytes. */
static inline void put_power(struct table *t, uint32_t power)
{
    ROW(t, power ? UINT64_C(1) << (power - 1) : 0,
        power < 64 ? cell(UINT64_C(1) << power) : nothing);
}

/* Waiting for messages: not known if calls that send or receive were left out. */
static inline struct cell late(const struct report *r, uint64_t ticks)
{
    return r->gaps.has_all_messages ? cell(ticks) : nothing;
}

#endif
