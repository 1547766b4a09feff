/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <otf2/otf2.h>

#include "tools/base/archive_path.h"
#include "tools/report/report.h"
#include "tools/report/report_read.h"
#include "tools/report/report_rma.h"
#include "tools/report/report_stacks.h"

/* So many events between two looks at the clock of the progress bar. */
enum { STEP = 1 << 18, BAR_FROM = 4 * STEP, BAR_CELLS = 40 };

/* The first thing that the library reported since it was emptied. */
static char reported[1024];
static OTF2_ErrorCode reported_code;

__attribute__((format(printf, 6, 0))) static OTF2_ErrorCode
on_error(void *user, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
         const char *format, va_list va)
{
    (void)user, (void)file, (void)line, (void)function;
    if (reported[0] || code == OTF2_WARNING || code == OTF2_DEPRECATED)
        return code;
    reported_code = code;
    vsnprintf(reported, sizeof reported, format, va);
    if (!reported[0])
        snprintf(reported, sizeof reported, "%s", OTF2_Error_GetDescription(code));
    return code;
}

/* Names the archive, where the library has not named one of its files. */
static char *why(const struct report *r)
{
    const char *slash = strrchr(r->path, '/');
    size_t folder = slash ? (size_t)(slash - r->path) + 1 : strlen(r->path);
    if (strlen(reported) > folder && !memcmp(reported, r->path, folder))
        return copy_text(reported);
    return make_text("%s: %s", r->path, reported[0] ? reported : "not readable");
}

/* ---- every event counts ---- */

/*
 * A location lasts from its first event to its last, whatever these are. Parts that want to know
 * more of an event set a callback of their own behind this one.
 */
