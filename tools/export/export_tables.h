/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of tables: what csv and sqlite have in common. */
#ifndef TOOLS_EXPORT_TABLES_H
#define TOOLS_EXPORT_TABLES_H

#include "tools/base/cells.h"
#include "tools/export/export_formats.h"

enum table {
#define TABLE(name, doc) TABLE_##name,
#define COLUMN(name, type, doc)
#include "tools/export/export_tables.def"
#undef TABLE
#undef COLUMN
    TABLES
};

extern const char *const table_names[TABLES];

struct column {
    enum table table;
    const char *name;
    const char *type;
    const char *doc;
};

/* The columns of a table. */
const struct column *table_columns(enum table table, size_t *n);

enum { COLUMNS_MAX = 16 };

/* What a format of tables keeps in x->state begins so. */
struct tables {
    void (*row)(struct export *x, enum table table, const struct cell *cells, size_t n);
};

void tables_end(struct export *x, const struct lane *lane, const struct call *call,
                const struct call *caller);
void tables_message(struct export *x, const struct message *message);
void tables_collective(struct export *x, const struct lane *lane, const struct collective *c);
void tables_sample(struct export *x, const struct lane *lane, const struct sample *sample);
void tables_metric(struct export *x, const struct lane *lane, const struct metric *metric);
void tables_point(struct export *x, const struct lane *lane, uint64_t time, const char *name);
void tables_definitions(struct export *x); /* after all of these */
void tables_found(struct export *x);       /* what spur report finds */

#define TABLES_ARE_TOLD                                                                            \
    .end = tables_end, .message = tables_message, .collective = tables_collective,                 \
    .sample = tables_sample, .metric = tables_metric, .point = tables_point,                       \
    .last = tables_definitions, .again = tables_found

bool tables_has(const char *name);
void tables_describe(FILE *out);

#endif
