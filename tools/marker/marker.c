/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur marker: shows and edits the markers of an archive. An operation is a row of `operations`;
 * options, output and written files are identical to the options, output and files of otf2-marker.
 */
#include "tools/marker/marker.h"
#include "tools/base/archive_path.h"
#include "tools/base/complaint.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/names.h"

#define LENGTH(table) (sizeof(table) / sizeof(table)[0])

static const struct command_line command = {
    .name = PROGRAM,
    .form = "[OPTION [ARGUMENT]...] ANCHORFILE",
    .about = "Shows or edits the markers of an archive (its .otf2 file, or its directory): "
             "remarks\n"
             "about spans of time. A marker has a category, and a category has a group. Without an "
             "option\n"
             "all markers are shown.\n"
             "\n"
             "  --def GROUP [CATEGORY]         show the markers of a group, or of one of its "
             "categories\n"
             "  --defs-only                    show the categories without their markers\n"
             "  --add-def GROUP CATEGORY SEVERITY\n"
             "                                 add a category\n"
             "  --add GROUP CATEGORY TIME SCOPE TEXT\n"
             "                                 add a marker to a category\n"
             "  --remove-def GROUP [CATEGORY]  remove categories with their markers\n"
             "  --clear-def GROUP [CATEGORY]   remove their markers, keep the categories\n"
             "  --reset                        remove everything",
    .more =
        "  SEVERITY  NONE, LOW, MEDIUM or HIGH\n"
        "  TIME      TIME, START-END or TIME+DURATION in ticks of the trace's clock, within the\n"
        "            trace; `spur print -G` shows the trace's time as CLOCK_PROPERTIES\n"
        "  SCOPE     GLOBAL, LOCATION:ID, LOCATION_GROUP:ID, SYSTEM_TREE_NODE:ID, COMM:ID or\n"
        "            GROUP:ID, of a definition in the archive; a group must be one of locations\n"
        "\n"
        "The exit status is 1 after an error; then the archive is unchanged.",
    .least = 1,
    .most = INT_MAX,
    .needs = "missing argument",
    .is_otf2 = true,
    .ends_at_unknown = true, /* each operation takes words in its own way */
};

/* The data of the chosen operation. */
struct job {
    char **arguments;
    int narguments;
    struct markers markers;
    const struct places *places;
    OTF2_MarkerSeverity severity; /* for --add-def */
    struct marker marker;         /* for --add */
};

/* ---- the meaning of a word of the command line ---- */

static uint64_t read_number(const char *text, const char *what)
{
    char *name = make_text("<%s>", what);
    uint64_t number = options_otf2_number(text, name, name);
    free(name);
    return number;
}

/* TIME, TIME+DURATION or START-END. */
static void read_time(char *text, struct marker *marker)
{
    char *plus = strchr(text, '+');
    char *minus = plus ? NULL : strchr(text, '-');
    char *second = plus ? plus : minus;
    if (second)
        *second++ = '\0';
    marker->timestamp = read_number(text, minus ? "TIMESTAMP-START" : "TIMESTAMP");
    if (plus)
        marker->duration = read_number(second, "DURATION");
    if (!minus)
        return;
    uint64_t end = read_number(second, "TIMESTAMP-END");
    if (end < marker->timestamp)
        options_wrong("invalid <TIMESTAMP-END> argument: %s", second);
    marker->duration = end - marker->timestamp;
}

/* Names of values are understood in capital and in small letters, not in both. */
static bool is_name(const char *name, const char *text, size_t length)
{
    bool is_capital = strlen(name) == length;
    bool is_small = is_capital;
    for (size_t i = 0; i < length && (is_capital || is_small); i++) {
        bool is_letter = name[i] >= 'A' && name[i] <= 'Z';
        is_capital &= text[i] == name[i];
        is_small &= text[i] == (is_letter ? name[i] | ' ' : name[i]);
    }
    return is_capital || is_small;
}

static const struct otf2_enum_value *find_value(enum otf2_enum which, const char *text,
                                                size_t length)
{
    const struct otf2_enum_info *info = &otf2_enums[which];
    for (size_t i = 0; i < info->nvalues; i++)
        if (info->values[i].printed && is_name(info->values[i].printed, text, length))
            return &info->values[i];
    return NULL;
}

