/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur-check: the strict judge of OTF2 archives. It reads the files itself and shares with the
 * library's readers only the tables of records, so it neither inherits their tolerance nor their
 * mistakes.
 */
#include "tools/check/check.h"
#include "tools/base/archive_path.h"
#include "tools/base/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usage[] =
    "usage: spur check [options] ARCHIVE\n"
    "Judges an OTF2 archive: its anchor file, or the directory that holds traces.otf2.\n"
    "  --all                 all lines of a rule, not only the first ten\n"
    "  --limit N             so many lines of a rule; 0: all\n"
    "  --remarks             show remarks too: what is unusual but legal\n"
    "  --strict              the same, and remarks count as faults\n"
    "  --own                 judge as if spur had recorded it; --foreign: as any other\n"
    "  --disable RULE        pass over a rule; may be given several times\n"
    "  --allow-unfinished    the run was cut short: pending requests and messages are fine\n"
    "  --json                the findings as one JSON object\n"
    "  --quiet               no word, the exit status only\n"
    "  --verbose             with events per second\n"
    "  --list, --markdown    the rules\n"
    "Exit status: 0 no fault, 1 faults, 2 wrong use or no such archive.\n";

struct options {
    const char *archive;
    bool allows_unfinished, is_verbose, is_foreign;
};

/* ---- the command line ---- */

static bool set_rule(struct verdict *v, const char *name)
{
    enum rule rule = name ? rule_find(name) : RULES;
    if (rule == RULES) {
        say("check: %s is no rule, see --list", name ? name : "nothing");
        return false;
    }
    v->is_disabled[rule] = true;
    return true;
}

static bool set_limit(struct verdict *v, const char *text)
{
    char *end;
    v->limit = text ? strtoull(text, &end, 10) : 0;
    if (text && *text && !*end)
        return true;
    fputs("spur: check: --limit wants a number\n", stderr);
    return false;
}

/* Options that only set something. */
static bool set_flag(const char *word, struct options *o, struct verdict *v)
{
    bool is_foreign = strcmp(word, "--foreign") == 0;
    bool is_strict = strcmp(word, "--strict") == 0;
    const struct {
        const char *word;
        bool *flag;
    } flags[] = {{"--allow-unfinished", &o->allows_unfinished},
                 {"--json", &v->is_json},
                 {"--quiet", &v->is_quiet},
                 {"--remarks", &v->shows_remarks},
                 {"--strict", &v->shows_remarks},
                 {"--own", &v->is_own},
                 {"--verbose", &o->is_verbose},
                 {"--foreign", &o->is_foreign}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (strcmp(word, flags[i].word) != 0)
            continue;
        *flags[i].flag = true;
        v->is_strict = v->is_strict || is_strict;
        o->is_foreign = o->is_foreign || is_foreign;
        return true;
    }
    if (strcmp(word, "--all") == 0) {
        v->limit = 0;
        return true;
    }
    return false;
}

/* False: wrong use, which was reported. */
static bool parse(int argc, char **argv, struct options *o, struct verdict *v)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (set_flag(word, o, v))
            continue;
        if (strcmp(word, "--disable") == 0 || strcmp(word, "--limit") == 0) {
            if (!(word[2] == 'd' ? set_rule(v, next) : set_limit(v, next)))
                return false;
            i++;
        } else if (*word == '-' || o->archive) {
            (void)fprintf(stderr, "spur: check: what is %s?\n%s", word, usage);
            return false;
        } else {
            o->archive = word;
        }
    }
    if (!o->archive)
        fputs(usage, stderr);
    return o->archive;
}

/* ---- the archive ---- */

static char *copy(const char *text, size_t n)
{
    char *made = take(n + 16);
    memcpy(made, text, n);
    return made;
}

/* DIR/NAME.otf2 of what was given; the parts of it are new. */
static char *split(const char *archive, char **dir, char **name)
{
    const char *anchor = archive_path(archive);
    if (!anchor)
        anchor = archive;
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
    c->requests.node_bytes = 0;
    lost_begin(c);
    marks_begin(c);
    comms_begin(c);
    messages_begin(c);
    threads_begin(c);
    locks_begin(c);
    rma_begin(c);
    io_begin(c);
    events_read(c);
    messages_finish(c);
    requests_finish(c);
    collectives_finish(c);
    comms_finish(c);
    threads_finish(c);
    locks_finish(c);
    rma_finish(c);
    io_finish(c);
    check_snapshots(c);
    check_markers(c);
    check_thumbnails(c);
    lost_finish(c);
}

static bool says(const struct check *c, const char *name)
{
    const struct otf2_property *property =
        otf2_property_find(c->anchor.properties, c->anchor.nproperties, name);
    return property && strcmp(property->value, "0") != 0;
}

/*
 * Calls that a filter left out lack on one side, and need not on the other; so do those of a
 * process that was paused, from then on.
 */
static void note_gaps(struct check *c)
{
    c->declares_pauses = says(c, "SPUR::PAUSED_PROCESSES");
    if (!says(c, "SPUR::FILTERED_REGIONS"))
        return;
    c->has_gaps = true;
    for (size_t i = 0; i < c->n_locations; i++)
        if (c->locations[i].process)
            c->locations[i].process->has_gaps = true;
}

/* Events say nothing without all of the definitions. */
static void judge(struct check *c, const char *path)
{
    if (!check_anchor(c, path))
        return;
    definitions_read(c);
    if (c->is_cut)
        return;
    check_definitions(c);
    locations_prepare(c);
    note_gaps(c);
    check_stray_files(c);
    judge_events(c);
}

/* Of the processor: others may use it too. */
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int run(const struct options *o, struct verdict *v)
{
    struct check *c = take(sizeof *c);
    char *dir;
    char *name;
    double begin = seconds();
    char *path = split(o->archive, &dir, &name);
    c->verdict = v;
    c->dir = dir;
    c->name = name;
    c->allows_unfinished = o->allows_unfinished;
    c->definitions_name = take(strlen(name) + 8);
    (void)snprintf(c->definitions_name, strlen(name) + 8, "%s.def", name);
    v->archive = o->archive;
    verdict_begin(v);
    c->is_unreadable = archive_say_unfinished(o->archive);
    if (!c->is_unreadable)
        judge(c, path);
    struct summary sum = {c->n_events, c->n_locations, c->n_definitions,
                          o->is_verbose ? seconds() - begin : 0};
    v->is_quiet = v->is_quiet || c->is_unreadable;
    uint64_t faults = verdict_end(v, &sum);
    int status = c->is_unreadable ? 2 : faults ? 1 : 0;
    locations_free(c);
    definitions_free(c);
    otf2_anchor_fini(&c->anchor);
    free(c->anchor_bytes);
    free(c->definitions_name);
    free(c->scratch);
    free(c);
    free(path);
    free(dir);
    free(name);
    return status;
}

int main(int argc, char **argv)
{
    struct verdict v = {.limit = 10};
    struct options o = {0};
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        rules_list();
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--markdown") == 0) {
        rules_markdown(lost_may_explain);
        return 0;
    }
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(usage, stdout);
        return 0;
    }
    if (!parse(argc, argv, &o, &v))
        return 2;
    v.is_foreign = o.is_foreign;
    return run(&o, &v);
}
