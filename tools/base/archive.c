/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/archive.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otf2x/otf2x.h>

#include "tools/base/archive_path.h"
#include "tools/base/complaint.h"
#include "tools/base/fail.h"
#include "tools/base/options.h"
#include "tools/base/progress.h"
#include "tools/base/say.h"

/* ---- errors ---- */

/* The library's first report on the calling thread since the buffer was emptied. */
static _Thread_local char reported[1024];
static _Thread_local OTF2_ErrorCode reported_code;

__attribute__((format(printf, 6, 0))) static OTF2_ErrorCode
on_error(void *user, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
         const char *format, va_list va)
{
    (void)user, (void)file, (void)line, (void)function;
    if (reported[0] || code == OTF2_WARNING || code == OTF2_DEPRECATED)
        return code;
    reported_code = code;
    char *words = complaint_words(code, format, va);
    snprintf(reported, sizeof reported, "%s", words);
    free(words);
    return code;
}

/* The trouble in words. Names the archive if the library has not named a file of the archive. */
static char *why(const struct archive *a)
{
    const char *slash = strrchr(a->path, '/');
    size_t folder = slash ? (size_t)(slash - a->path) + 1 : strlen(a->path);
    if (strlen(reported) > folder && !memcmp(reported, a->path, folder))
        return copy_text(reported);
    return make_text("%s: %s", a->path, reported[0] ? reported : "not readable");
}

static _Noreturn void end_reading(const struct archive *a)
{
    fail("%s" COMPLAINT_REMEDY, why(a), a->path);
}

void archive_say_part(const char *path, const char *trouble, const char *done)
{
    say("%s; %s as far as it could be read" COMPLAINT_REMEDY, trouble, done, path);
}

static void note_trouble(struct archive *a)
{
    if (!a->trouble)
        a->trouble = why(a);
}

/* ---- definitions ---- */

