/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur-query [OPTION]... ARCHIVE SQL: a question about an archive. It is asked of a database that
 * spur-export makes and that is kept beside the archive, or in the user's cache: what is asked once
 * is asked again, SQLite needs indices to join what is far apart in time, and a pass over the
 * archive for each table of a join would not end.
 *
 * Status: 0; 1 when the archive could not be read, or the question is wrong; 2 for wrong use.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "tools/base/archive_path.h"
#include "tools/base/say.h"
#include "tools/export/export_source.h"
#include "tools/query/query_print.h"

static struct {
    const struct query_form *form;
    const char *limit;
    bool is_path;
    bool is_anew;
} options;

static const char usage[] =
    "usage: spur query [OPTION]... ARCHIVE SQL\n"
    "\n"
    "Asks a question in SQL about ARCHIVE (a directory, or its .otf2 file), as\n"
    "\n"
    "  spur query DIR 'SELECT name, calls, self_s FROM regions ORDER BY self_s DESC'\n"
    "  spur query DIR 'SELECT rank, sum(wait_s) FROM waits GROUP BY rank'\n"
    "\n"
    "Views: calls, regions, messages, waits, samples, metrics. 'spur export --schema' has their\n"
    "columns and the tables behind them.\n"
    "\n"
    "      --csv         comma-separated values (default: tabs between them)\n"
    "      --json        an array of objects\n"
    "      --path        the name of the database, for other programs; no SQL\n"
    "      --rebuild     make the database anew\n"
    "      --limit SIZE  the most that it may take, as for 'spur export'\n"
    "  -h, --help        this text\n"
    "\n"
    "The first question makes the database: .NAME.sqlite beside NAME.otf2, or in\n"
    "~/.cache/spur where that cannot be written. It may be removed at any time.\n";

__attribute__((format(printf, 1, 2), noreturn)) static void fail(const char *format, ...)
{
    va_list va;
    fflush(stdout);
    va_start(va, format);
    vsay(format, va);
    va_end(va);
    exit(1);
}

__attribute__((noreturn)) static void wrong(const char *what, const char *word)
{
    say("%s%s; see 'spur query --help'", what, word);
    exit(2);
}

static void *there(void *memory)
{
    if (!memory)
        fail("no memory");
    return memory;
}

__attribute__((format(printf, 1, 2))) static char *format(const char *form, ...)
{
    char *text = NULL;
    va_list va;
    va_start(va, form);
    int n = vasprintf(&text, form, va);
    va_end(va);
    return there(n < 0 ? NULL : text);
}

/* ---- where the database lies ---- */

/* Of the whole path: two archives of one name must not meet. */
static unsigned long long digest(const char *text)
{
    unsigned long long hash = 0xcbf29ce484222325u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

static char *in_cache(const char *anchor)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    if ((!cache || cache[0] != '/') && !home)
        fail("%s: its directory cannot be written, and there is no HOME for the database", anchor);
    char *folder = cache && cache[0] == '/' ? format("%s", cache) : format("%s/.cache", home);
    char *whole = there(realpath(anchor, NULL));
    char *own = format("%s/spur", folder);
    mkdir(folder, 0700);
    mkdir(own, 0700);
    char *path = format("%s/%016llx.sqlite", own, digest(whole));
    free(whole);
    free(own);
    free(folder);
    return path;
}

static char *database_of(const char *anchor)
{
    const char *slash = strrchr(anchor, '/');
    const char *name = slash ? slash + 1 : anchor;
    int folder = (int)(name - anchor);
    const char *end = strrchr(name, '.');
    char *beside = folder ? format("%.*s", folder, anchor) : format(".");
    bool can_write = !access(beside, W_OK);
    free(beside);
    if (!can_write)
        return in_cache(anchor);
    return format("%.*s.%.*s.sqlite", folder, anchor,
                  (int)(end ? (size_t)(end - name) : strlen(name)), name);
}

/* ---- making it ---- */

static sqlite3 *open_database(const char *path)
{
    sqlite3 *base = NULL;
    if (sqlite3_open_v2(path, &base, SQLITE_OPEN_READONLY, NULL)) {
        sqlite3_close(base);
        return NULL;
    }
    return base;
}