/* GLOBAL, or SCOPE:ID. */
static void read_scope(const char *text, struct marker *marker)
{
    size_t length = strcspn(text, ":");
    const struct otf2_enum_value *scope = find_value(OTF2_ENUM_MarkerScope, text, length);
    marker->scope = OTF2_MARKER_SCOPE_GLOBAL;
    marker->place = OTF2_UNDEFINED_UINT64;
    if (scope && scope->number == OTF2_MARKER_SCOPE_GLOBAL)
        return;
    if (!text[length])
        options_wrong("missing <SCOPE-REF> argument");
    marker->place = read_number(text + length + 1, "SCOPE-REF");
    if (!scope)
        options_wrong("invalid <SCOPE>: %s", text);
    marker->scope = (OTF2_MarkerScope)scope->number;
}

static void read_severity(struct job *job)
{
    const char *text = job->arguments[2];
    const struct otf2_enum_value *severity =
        find_value(OTF2_ENUM_MarkerSeverity, text, strlen(text));
    if (!severity)
        options_wrong("invalid <SEVERITY> level: %s", text);
    job->severity = (OTF2_MarkerSeverity)severity->number;
}

static void read_marker(struct job *job)
{
    read_time(job->arguments[2], &job->marker);
    read_scope(job->arguments[3], &job->marker);
    job->marker.text = job->arguments[4];
}

/* ---- operations ---- */

static void print_value(enum otf2_enum which, uint32_t value)
{
    const char *name = otf2_enum_name(which, value);
    if (name)
        fputs(name, stdout);
    else
        printf("INVALID <%" PRIu32 ">", value);
}

static void print_definition(struct job *job, struct definition *definition)
{
    (void)job;
    printf("MARKER_DEF  Group: \"%s\", Category: \"%s\", Severity: ", definition->group,
           definition->category);
    print_value(OTF2_ENUM_MarkerSeverity, definition->severity);
    putchar('\n');
}

static void print_markers(struct job *job, struct definition *definition)
{
    print_definition(job, definition);
    for (const struct marker *m = definition->first; m; m = m->next) {
        printf("MARKER      Time: %" PRIu64 ", Duration %" PRIu64 ", Scope: ", m->timestamp,
               m->duration);
        print_value(OTF2_ENUM_MarkerScope, m->scope);
        if (m->scope != OTF2_MARKER_SCOPE_GLOBAL)
            printf(":%" PRIu64, m->place);
        printf(", Text: \"%s\"\n", m->text);
    }
}

static void remove_definition(struct job *job, struct definition *definition)
{
    (void)job;
    definition->is_removed = true;
}

static void clear_definition(struct job *job, struct definition *definition)
{
    (void)job;
    markers_clear(definition);
}

static void add_marker(struct job *job, struct definition *definition)
{
    places_check(job->places, &job->marker);
    markers_add(definition, &job->marker);
}

static void add_definition(struct job *job)
{
    if (!markers_define(&job->markers, markers_free_self(&job->markers), job->arguments[0],
                        job->arguments[1], job->severity))
        options_wrong("marker category already exists for group \"%s\": \"%s\"", job->arguments[0],
                      job->arguments[1]);
    markers_sort(&job->markers);
}

static const struct operation {
    const char *option;
    int least, most; /* arguments */
    enum { SHOW, EDIT, RESET } what;
    bool is_named; /* the first arguments name the operation's definitions */
    void (*each)(struct job *job, struct definition *definition);
    void (*once)(struct job *job); /* in place of each */
    void (*read)(struct job *job); /* the arguments, before the archive is opened */
} operations[] = {
    {"", 0, 0, SHOW, false, print_markers, NULL, NULL},
    {"--def", 1, 2, SHOW, true, print_markers, NULL, NULL},
    {"--defs-only", 0, 0, SHOW, false, print_definition, NULL, NULL},
    {"--add-def", 3, 3, EDIT, false, NULL, add_definition, read_severity},
    {"--add", 5, 5, EDIT, true, add_marker, NULL, read_marker},
    {"--remove-def", 1, 2, EDIT, true, remove_definition, NULL, NULL},
    {"--clear-def", 1, 2, EDIT, true, clear_definition, NULL, NULL},
    {"--reset", 0, 0, RESET, false, NULL, NULL, NULL},
};

