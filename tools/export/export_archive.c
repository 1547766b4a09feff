/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/export/export_archive.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/archive_path.h"
#include "tools/export/export_pass.h"

/* So many events between two looks at the progress. */
enum { STEP = 1 << 18, SHOWN_FROM = 4 * STEP };

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
static char *why(const struct export *x)
{
    const char *slash = strrchr(x->path, '/');
    size_t folder = slash ? (size_t)(slash - x->path) + 1 : strlen(x->path);
    if (strlen(reported) > folder && !memcmp(reported, x->path, folder))
        return copy_text(reported);
    return make_text("%s: %s", x->path, reported[0] ? reported : "not readable");
}

/* ---- the path ---- */

static const char *anchor_of(const char *path)
{
    static const char ending[] = ".otf2";
    struct stat info;
    size_t n = strlen(path);
    if (stat(path, &info))
        fail("%s: no such archive", path);
    if (!S_ISDIR(info.st_mode)) {
        if (n < sizeof ending || strcmp(path + n - (sizeof ending - 1), ending) != 0)
            fail("%s: the name of an archive ends in .otf2", path);
        return path;
    }
    const char *anchor = archive_path(path);
    char *unfinished = make_text("%s/.spur", path);
    if (!anchor || access(anchor, F_OK))
        fail("%s: %s", path,
             access(unfinished, F_OK) ? "no archive in this directory"
                                      : "the archive is not finished; 'spur recover' does that");
    free(unfinished);
    return anchor;
}

/* ---- definitions ---- */

OTF2_Reader *archive_open(struct export *x)
{
    uint64_t n = 0;
    x->path = anchor_of(x->wish.path);
    OTF2_Error_RegisterCallback(on_error, NULL);
    OTF2_Reader *reader = OTF2_Reader_Open(x->path);
    if (!reader || OTF2_Reader_SetSerialCollectiveCallbacks(reader) ||
        OTF2_Reader_GetNumberOfLocations(reader, &n))
        fail("%s", why(x));
    OTF2_GlobalDefReader *global = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = defs_callbacks();
    defs_init(&x->defs);
    if (!global || OTF2_Reader_RegisterGlobalDefCallbacks(reader, global, callbacks, &x->defs) ||
        OTF2_Reader_ReadAllGlobalDefinitions(reader, global, &n))
        fail("%s", why(x));
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    OTF2_Reader_CloseGlobalDefReader(reader, global);
    defs_finish(&x->defs);
    return reader;
}

static void trouble(struct export *x)
{
    if (!x->trouble)
        x->trouble = why(x);
}

/* Mapping tables and clocks are read from there; a location may have none. */
static void read_local_definitions(struct export *x, OTF2_Reader *reader)
{
    bool has_files = OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS;
    for (size_t i = 0; has_files && i < x->defs.locations.n; i++) {
        uint64_t n = 0;
        reported[0] = '\0';
        OTF2_DefReader *local = OTF2_Reader_GetDefReader(reader, x->defs.locations.at[i].id);
        if (!local) {
            if (reported[0] && reported_code != OTF2_ERROR_ENOENT)
                trouble(x);
            continue;
        }
        if (OTF2_Reader_ReadAllLocalDefinitions(reader, local, &n))
            trouble(x);
        OTF2_Reader_CloseDefReader(reader, local);
    }
    if (has_files)
        OTF2_Reader_CloseDefFiles(reader);
    reported[0] = '\0';
}

/* ---- events ---- */

/* Opens the event files; false when there are none, as in an archive of definitions. */
static bool open_locations(struct export *x, OTF2_Reader *reader)
{
    bool has_events = false;
    for (size_t i = 0; i < x->defs.locations.n; i++) {
        const struct location *location = &x->defs.locations.at[i];
        reported[0] = '\0';
        if (OTF2_Reader_GetEvtReader(reader, location->id))
            has_events = true;
        else if (location->n_events)
            trouble(x);
    }
    reported[0] = '\0';
    return has_events;
}

static void show_progress(const struct export *x, uint64_t all)
{
    if (all >= SHOWN_FROM && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%3.0f %%  %llu M events", 100.0 * (double)x->n_events / (double)all,
                (unsigned long long)(x->n_events / 1000000));
}

static void read_events(struct export *x, OTF2_Reader *reader)
{
    OTF2_ErrorCode error = OTF2_SUCCESS;
    uint64_t all = 0;
    OTF2_GlobalEvtReader *global = OTF2_Reader_GetGlobalEvtReader(reader);
    OTF2_GlobalEvtReaderCallbacks *callbacks = pass_callbacks();
    if (!global || OTF2_Reader_RegisterGlobalEvtCallbacks(reader, global, callbacks, x))
        fail("%s", why(x));
    for (size_t i = 0; i < x->defs.locations.n; i++)
        all += x->defs.locations.at[i].n_events;
    for (uint64_t n = 1; n && !error; x->n_events += n) {
        n = 0;
        show_progress(x, all);
        error = OTF2_Reader_ReadGlobalEvents(reader, global, STEP, &n);
    }
    if (all >= SHOWN_FROM && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (error)
        trouble(x);
    OTF2_GlobalEvtReaderCallbacks_Delete(callbacks);
    OTF2_Reader_CloseGlobalEvtReader(reader, global);
}

void archive_read(struct export *x, OTF2_Reader *reader)
{
    for (size_t i = 0; i < x->defs.locations.n; i++)
        if (OTF2_Reader_SelectLocation(reader, x->defs.locations.at[i].id))
            fail("%s", why(x));
    read_local_definitions(x, reader);
    if (OTF2_Reader_OpenEvtFiles(reader))
        fail("%s", why(x));
    if (open_locations(x, reader))
        read_events(x, reader);
    OTF2_Reader_CloseEvtFiles(reader);
    OTF2_Reader_Close(reader);
    pass_finish(x);
}