/* What the database says about itself. NULL: nothing. */
static char *told(sqlite3 *base, const char *key)
{
    sqlite3_stmt *ask = NULL;
    char *value = NULL;
    if (!sqlite3_prepare_v2(base, "SELECT value FROM archive WHERE key = ?", -1, &ask, NULL) &&
        !sqlite3_bind_text(ask, 1, key, -1, SQLITE_STATIC) && sqlite3_step(ask) == SQLITE_ROW &&
        sqlite3_column_text(ask, 0))
        value = format("%s", (const char *)sqlite3_column_text(ask, 0));
    sqlite3_finalize(ask);
    return value;
}

/* One that was made of this archive as it is. */
static sqlite3 *fresh_database(const char *path, const char *anchor)
{
    sqlite3 *base = open_database(path);
    char *source = there(source_text(anchor));
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
    char *path = format("%.*s/spur-export", (int)(slash - self), self);
    free(self);
    return path;
}

static void make_database(const char *path, const char *anchor)
{
    char *program = exporter();
    char *words[] = {program,
                     format("--to"),
                     format("sqlite"),
                     format("-o"),
                     format("%s", path),
                     format("--limit"),
                     format("%s", options.limit ? options.limit : "8G"),
                     format("--"),
                     format("%s", anchor),
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
    /* Status 1 with a database: it was read as far as that could be done. */
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1 || access(path, F_OK))
        exit(1);
    for (size_t i = 0; words[i]; i++)
        free(words[i]);
}

static sqlite3 *database(const char *path, const char *anchor)
{
    sqlite3 *base = options.is_anew ? NULL : fresh_database(path, anchor);
    if (base) {
        char *trouble = told(base, "trouble");
        if (trouble)
            say("%s; exported as far as it could be read", trouble);
        free(trouble);
        return base;
    }
    make_database(path, anchor);
    base = fresh_database(path, anchor);
    if (!base)
        exit(1);
    return base;
}

/* ---- the question ---- */

static int ask(sqlite3 *base, const char *question)
{
    sqlite3_stmt *statement = NULL;
    const char *rest = "";
    if (sqlite3_prepare_v2(base, question, -1, &statement, &rest))
        fail("%s", sqlite3_errmsg(base));
    if (!statement)
        fail("there is no question");
    if (rest[strspn(rest, " \t\r\n;")])
        fail("one question at a time: what is '%s'?", rest);
    int status = query_print(statement, options.form, stdout);
    if (status != SQLITE_DONE)
        fail("%s", sqlite3_errmsg(base));
    sqlite3_finalize(statement);
    if (fflush(stdout) || ferror(stdout))
        fail("standard output: %s", strerror(errno));
    return 0;
}

static void read_options(int argc, char **argv)
{
    static const struct option longs[] = {{"csv", no_argument, NULL, 'c'},
                                          {"json", no_argument, NULL, 'j'},
                                          {"path", no_argument, NULL, 'p'},
                                          {"rebuild", no_argument, NULL, 'r'},
                                          {"limit", required_argument, NULL, 'l'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    opterr = 0;
    options.form = &query_tabs;
    for (;;) {
        int at = optind;
        int which = getopt_long(argc, argv, ":h", longs, NULL);
        if (which == -1)
            break;
        if (which == '?')
            wrong("unknown option ", argv[at]);
        if (which == ':')
            wrong("an option needs a value: ", argv[at]);
        if (which == 'h') {
            fputs(usage, stdout);
            exit(0);
        }
        if (which == 'c' || which == 'j')
            options.form = which == 'c' ? &query_csv : &query_json;
        if (which == 'l')
            options.limit = optarg;
        options.is_path |= which == 'p';
        options.is_anew |= which == 'r';
    }
}

int main(int argc, char **argv)
{
    read_options(argc, argv);
    if (optind + (options.is_path ? 1 : 2) != argc)
        wrong(options.is_path ? "--path needs one archive"
                              : "'spur query' needs an archive and a question",
              "");
    const char *anchor = archive_path(argv[optind]);
    if (!anchor)
        fail("no memory");
    if (access(anchor, R_OK))
        fail("%s: %s", anchor, errno == ENOENT ? "no such archive" : strerror(errno));
    char *path = database_of(anchor);
    sqlite3 *base = database(path, anchor);
    if (options.is_path)
        puts(path);
    else
        ask(base, argv[optind + 1]);
    sqlite3_close(base);
    free(path);
    return 0;
}
