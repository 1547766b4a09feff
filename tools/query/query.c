/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur-query [OPTION]... ARCHIVE SQL: a question about an archive. A database answers the question.
 * spur-export makes the database, and the database is kept beside the archive or in the user's
 * cache. Users ask more than once, and joins need indices: without indices a join would read the
 * archive once for each row.
 *
 * Status: 0; 1 when the archive could not be read, or the question is wrong; 2 for wrong use.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "tools/base/archive.h"
#include "tools/base/archive_path.h"
#include "tools/base/fail.h"
#include "tools/base/options.h"
#include "tools/base/quantity.h"
#include "tools/base/say.h"
#include "tools/engine/engine.h"
#include "tools/export/export_source.h"
#include "tools/query/query_print.h"

static struct {
    const struct query_form *form;
    const char *limit;
    const char *window; /* NULL: all */
    unsigned threads;
    bool is_path;
    bool is_anew;
} options = {.form = &query_tabs};

/* ---- where the database lies ---- */

static char *database_of(const char *anchor)
{
    const char *slash = strrchr(anchor, '/');
    char *folder = slash ? make_text("%.*s", (int)(slash - anchor + 1), anchor) : make_text(".");
    bool can_write = !access(folder, W_OK);
    free(folder);
    char *path = can_write ? archive_beside(anchor, "sqlite") : archive_in_cache(anchor, "sqlite");
    if (!path)
        fail("%s: its directory cannot be written, and there is no HOME for the database", anchor);
    return path;
}

/* ---- making the database ---- */

static sqlite3 *open_database(const char *path)
{
    sqlite3 *base = NULL;
    if (sqlite3_open_v2(path, &base, SQLITE_OPEN_READONLY, NULL)) {
        sqlite3_close(base);
        return NULL;
    }
    return base;
}

/* The text that answers a question about `key`. NULL: no answer. */
static char *answer(sqlite3 *base, const char *question, const char *key)
{
    sqlite3_stmt *ask = NULL;
    char *value = NULL;
    if (!sqlite3_prepare_v2(base, question, -1, &ask, NULL) &&
        !sqlite3_bind_text(ask, 1, key, -1, SQLITE_STATIC) && sqlite3_step(ask) == SQLITE_ROW &&
        sqlite3_column_text(ask, 0))
        value = make_text("%s", (const char *)sqlite3_column_text(ask, 0));
    sqlite3_finalize(ask);
    return value;
}

/* The database's own record of `key`. NULL: no record. */
static char *told(sqlite3 *base, const char *key)
{
    return answer(base, "SELECT value FROM archive WHERE key = ?", key);
}

/* A database made of the archive in the archive's present state; NULL: no such database. */
static sqlite3 *fresh_database(const char *path, const char *anchor)
{
    sqlite3 *base = open_database(path);
    char *source = there(source_text(anchor, options.window));
    char *of = base ? told(base, "source") : NULL;
    bool is_fresh = of && !strcmp(of, source);
    free(source);
    free(of);
    if (is_fresh)
        return base;
    sqlite3_close(base);
    return NULL;
}

static char *exporter(void)
{
    char *self = realpath("/proc/self/exe", NULL);
    char *slash = self ? strrchr(self, '/') : NULL;
    if (!slash)
        fail("/proc/self/exe: %s", strerror(errno));
    char *path = make_text("%.*s/spur-export", (int)(slash - self), self);
    free(self);
    return path;
}

static void make_database(const char *path, const char *anchor)
{
    struct stat st;
    /* An archive may be anybody's, and a link in the archive may lead away. */
    if (!lstat(path, &st) && S_ISLNK(st.st_mode))
        (void)unlink(path);
    char *program = exporter();
    char *words[] = {program,
                     make_text("--to"),
                     make_text("sqlite"),
                     make_text("-o"),
                     make_text("%s", path),
                     make_text("--limit"),
                     make_text("%s", options.limit ? options.limit : "8G"),
                     make_text("--time"),
                     make_text("%s", options.window ? options.window : "0.."),
                     make_text("%s", options.threads ? "--threads" : "--"),
                     options.threads ? make_text("%u", options.threads) : make_text("%s", anchor),
                     options.threads ? make_text("--") : NULL,
                     options.threads ? make_text("%s", anchor) : NULL,
                     NULL};
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        execv(program, words);
        say("%s: %s", program, strerror(errno));
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (child < 0)
        fail("fork: %s", strerror(errno));
    /* Status 1 with a database: the archive was read as far as possible. */
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1 || access(path, F_OK))
        exit(1);
    for (size_t i = 0; words[i]; i++)
        free(words[i]);
}

