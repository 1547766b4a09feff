/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur-check: the strict judge of OTF2 archives. The judge reads the files itself and shares with
 * the library's readers only the tables of records and the way into containers. So the judge
 * inherits neither the readers' tolerance nor the readers' mistakes.
 */
#include "tools/check/check.h"
#include "session/properties.h"
#include "tools/base/archive_path.h"
#include "tools/base/fail.h"
#include "tools/base/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct verdict v = {.limit = 10};
static struct {
    bool allows_unfinished, is_verbose;
    unsigned threads;
} options;

/* ---- the command line ---- */

static void disable(const char *name)
{
    enum rule rule = rule_find(name);
    if (rule == RULES)
        options_wrong("%s is no rule, see --list", name);
    v.is_disabled[rule] = true;
}

static void set_limit(const char *value)
{
    v.limit = options_number(value);
}

static void set_all(const char *value)
{
    (void)value;
    v.limit = 0;
}

static void show_markdown(void)
{
    rules_markdown(lost_may_explain);
}

static void set_strict(const char *value)
{
    (void)value;
    v.is_strict = v.shows_remarks = true;
}

static const struct option_row rows[] = {
    {"all", .take = set_all, .doc = "print all findings of a rule, not only the first ten"},
    {"limit", .argument = "N", .take = set_limit,
     .doc = "print at most N findings of a rule; 0: all"},
    {"remarks", .set = &v.shows_remarks, .doc = "also print remarks: what is unusual but legal"},
    {"strict", .take = set_strict, .doc = "also print remarks, and count them as faults"},
    {"own", .set = &v.is_own,
     .doc = "check as an archive that spur has recorded, whatever it says"},
    {"foreign", .set = &v.is_foreign, .doc = "check as an archive of another tool"},
    {"disable", .argument = "RULE", .take = disable,
     .doc = "skip a rule; may be given several times"},
    {"allow-unfinished", .set = &options.allows_unfinished,
     .doc = "accept pending requests and messages: the run was cut off"},
    {"json", .set = &v.is_json, .doc = "print the findings as one JSON object"},
    {"threads", .argument = "N", .threads = &options.threads,
     .doc = "use N threads (default: one for each processor that this process may use)"},
    {"quiet", .set = &v.is_quiet, .doc = "print nothing: only set the exit status"},
    {"verbose", .set = &options.is_verbose,
     .doc = "also print events per second, and what several workers have sent to each other"},
    {"list", .show = rules_list, .doc = "list the rules"},
    {"markdown", .show = show_markdown, .doc = "print the rules as docs/checks.md"},
};

static const struct command_line command = {
    .name = "spur check",
    .form = "[OPTION]... ARCHIVE",
    .about = "Checks an OTF2 archive: its anchor file, or the directory that holds traces.otf2.",
    OPTION_ROWS(rows),
    .more = "Exit status: 0: no fault; 1: faults; 2: wrong options, or no such archive.",
    .least = 1,
    .most = 1,
    .needs = "'spur check' needs one archive",
};

/* ---- the archive ---- */

static char *copy(const char *text, size_t n)
{
    char *made = take_memory(n + 16);
    memcpy(made, text, n);
    return made;
}

/* DIR/NAME.otf2 of the given archive; `dir` and `name` are new memory. */
static char *split(const char *archive, char **dir, char **name)
{
    const char *anchor = archive_path(archive);
    char *path = copy(anchor, strlen(anchor));
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    *dir = slash ? copy(path, (size_t)(slash - path)) : copy(".", 1);
    if (slash == path)
        (*dir)[0] = '/';
    *name = copy(base, dot ? (size_t)(dot - base) : strlen(base));
    return path;
}

static void judge_events(struct check *c)
{
    lost_begin(c);
    marks_begin(c);
    regions_prepare(c);
    memory_prepare(c);
    events_judge(c, options.threads, options.is_verbose);
    check_markers(c);
    check_thumbnails(c);
    regions_free(c);
    lost_finish(c);
}

static bool says(const struct check *c, const char *name)
{
    const struct otf2_property *property =
        otf2_property_find(c->anchor.properties, c->anchor.nproperties, name);
    return property && strcmp(property->value, "0") != 0;
}

/*
 * Calls left out by a filter are missing on one side, and may be present on the opposite side; the
 * same holds for a paused process, from the pause on.
 */
static void note_gaps(struct check *c)
{
    c->declares_pauses = says(c, SPUR_SAYS_PAUSED_PROCESSES);
    c->has_gaps = says(c, SPUR_SAYS_FILTERED_REGIONS);
}

/* Events say nothing without all of the definitions. */
static void judge(struct check *c, const char *path)
{
    if (!check_anchor(c, path))
        return;
    engine_ask_threads(options.threads);
    if (engine_has_ranks())
        engine_same(path, archive_digest(path));
    enums_prepare();
    definitions_read(c);
    if (c->is_cut)
        return;
    check_definitions(c);
    if (!containers_judge(c))
        return;
    locations_prepare(c);
    note_gaps(c);
    check_stray_files(c);
    judge_events(c);
}

/* CPU time, since further programs may use the processor too. */
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int run(const char *archive)
{
    struct check *c = take_memory(sizeof *c);
    char *dir;
    char *name;
    double begin = seconds();
    char *path = split(archive, &dir, &name);
    c->verdict = &v;
    c->dir = dir;
    c->name = name;
    c->allows_unfinished = options.allows_unfinished;
    c->definitions_name = make_text("%s.def", name);
    v.archive = archive;
    verdict_begin(&v);
    c->is_unreadable = archive_say_incomplete(archive);
    if (!c->is_unreadable)
        judge(c, path);
    struct summary sum = {c->n_events, c->n_locations, c->n_definitions,
                          options.is_verbose ? seconds() - begin : 0};
    v.is_quiet = v.is_quiet || c->is_unreadable;
    uint64_t faults = verdict_end(&v, &sum);
    int status = c->is_unreadable ? 2 : faults ? 1 : 0;
    locations_free(c);
    otf2_containers_free(c->containers);
    definitions_free(c);
    otf2_anchor_fini(&c->anchor);
    free(c->anchor_bytes);
    free(c->definitions_name);
    free(c);
    free(path);
    free(dir);
    free(name);
    return status;
}

int main(int argc, char **argv)
{
    (void)argc;
    fail_status = 2;
    engine_start();
    return run(options_read(&command, argv + 1)[0]);
}
