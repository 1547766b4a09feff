/* SPDX-License-Identifier: BSD-3-Clause */
/* A database of SQLite: the tables, their indices, and views with names. */
#include "tools/export/export_output.h"

#ifdef SPUR_HAS_SQLITE
#include <sqlite3.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/part_file.h"
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
    "CREATE INDEX memory_by_place ON memory (location, time)",
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

/* A clean text belongs to a packed row, which lives until the row is inserted. */
static bool bind(sqlite3_stmt *to, int at, const struct cell *cell, bool is_clean)
{
    switch (cell->kind) {
    case NOTHING:
    case CELLS_END:
        return !sqlite3_bind_null(to, at);
    case WHOLE:
        return !sqlite3_bind_int64(to, at, (int64_t)cell->whole);
    case REAL:
        return !sqlite3_bind_double(to, at, cell->real);
    case TEXT:
        return is_clean ? !sqlite3_bind_text(to, at, cell->text, -1, SQLITE_STATIC)
                        : !sqlite3_bind_text(to, at, text_valid(cell->text), -1, free);
    }
    return false;
}

static void insert_row(struct export *x, enum table table, const struct cell *cells, size_t n,
                       bool is_clean)
{
    const struct sqlite *s = x->state;
    sqlite3_stmt *insert = s->insert[table];
    for (size_t i = 0; i < n; i++)
        if (!bind(insert, (int)i + 1, &cells[i], is_clean))
            give_up(x);
    if (sqlite3_step(insert) != SQLITE_DONE || sqlite3_reset(insert))
        give_up(x);
}

static void sqlite_row(struct export *x, enum table table, const struct cell *cells, size_t n)
{
    insert_row(x, table, cells, n, false);
}

/* ---- rows on their way from a share ---- */

struct packed_row {
    uint8_t table, n;
    uint8_t kinds[COLUMNS_MAX];
};

static void pack_row(struct export *x, enum table table, const struct cell *cells, size_t n)
{
    struct engine_bytes *to = &x->sinks[0].bytes;
    struct packed_row row = {.table = (uint8_t)table, .n = (uint8_t)n};
    for (size_t i = 0; i < n; i++)
        row.kinds[i] = (uint8_t)cells[i].kind;
    engine_add(to, &row, offsetof(struct packed_row, kinds) + n);
    for (size_t i = 0; i < n; i++) {
        if (cells[i].kind == WHOLE || cells[i].kind == REAL)
            engine_add(to, &cells[i].whole, sizeof cells[i].whole);
        if (cells[i].kind != TEXT)
            continue;
        char *clean = text_valid(cells[i].text);
        engine_add(to, clean, strlen(clean) + 1);
        free(clean);
    }
}

/* Where the next row begins. */
static const char *unpack_row(const char *at, struct packed_row *row, struct cell *cells)
{
    memcpy(row, at, offsetof(struct packed_row, kinds));
    at += offsetof(struct packed_row, kinds);
    memcpy(row->kinds, at, row->n);
    at += row->n;
    for (size_t i = 0; i < row->n; i++) {
        cells[i].kind = row->kinds[i];
        cells[i].text = at;
        if (cells[i].kind == TEXT)
            at += strlen(at) + 1;
        if (cells[i].kind != WHOLE && cells[i].kind != REAL)
            continue;
        memcpy(&cells[i].whole, at, sizeof cells[i].whole);
        at += sizeof cells[i].whole;
    }
    return at;
}

static void sqlite_put(struct export *x, const char *bytes, size_t n)
{
    struct packed_row row;
    struct cell cells[COLUMNS_MAX];
    for (const char *at = bytes; at < bytes + n;) {
        at = unpack_row(at, &row, cells);
        insert_row(x, row.table, cells, row.n, true);
    }
}

/* Creates a table, and prepares the statement that fills the table. */
static void make_table(struct export *x, enum table table)
{
    struct sqlite *s = x->state;
    size_t n;
    const struct column *columns = table_columns(table, &n);
    char *create = make_text("CREATE TABLE \"%s\" (", table_names[table]);
    /* Two definitions of the same number: the last definition holds. */
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
    s->tables.row = x->is_share ? pack_row : sqlite_row;
    x->state = s;
    output_open(x, false);
    if (x->is_share)
        return;
    /* A single thread uses the database: locks would be a good part of all time. */
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    if (sqlite3_open_v2(part_file_path(), &s->base, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                        NULL))
        give_up(x);
    execute(x, settings);
    for (int i = 0; i < TABLES; i++)
        make_table(x, (enum table)i);
}

/*
 * The cache limits the rows sorted at once for an index. Sorting is fastest if the processor's own
 * caches hold these rows. Threads can share the sorting; the resulting index is the same.
 */
static void begin_indices(struct export *x)
{
    char *set = make_text("PRAGMA cache_size = -4096; PRAGMA threads = %u", x->n_helpers);
    execute(x, set);
    free(set);
}

static void sqlite_close(struct export *x)
{
    struct sqlite *s = x->state;
    for (int i = 0; i < TABLES; i++)
        sqlite3_finalize(s->insert[i]);
    begin_indices(x);
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
    .is_slow_to_write = true,
    .workers = 3,
    .open = sqlite_open,
    TABLES_ARE_TOLD,
    .put = sqlite_put,
    .close = sqlite_close,
};
#endif
