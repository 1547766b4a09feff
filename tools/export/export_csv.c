/* SPDX-License-Identifier: BSD-3-Clause */
/* Comma-separated values: a file for each table, with the names of its columns first. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/plain.h"
#include "tools/base/stream_fault.h"
#include "tools/export/export_output.h"
#include "tools/export/export_tables.h"
#include "tools/export/export_text.h"

_Static_assert(TABLES <= (int)STREAMS_MAX, "a table has a stream");

struct csv {
    struct tables tables;
    FILE *files[TABLES]; /* NULL: not wanted */
};

static void put_text(FILE *out, const char *text)
{
    char *clean = text_valid(text);
    csv_text(clean, out);
    free(clean);
}

static void csv_row(struct export *x, enum table table, const struct cell *cells, size_t n)
{
    const struct csv *csv = x->state;
    FILE *out = csv->files[table];
    for (size_t i = 0; out && i < n; i++) {
        if (i)
            putc(',', out);
        switch (cells[i].kind) {
        case NOTHING:
        case CELLS_END:
            break;
        case WHOLE:
            fprintf(out, "%lld", (long long)cells[i].whole);
            break;
        case REAL:
            fprintf(out, "%.17g", cells[i].real);
            break;
        case TEXT:
            put_text(out, cells[i].text);
            break;
        }
    }
    if (out)
        putc('\n', out);
}

static void put_head(FILE *out, enum table table)
{
    size_t n;
    const struct column *columns = table_columns(table, &n);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s%s", i ? "," : "", columns[i].name);
    putc('\n', out);
}

static void csv_open(struct export *x)
{
    size_t room = 0;
    struct csv *csv = list_grow(NULL, &room, 1, sizeof *csv);
    csv->tables.row = csv_row;
    x->state = csv;
    if (x->wish.table)
        output_open(x, true);
    else
        output_open_directory(x, table_names, TABLES);
    for (int i = 0; i < TABLES; i++) {
        if (x->wish.table && strcmp(table_names[i], x->wish.table) != 0)
            continue;
        csv->files[i] = x->wish.table ? x->out : output_file(x, (size_t)i, table_names[i]);
        put_head(csv->files[i], (enum table)i);
    }
}

static void csv_close(struct export *x)
{
    const struct csv *csv = x->state;
    const char *fault;
    for (int i = 0; i < TABLES && !x->wish.table; i++)
        if ((fault = stream_end(csv->files[i])) != NULL)
            fail("%s: %s: %s", x->wish.output, table_names[i], fault);
    output_close(x);
}

const struct format format_csv = {
    .name = "csv",
    .help = "tables (--schema), a file each in the directory FILE",
    .bytes = 45.0,
    .limit = 0x1p33,
    .is_file = true,
    .is_text = true,
    .open = csv_open,
    .workers = 8,
    TABLES_ARE_TOLD,
    .close = csv_close,
};