#define IGNORED(Row, kind, name) , otf2_t_##kind name __attribute__((unused))
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    static OTF2_CallbackCode on_##Name(OTF2_LocationRef location, OTF2_TimeStamp time, void *user, \
                                       OTF2_AttributeList *attributes __attribute__((unused))      \
                                       OTF2_SEQ(IGNORED, OTF2_##Name, __VA_ARGS__))                \
    {                                                                                              \
        profile_at(user, location, &time);                                                         \
        return OTF2_CALLBACK_SUCCESS;                                                              \
    }
#include <otf2/otf2_events.def>
#undef EVENT

static OTF2_CallbackCode on_unknown(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                    OTF2_AttributeList *attributes)
{
    (void)attributes;
    profile_at(user, location, &time);
    return OTF2_CALLBACK_SUCCESS;
}

/* NOLINTNEXTLINE(readability-function-size): a statement is a row of the table */
static void register_all(OTF2_GlobalEvtReaderCallbacks *c)
{
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    OTF2_GlobalEvtReaderCallbacks_Set##Name##Callback(c, on_##Name);
#include <otf2/otf2_events.def>
#undef EVENT
}

static OTF2_GlobalEvtReaderCallbacks *event_callbacks(void)
{
    static void (*const parts[])(OTF2_GlobalEvtReaderCallbacks *) = {
        profile_register, messages_register, collectives_register, rma_register,
        teams_register,   locks_register,    metrics_register,     files_register,
        stacks_register,  gaps_register,     stands_register,
    };
    OTF2_GlobalEvtReaderCallbacks *c = OTF2_GlobalEvtReaderCallbacks_New();
    if (!c)
        fail("no memory");
    register_all(c);
    OTF2_GlobalEvtReaderCallbacks_SetUnknownCallback(c, on_unknown);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        parts[i](c);
    return c;
}

/* ---- the path ---- */

static bool ends_with(const char *text, const char *with)
{
    size_t n = strlen(text);
    size_t m = strlen(with);
    return n > m && !strcmp(text + n - m, with);
}

static const char *anchor_of(const char *path)
{
    struct stat stat_of;
    size_t length = strlen(path);
    if (archive_say_unfinished(path))
        exit(1); /* NOLINT(concurrency-mt-unsafe): there are no threads */
    while (length > 1 && path[length - 1] == '/')
        length--;
    char *trimmed = make_text("%.*s", (int)length, path);
    if (stat(trimmed, &stat_of))
        fail("%s: no such archive", path);
    if (!S_ISDIR(stat_of.st_mode)) {
        if (!ends_with(trimmed, ".otf2"))
            fail("%s: the name of an archive ends in .otf2", path);
        return trimmed;
    }
    const char *anchor = archive_path(trimmed);
    if (!anchor || access(anchor, F_OK))
        fail("%s: no archive in this directory", path);
    return anchor;
}

/* ---- progress ---- */

struct progress {
    bool is_shown;
    uint64_t all;
};

static void show_progress(const struct progress *p, uint64_t done)
{
    if (!p->is_shown)
        return;
    unsigned cells = p->all ? (unsigned)((double)done / (double)p->all * BAR_CELLS) : 0;
    cells = cells > BAR_CELLS ? BAR_CELLS : cells;
    fprintf(stderr, "\r[%.*s%*s] %3u %%  %llu M events", (int)cells,
            "########################################", (int)(BAR_CELLS - cells), "",
            cells * 100 / BAR_CELLS, (unsigned long long)(done / 1000000));
}

static void clear_progress(const struct progress *p)
{
    if (p->is_shown)
        fputs("\r\033[K", stderr);
}

/* ---- the archive ---- */

static void read_definitions(struct report *r, OTF2_Reader *reader)
{
    uint64_t n = 0;
    OTF2_GlobalDefReader *global = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = defs_callbacks();
    defs_init(&r->defs);
    if (!global || OTF2_Reader_RegisterGlobalDefCallbacks(reader, global, callbacks, &r->defs) ||
        OTF2_Reader_ReadAllGlobalDefinitions(reader, global, &n))
        fail("%s", why(r));
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    OTF2_Reader_CloseGlobalDefReader(reader, global);
    defs_finish(&r->defs);
}

/* Mapping tables and clocks are read from there; a location may have none. */
static void read_local_definitions(struct report *r, OTF2_Reader *reader)
{
    bool has_files = OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS;
    for (size_t i = 0; has_files && i < r->defs.locations.n; i++) {
        uint64_t n = 0;
        reported[0] = '\0';
        OTF2_DefReader *local = OTF2_Reader_GetDefReader(reader, r->defs.locations.at[i].id);
        /* A location may be without local definitions; a file that is there must be readable. */
        if (!local) {
            if (reported[0] && reported_code != OTF2_ERROR_ENOENT && !r->trouble)
                r->trouble = why(r);
            continue;
        }
        if (OTF2_Reader_ReadAllLocalDefinitions(reader, local, &n) && !r->trouble)
            r->trouble = why(r);
        OTF2_Reader_CloseDefReader(reader, local);
    }
    if (has_files)
        OTF2_Reader_CloseDefFiles(reader);
    reported[0] = '\0';
}

/* Opens the event files; false when there are none, as in an archive of definitions. */
static bool open_locations(struct report *r, OTF2_Reader *reader)
{
    bool has_events = false;
    for (size_t i = 0; i < r->defs.locations.n; i++) {
        const struct location *location = &r->defs.locations.at[i];
        reported[0] = '\0';
        if (OTF2_Reader_GetEvtReader(reader, location->id))
            has_events = true;
        else if (location->n_events && !r->trouble)
            r->trouble = why(r);
    }
    return has_events;
}

static void read_events(struct report *r, OTF2_Reader *reader, bool has_progress)
{
    struct progress progress = {false, 0};
    if (OTF2_Reader_OpenEvtFiles(reader))
        fail("%s", why(r));
    if (!open_locations(r, reader))
        return;
    for (size_t i = 0; i < r->defs.locations.n; i++)
        progress.all += r->defs.locations.at[i].n_events;
    progress.is_shown = has_progress && isatty(STDERR_FILENO) && progress.all >= BAR_FROM;
    reported[0] = '\0';
    OTF2_GlobalEvtReader *global = OTF2_Reader_GetGlobalEvtReader(reader);
    OTF2_GlobalEvtReaderCallbacks *callbacks = event_callbacks();
    if (!global || OTF2_Reader_RegisterGlobalEvtCallbacks(reader, global, callbacks, r))
        fail("%s", why(r));
    OTF2_ErrorCode error = OTF2_SUCCESS;
    for (uint64_t n = 1; n && !error; r->n_events += n) {
        n = 0;
        show_progress(&progress, r->n_events);
        error = OTF2_Reader_ReadGlobalEvents(reader, global, STEP, &n);
    }
    clear_progress(&progress);
    if (error)
        r->trouble = why(r);
    OTF2_GlobalEvtReaderCallbacks_Delete(callbacks);
    OTF2_Reader_CloseGlobalEvtReader(reader, global);
    OTF2_Reader_CloseEvtFiles(reader);
}

/* What spur says of a run that did not end in order. */
static void add_remarks(struct report *r, OTF2_Reader *reader)
{
    static const struct {
        const char *property;
        const char *text;
    } known[] = {
        {"SPUR::STOPPED_PROCESSES", "processes that stopped recording before their end"},
        {"SPUR::DEAD_PROCESSES", "processes that died, what they had recorded is here"},
        {"SPUR::MISSING_RANKS", "ranks that left nothing"},
        {"SPUR::MISSING_SPAWNED", "spawned processes that left nothing"},
        {"SPUR::SYNTHESISED_EVENTS", "events that were added to close what was open"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char *value = NULL;
        if (!OTF2_Reader_GetProperty(reader, known[i].property, &value) && value &&
            strcmp(value, "0") != 0)
            *LIST_ADD(&r->remarks) = make_text("%s: %s", known[i].text, value);
        free(value);
    }
    reported[0] = '\0';
}

static char *text_of(OTF2_ErrorCode (*get)(OTF2_Reader *, char **), OTF2_Reader *reader)
{
    char *text = NULL;
    return get(reader, &text) || !text ? copy_text("") : text;
}

void report_read(struct report *r, const char *path, bool has_progress, report_choice *choose,
                 const void *user)
{
    uint64_t n = 0;
    r->path = anchor_of(path);
    reported[0] = '\0';
    OTF2_Error_RegisterCallback(on_error, NULL);
    OTF2_Reader *reader = OTF2_Reader_Open(r->path);
    if (!reader || OTF2_Reader_SetSerialCollectiveCallbacks(reader) ||
        OTF2_Reader_GetNumberOfLocations(reader, &n))
        fail("%s", why(r));
    r->machine = text_of(OTF2_Reader_GetMachineName, reader);
    r->creator = text_of(OTF2_Reader_GetCreator, reader);
    read_definitions(r, reader);
    add_remarks(r, reader);
    missing_make(r);
    gaps_make(r, reader);
    choose(r, user);
    for (size_t i = 0; i < r->defs.locations.n; i++)
        if (OTF2_Reader_SelectLocation(reader, r->defs.locations.at[i].id))
            fail("%s", why(r));
    profile_init(r);
    read_local_definitions(r, reader);
    read_events(r, reader, has_progress);
    OTF2_Reader_Close(reader);
    metrics_finish(r);
    profile_finish(r);
    stands_finish(r); /* while it is known what is not complete */
    messages_finish(r);
    collectives_finish(r);
}
