/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A table of results. Its columns are data, so that a table can be written as text, CSV or JSON.
 * Rows are filled cell by cell, in the order of the columns.
 */
#ifndef TOOLS_REPORT_TABLE_H
#define TOOLS_REPORT_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/base/cells.h"
#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/map.h"
#include "tools/base/plain.h"

enum unit {
    UNIT_TEXT,
    UNIT_ID,
    UNIT_COUNT,
    UNIT_SECONDS,
    UNIT_BYTES,
    UNIT_RATE, /* bytes per second */
    UNIT_PERCENT,
    UNIT_NUMBER,
    UNIT_CHANGE, /* seconds, with their sign */
    UNIT_CHANGE_PERCENT,
};

/*
 * Output formats in which a column appears. In text, UNLESS_SAME: only if the column tells rows
 * apart; UNLESS_ZERO: only if a row has a value other than zero.
 */
enum shown { EVERYWHERE, UNLESS_SAME, UNLESS_ZERO, TEXT_ONLY, DATA_ONLY };

struct column {
    const char *key;     /* in CSV and JSON, and for --sort */
    const char *heading; /* in text */
    enum unit unit;
    enum shown shown;
    const char *doc;
};

/* A table as JSON, CSV and the documentation know it. */
struct table_form {
    const char *key;
    const char *doc;
    const struct column *columns;
    size_t n_columns;
};

/* In a struct table_form, an array of columns. */
#define COLUMNS(array) array, sizeof(array) / sizeof(array)[0]

struct table {
    const struct table_form *form;
    const struct column *columns; /* those of the form */
    size_t n_columns;
    const struct defs *defs; /* for ticks; NULL: the table has none */
    const struct wish *wish; /* of the user, see report_sections.h */
    LIST(struct cell) cells; /* WHOLE only in columns of UNIT_ID, UNIT_COUNT, UNIT_BYTES */
    size_t left_out;         /* rows, by table_cut */
};

/* ---- filling ---- */

/* The next cells of a table. A whole number in a column of seconds is a number of ticks. */
void table_add(struct table *t, const struct cell *cells);
#define ROW(t, ...) table_add((t), CELLS(__VA_ARGS__))

struct table table_of(const struct table_form *form);
size_t form_column(const struct table_form *form, const char *key); /* SIZE_MAX: none has the key */

size_t table_rows(const struct table *t);
const struct cell *table_cell(const struct table *t, size_t row, size_t column);
size_t table_column(const struct table *t, const char *key);

/* Sorts by a column: numbers from the greatest down, texts from A; equal rows keep their order. */
void table_sort(struct table *t, size_t column);

/* Keeps the first `n` rows. */
void table_cut(struct table *t, size_t n);

/* ---- showing ---- */

struct look {
    bool has_headings;
    bool has_color;
    size_t width; /* width of a line where names can be cut; SIZE_MAX: names are whole */
};

void table_text(const struct table *t, const struct look *look, FILE *out);
void table_csv(const struct table *t, bool has_headings, FILE *out);
void table_json(const struct table *t, FILE *out); /* an array of objects */

/* ---- single values ---- */

enum { VALUE_BYTES = 40 };

/* A number with a unit that is fit to read, in `text`; returns text. */
char *value_text(char text[VALUE_BYTES], enum unit unit, const struct cell *cell);
char *seconds_text(char *text, double seconds); /* without padding */
char *bytes_text(char text[VALUE_BYTES], uint64_t bytes);
char *count_text(char text[VALUE_BYTES], uint64_t count);

/* A text for people: characters that would control a terminal are replaced. */
void text_clean(const char *text, FILE *out);
size_t text_columns(const char *text); /* width of the text on a terminal */

/* Lines of `width` columns behind a mark; broken at blanks, but not between number and unit. */
void text_paragraph(const char *mark, const char *text, size_t width, FILE *out);

/*
 * A copy of a name in at most `columns`, to be freed. Parts are left out until the name fits, in
 * this order: arguments of templates, the innermost first; types of a function's arguments; outer
 * scopes; outer calls of a path; directories. If the name still does not fit, the middle is cut
 * out.
 */
char *text_fit(const char *text, size_t columns);

/* The same, but the text around byte `at` is kept, for names that differ only there. */
char *text_fit_around(const char *text, size_t columns, size_t at);

#endif