static sqlite3 *database(const char *path, const char *anchor, bool *is_whole)
{
    sqlite3 *base = options.is_anew ? NULL : fresh_database(path, anchor);
    bool is_new = !base;
    if (is_new) {
        make_database(path, anchor);
        base = fresh_database(path, anchor);
    }
    if (!base)
        exit(1);
    char *trouble = told(base, "trouble");
    if (trouble && !is_new) /* the maker of the database has reported the trouble */
        archive_say_part(anchor, trouble, "exported");
    *is_whole = !trouble;
    free(trouble);
    return base;
}

/* ---- the question ---- */

/* Ends with the fault of a question, and the names of the tables and views. */
_Noreturn static void fail_at(sqlite3 *base)
{
    char *why = copy_text(sqlite3_errmsg(base));
    char *views = answer(base,
                         "SELECT group_concat(name, ', ') FROM (SELECT name FROM sqlite_schema "
                         "WHERE type IN ('table', 'view') AND name <> ? ORDER BY name)",
                         "archive");
    fail("%s; there are %s; 'spur export --schema' lists their columns", why,
         views ? views : "no tables");
}

static int ask(sqlite3 *base, const char *question)
{
    sqlite3_stmt *statement = NULL;
    const char *rest = "";
    if (sqlite3_prepare_v2(base, question, -1, &statement, &rest))
        fail_at(base);
    if (!statement)
        fail("the question is empty");
    if (rest[strspn(rest, " \t\r\n;")])
        fail("one question at a time: remove '%s'", rest);
    int status = query_print(statement, options.form, stdout);
    if (status != SQLITE_DONE)
        fail("%s", sqlite3_errmsg(base));
    sqlite3_finalize(statement);
    return 0;
}

static void set_form(const char *value)
{
    (void)value;
    options.form = options_row()->name[0] == 'c' ? &query_csv : &query_json;
}

static void set_window(const char *value)
{
    double from, to;
    if (!quantity_window(value, &from, &to))
        options_wrong("--time wants FROM..TO, as in 1.5..2 or 20ms..21ms, not '%s'", value);
    options.window = value;
}

static const struct option_row rows[] = {
    {"csv", .take = set_form,
     .doc = "print comma-separated values (default: tabs between columns)"},
    {"json", .take = set_form, .doc = "print an array of objects"},
    {"path", .set = &options.is_path,
     .doc = "print the name of the database for other programs; needs no SQL"},
    {"rebuild", .set = &options.is_anew, .doc = "make the database again"},
    {"threads", .argument = "N", .threads = &options.threads,
     .doc = "make the database by N threads, as in 'spur export'"},
    {"time", .argument = "FROM..TO", .take = set_window,
     .doc = "ask about this window of time, as in 'spur export': 1.5..2 (s), 20ms.."},
    {"limit", .argument = "SIZE", .text = &options.limit,
     .doc = "limit the size of the database, as in 'spur export'"},
};

static const struct command_line command = {
    .name = "spur query",
    .form = "[OPTION]... ARCHIVE SQL",
    .about = "Asks a question in SQL about ARCHIVE (a directory, or its .otf2 file):\n"
             "\n"
             "  spur query DIR 'SELECT name, calls, self_s FROM regions ORDER BY self_s DESC'\n"
             "  spur query DIR 'SELECT rank, sum(wait_s) FROM waits GROUP BY rank'\n"
             "\n"
             "Views: calls, call_sites, regions, messages, waits, lock_waits, counted_locks,\n"
             "barrier_waits, operations, blocks, memories, samples, metrics.\n"
             "'spur export --schema' has their columns and the tables behind them.",
    OPTION_ROWS(rows),
    .more = "The first question makes the database: .NAME.sqlite beside NAME.otf2, or in\n"
            "~/.cache/spur if spur cannot write there. You can remove the database at any time.",
    .least = 1,
    .most = 2,
    .needs = "'spur query' needs an archive and a question",
};

int main(int argc, char **argv)
{
    (void)argc;
    engine_start();
    char **words = options_read(&command, argv + 1);
    if (options.is_path == (words[1] != NULL))
        options_wrong("%s", options.is_path ? "--path needs one archive" : command.needs);
    engine_leave();
    const char *anchor = archive_anchor(words[0]);
    char *path = database_of(anchor);
    bool is_whole = true;
    sqlite3 *base = database(path, anchor, &is_whole);
    if (options.is_path)
        puts(path);
    else
        ask(base, words[1]);
    sqlite3_close(base);
    free(path);
    return is_whole ? 0 : fail_status;
}