/* Calls for each definition of the group, or only of the category, named by the arguments. */
static void for_each_named(const struct operation *operation, struct job *job)
{
    const char *group = job->arguments[0];
    const char *category = job->narguments > 1 ? job->arguments[1] : NULL;
    bool has_group = false;
    bool has_category = false;
    for (size_t i = 0; i < job->markers.definitions.n; i++) {
        struct definition *definition = job->markers.definitions.at[i];
        if (operation->is_named && strcmp(definition->group, group) != 0)
            continue;
        has_group = true;
        if (operation->is_named && category && strcmp(definition->category, category) != 0)
            continue;
        has_category = true;
        operation->each(job, definition);
    }
    if (operation->is_named && !has_group)
        options_wrong("undefined marker group: \"%s\"", group);
    if (operation->is_named && !has_category)
        options_wrong("undefined marker category for group \"%s\": \"%s\"", group, category);
}

/* ---- the archive ---- */

static OTF2_Reader *open_archive(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (!dot || strcmp(dot, ".otf2") != 0 || (access(path, F_OK) != 0 && errno == ENOENT))
        options_wrong("invalid anchor file name: %s", path);
    OTF2_Reader *reader = OTF2_Reader_Open(path);
    if (!reader)
        complaint_fail("cannot be opened as an archive");
    return reader;
}

static char *markers_file(const char *path)
{
    return make_text("%.*s.marker", (int)(strlen(path) - strlen(".otf2")), path);
}

/* An archive that never had markers has no file of markers. */
static bool has_markers(const char *path)
{
    char *file = markers_file(path);
    bool is_there = !access(file, F_OK) || errno != ENOENT;
    free(file);
    return is_there;
}

/*
 * An archive may be anybody's: a link in the archive is not followed, and no device or pipe
 * replaced.
 */
static void refuse_other(const char *path)
{
    struct stat st;
    char *file = markers_file(path);
    if (!lstat(file, &st) && !S_ISREG(st.st_mode))
        fail("%s: is no regular file, so no marker was changed; remove it", file);
    free(file);
}

/* False: further markers exist, but cannot be read. */
static bool work_on_markers(const struct operation *operation, struct job *job, const char *path)
{
    OTF2_Reader *reader = open_archive(path);
    bool is_complete = !has_markers(path) || markers_read(&job->markers, reader);
    if (!is_complete && operation->what == EDIT)
        fail("%s; no marker was changed: 'spur marker --reset %s' removes them all",
             complaint_kept() ? complaint_kept() : "not all markers can be read", path);
    struct places *places = places_read(reader);
    if (!places)
        complaint_fail("its definitions cannot be read");
    OTF2_Reader_Close(reader);

    job->places = places;
    markers_sort(&job->markers);
    if (operation->each)
        for_each_named(operation, job);
    else
        operation->once(job);
    places_free(places);
    return is_complete;
}

static int run(const struct operation *operation, struct job *job, const char *path)
{
    bool is_good = true;
    if (operation->what != SHOW)
        refuse_other(path);
    if (operation->read)
        operation->read(job);
    if (operation->what != RESET)
        is_good = work_on_markers(operation, job, path);
    if (operation->what != SHOW) {
        OTF2_Reader *reader = open_archive(path);
        if (!markers_write(&job->markers, reader))
            complaint_fail("its markers cannot be written");
        OTF2_Reader_Close(reader);
    }
    markers_free(&job->markers);
    if (!is_good)
        complaint_fail("not all of its markers can be read");
    return EXIT_SUCCESS;
}

static const struct operation *find_operation(char **words)
{
    for (size_t i = 1; i < LENGTH(operations); i++)
        if (!strcmp(words[0], operations[i].option))
            return &operations[i];
    if (words[1] && words[0][0] == '-')
        options_wrong("unrecognized option: '%s'", words[0]);
    if (words[1])
        options_wrong("invalid number of arguments for operation");
    return &operations[0];
}

int main(int argc, char **argv)
{
    (void)argc;
    char **words = options_read(&command, argv + 1);
    const struct operation *operation = find_operation(words);
    struct job job = {.arguments = words + (*operation->option != '\0')};
    while (job.arguments[job.narguments])
        job.narguments++;
    job.narguments--; /* the last argument is the archive */
    if (job.narguments < operation->least || job.narguments > operation->most)
        options_wrong("invalid number of arguments for operation");
    const char *path = job.arguments[job.narguments];
    if (archive_say_incomplete(path))
        return EXIT_FAILURE;
    path = archive_path(path);
    complaint_keep(path);
    return run(operation, &job, path);
}
