/* SPDX-License-Identifier: BSD-3-Clause */
/* A database of SQLite: the tables, their indices, and views with names. */
#include "tools/export/export_output.h"

#ifdef SPUR_HAS_SQLITE
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "tools/export/export_tables.h"
#include "tools/export/export_text.h"

struct sqlite {
    struct tables tables;
    sqlite3 *base;
    sqlite3_stmt *insert[TABLES];
};

static const char *const settings = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                                    "PRAGMA cache_size = -65536; PRAGMA temp_store = FILE; BEGIN;";

static const char *const ends[] = {
    "CREATE INDEX call_by_place ON call (location, enter)",
    "CREATE INDEX call_by_region ON call (region)",
    "CREATE INDEX message_by_send ON message (send_call)",
    "CREATE INDEX message_by_receive ON message (receive_call)",
    "CREATE INDEX collective_by_call ON collective (call)",
    "CREATE INDEX sample_by_place ON sample (location, time)",
    "CREATE INDEX value_by_metric ON value (metric, location, time)",
    "CREATE INDEX event_by_name ON event (name)",
#define VIEW(name, doc, sql) "CREATE VIEW " #name " AS " sql,
#include "tools/export/export_views.def"
#undef VIEW
    "COMMIT",
};

_Noreturn static void give_up(struct export *x)
{
    const struct sqlite *s = x->state;
    fail("%s: %s", x->wish.output, s->base ? sqlite3_errmsg(s->base) : "no memory");
}

static void execute(struct export *x, const char *sql)
{
    const struct sqlite *s = x->state;
    if (sqlite3_exec(s->base, sql, NULL, NULL, NULL))
        give_up(x);
}

static bool bind(sqlite3_stmt *to, int at, const struct cell *cell)
{
    switch (cell->kind) {
    case NOTHING:
        return !sqlite3_bind_null(to, at);
    case WHOLE:
        return !sqlite3_bind_int64(to, at, cell->whole);
    case REAL:
        return !sqlite3_bind_double(to, at, cell->real);
    case TEXT:
        return !sqlite3_bind_text(to, at, text_clean(cell->text), -1, free);
    }
    return false;
}

static void sqlite_row(struct export *x, enum table table, const struct cell *cells, size_t n)
{
    const struct sqlite *s = x->state;
    sqlite3_stmt *insert = s->insert[table];
    for (size_t i = 0; i < n; i++)
        if (!bind(insert, (int)i + 1, &cells[i]))
            give_up(x);
    if (sqlite3_step(insert) != SQLITE_DONE || sqlite3_reset(insert))
        give_up(x);
}

/* Creates a table, and prepares what fills it. */
static void make_table(struct export *x, enum table table)
{
    struct sqlite *s = x->state;
    size_t n;
    const struct column *columns = table_columns(table, &n);
    char *create = make_text("CREATE TABLE \"%s\" (", table_names[table]);
    /* Two definitions of one number: the last one holds. */
    char *insert = make_text("INSERT OR REPLACE INTO \"%s\" VALUES (", table_names[table]);
    for (size_t i = 0; i < n; i++) {
        char *more =
            make_text("%s%s\"%s\" %s", create, i ? ", " : "", columns[i].name, columns[i].type);
        free(create);
        create = more;
        more = make_text("%s%s?", insert, i ? ", " : "");
        free(insert);
        insert = more;
    }
    char *whole = make_text("%s)", create);
    execute(x, whole);
    free(whole);
    free(create);
    whole = make_text("%s)", insert);
    if (sqlite3_prepare_v2(s->base, whole, -1, &s->insert[table], NULL))
        give_up(x);
    free(whole);
    free(insert);
}

static void sqlite_open(struct export *x)
{
    size_t room = 0;
    struct sqlite *s = list_grow(NULL, &room, 1, sizeof *s);
    s->tables.row = sqlite_row;
    x->state = s;
    output_open(x, false);
    if (sqlite3_open_v2(x->part, &s->base, SQLITE_OPEN_READWRITE, NULL))
        give_up(x);
    execute(x, settings);
    for (int i = 0; i < TABLES; i++)
        make_table(x, (enum table)i);
}

static void sqlite_close(struct export *x)
{
    struct sqlite *s = x->state;
    tables_definitions(x);
    for (int i = 0; i < TABLES; i++)
        sqlite3_finalize(s->insert[i]);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        execute(x, ends[i]);
    if (sqlite3_close(s->base))
        give_up(x);
    output_close(x);
}

const struct format format_sqlite = {
    .name = "sqlite",
    .help = "a database of the same tables, and views of them; what 'spur query' asks",
    .bytes = 50.0,
    .limit = 0x1p33,
    .is_file = true,
    .open = sqlite_open,
    TABLES_ARE_TOLD,
    .close = sqlite_close,
};
#endif