void archive_open(struct archive *a, const char *path, struct defs *defs)
{
    uint64_t n = 0;
    *a = (struct archive){.path = archive_anchor(path), .defs = defs, .has_progress = true};
    reported[0] = '\0';
    static atomic_flag is_registered = ATOMIC_FLAG_INIT; /* other threads may have open archives */
    if (!atomic_flag_test_and_set(&is_registered)) {
        OTF2_Error_RegisterCallback(on_error, NULL);
        OTF2X_LeaveOutLocations();
    }
    a->reader = OTF2_Reader_Open(a->path);
    if (!a->reader || OTF2_Reader_SetSerialCollectiveCallbacks(a->reader) ||
        OTF2_Reader_GetNumberOfLocations(a->reader, &n))
        end_reading(a);
    OTF2_GlobalDefReader *global = OTF2_Reader_GetGlobalDefReader(a->reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = defs_callbacks();
    defs_init(defs);
    if (!global || OTF2_Reader_RegisterGlobalDefCallbacks(a->reader, global, callbacks, defs) ||
        OTF2_Reader_ReadAllGlobalDefinitions(a->reader, global, &n))
        end_reading(a);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    OTF2_Reader_CloseGlobalDefReader(a->reader, global);
    defs_finish(defs);
}

const char *archive_definitions(struct archive *a, const struct location *location)
{
    uint64_t n = 0;
    reported[0] = '\0';
    OTF2_DefReader *local = OTF2_Reader_GetDefReader(a->reader, location->id);
    /* A location may be without local definitions, but an existing file must be readable. */
    bool is_damaged =
        local ? OTF2_Reader_ReadAllLocalDefinitions(a->reader, local, &n) != OTF2_SUCCESS
              : reported[0] && reported_code != OTF2_ERROR_ENOENT;
    const char *trouble = is_damaged ? why(a) : NULL;
    if (local)
        OTF2_Reader_CloseDefReader(a->reader, local);
    reported[0] = '\0';
    return trouble;
}

static bool is_mine(const struct archive *a, size_t location)
{
    return !a->part_of || a->part_of[location] == a->part;
}

static void read_local_definitions(struct archive *a)
{
    bool has_files = OTF2_Reader_OpenDefFiles(a->reader) == OTF2_SUCCESS;
    for (size_t i = 0; has_files && i < a->defs->locations.n; i++) {
        const char *trouble = NULL;
        if (is_mine(a, i))
            trouble = archive_definitions(a, &a->defs->locations.at[i]);
        if (!a->trouble)
            a->trouble = trouble;
    }
    if (has_files)
        OTF2_Reader_CloseDefFiles(a->reader);
    reported[0] = '\0';
}

char *archive_text(const struct archive *a, OTF2_ErrorCode (*get)(OTF2_Reader *, char **))
{
    char *text = NULL;
    bool has_text = !get(a->reader, &text) && text;
    reported[0] = '\0';
    return has_text ? text : copy_text("");
}

const char *archive_property(const struct archive *a, const char *name)
{
    char *value = NULL;
    bool has_value =
        !OTF2_Reader_GetProperty(a->reader, name, &value) && value && strcmp(value, "0") != 0;
    reported[0] = '\0';
    if (has_value)
        return value;
    free(value);
    return NULL;
}

/* ---- events ---- */

/* Opens the event files; false if there are no files, as in an archive of definitions only. */
static bool open_locations(struct archive *a)
{
    bool has_events = false;
    for (size_t i = 0; i < a->defs->locations.n; i++) {
        const struct location *location = &a->defs->locations.at[i];
        if (!is_mine(a, i))
            continue;
        reported[0] = '\0';
        if (OTF2_Reader_GetEvtReader(a->reader, location->id))
            has_events = true;
        else if (location->n_events)
            note_trouble(a);
    }
    reported[0] = '\0';
    return has_events;
}

/* Nothing can be read: ends the process, or, for a part of an archive, notes the trouble. */
static void give_up(struct archive *a)
{
    if (!a->part_of)
        end_reading(a);
    note_trouble(a);
}

static bool open_events(struct archive *a)
{
    for (size_t i = 0; i < a->defs->locations.n; i++)
        if (is_mine(a, i) && OTF2_Reader_SelectLocation(a->reader, a->defs->locations.at[i].id)) {
            give_up(a);
            return false;
        }
    read_local_definitions(a);
    if (!OTF2_Reader_OpenEvtFiles(a->reader))
        return open_locations(a);
    give_up(a);
    return false;
}

void archive_begin(struct archive *a, const OTF2_GlobalEvtReaderCallbacks *callbacks, void *user)
{
    a->events = NULL;
    if (!a->reader || !open_events(a))
        return;
    a->events = OTF2_Reader_GetGlobalEvtReader(a->reader);
    if (!a->events || OTF2_Reader_RegisterGlobalEvtCallbacks(a->reader, a->events, callbacks, user))
        give_up(a);
}

uint64_t archive_step(struct archive *a, uint64_t most)
{
    uint64_t n = 0;
    if (!a->events || a->has_stopped)
        return 0;
    if (OTF2_Reader_ReadGlobalEvents(a->reader, a->events, most, &n)) {
        note_trouble(a);
        a->has_stopped = true;
    }
    a->n_events += n;
    return n;
}

void archive_end(struct archive *a)
{
    if (a->events)
        OTF2_Reader_CloseGlobalEvtReader(a->reader, a->events);
    a->events = NULL;
    if (a->reader)
        OTF2_Reader_CloseEvtFiles(a->reader);
}

uint64_t archive_events(const struct archive *a)
{
    uint64_t all = 0;
    for (size_t i = 0; i < a->defs->locations.n; i++)
        all += a->defs->locations.at[i].n_events;
    return all;
}

void archive_read(struct archive *a, const OTF2_GlobalEvtReaderCallbacks *callbacks, void *user)
{
    archive_begin(a, callbacks, user);
    progress_begin(a->has_progress && a->events ? archive_events(a) : 0);
    while (archive_step(a, PROGRESS_STEP))
        progress_show(a->n_events);
    progress_end();
    archive_end(a);
}

void archive_open_part(struct archive *a, const struct archive *whole, const struct defs *defs,
                       const uint32_t *part_of, uint32_t part)
{
    uint64_t n = 0;
    *a = (struct archive){.path = whole->path, .defs = defs, .part_of = part_of, .part = part};
    reported[0] = '\0';
    a->reader = OTF2_Reader_Open(a->path);
    bool is_open = a->reader && !OTF2_Reader_SetSerialCollectiveCallbacks(a->reader) &&
                   !OTF2_Reader_GetNumberOfLocations(a->reader, &n);
    /*
     * Records of older archives name regions by calling contexts: the reader must know the
     * contexts.
     */
    if (is_open && defs->contexts.n) {
        OTF2_GlobalDefReader *global = OTF2_Reader_GetGlobalDefReader(a->reader);
        is_open = global && !OTF2_Reader_ReadAllGlobalDefinitions(a->reader, global, &n);
        OTF2_Reader_CloseGlobalDefReader(a->reader, global);
    }
    if (!is_open)
        note_trouble(a);
}

/* ---- location by location ---- */

void archive_select(struct archive *a)
{
    for (size_t i = 0; i < a->defs->locations.n; i++)
        if (OTF2_Reader_SelectLocation(a->reader, a->defs->locations.at[i].id))
            end_reading(a);
    if (OTF2_Reader_OpenEvtFiles(a->reader))
        end_reading(a);
    OTF2_Reader_OpenDefFiles(a->reader);
    reported[0] = '\0';
}

const char *archive_location(struct archive *a, const struct location *location,
                             const OTF2_EvtReaderCallbacks *callbacks, uint64_t position,
                             bool (*progress)(void *user, uint64_t n), void *user)
{
    enum { STEP = 1 << 12 };
    OTF2_ErrorCode error = OTF2_SUCCESS;
    reported[0] = '\0';
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(a->reader, location->id);
    if (!events)
        return location->n_events ? why(a) : NULL;
    if (OTF2_Reader_RegisterEvtCallbacks(a->reader, events, callbacks, user))
        end_reading(a);
    if (position)
        error = OTF2_EvtReader_Seek(events, position + 1);
    for (uint64_t n = 1; n && !error;) {
        n = 0;
        error = OTF2_Reader_ReadLocalEvents(a->reader, events, STEP, &n);
        if (!progress(user, n))
            break;
    }
    const char *trouble = error ? why(a) : NULL;
    OTF2_Reader_CloseEvtReader(a->reader, events);
    reported[0] = '\0';
    return trouble;
}

static bool is_meant(const struct defs *d, const struct location *l, const char *word)
{
    char number[24];
    snprintf(number, sizeof number, "%llu", (unsigned long long)l->id);
    return !strcmp(number, word) || !strcmp(defs_text(d, l->name), word) ||
           !strcmp(defs_text(d, d->processes.at[l->process].name), word) ||
           !strcmp(defs_process_name(d, l->process), word);
}

bool *archive_choice(const struct archive *a, const char *list)
{
    const struct defs *d = a->defs;
    bool *is_chosen = take_memory((d->locations.n + 1) * sizeof *is_chosen);
    memset(is_chosen, !list, d->locations.n * sizeof *is_chosen);
    char *copy = list ? copy_text(list) : NULL;
    char *rest = copy;
    for (const char *word = strsep(&rest, ","); word; word = strsep(&rest, ",")) {
        size_t n = 0;
        for (size_t i = 0; i < d->locations.n; i++)
            if (is_meant(d, &d->locations.at[i], word)) {
                is_chosen[i] = true;
                n++;
            }
        if (!n)
            options_wrong("%s has no location '%s'", a->path, word);
    }
    free(copy);
    return is_chosen;
}

void archive_close(struct archive *a)
{
    if (a->reader)
        OTF2_Reader_Close(a->reader);
    a->reader = NULL;
}
