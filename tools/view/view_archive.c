/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_archive.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/archive_path.h"

enum { STEP = 1 << 12 };

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

static const char *why(const char *anchor)
{
    const char *slash = strrchr(anchor, '/');
    size_t folder = slash ? (size_t)(slash - anchor) + 1 : strlen(anchor);
    if (strlen(reported) > folder && !memcmp(reported, anchor, folder))
        return copy_text(reported);
    return make_text("%s: %s", anchor, reported[0] ? reported : "not readable");
}

const char *view_anchor(const char *path)
{
    static const char ending[] = ".otf2";
    struct stat info;
    size_t n = strlen(path);
    if (archive_say_unfinished(path))
        exit(1); /* NOLINT(concurrency-mt-unsafe): there are no threads */
    if (stat(path, &info))
        fail("%s: no such archive", path);
    if (!S_ISDIR(info.st_mode)) {
        if (n < sizeof ending || strcmp(path + n - (sizeof ending - 1), ending) != 0)
            fail("%s: the name of an archive ends in .otf2", path);
        return path;
    }
    const char *anchor = archive_path(path);
    if (!anchor || access(anchor, F_OK))
        fail("%s: no archive in this directory", path);
    return anchor;
}

OTF2_Reader *view_archive_open(const char *anchor, struct defs *defs)
{
    uint64_t n = 0;
    reported[0] = '\0';
    OTF2_Error_RegisterCallback(on_error, NULL);
    OTF2_Reader *reader = OTF2_Reader_Open(anchor);
    if (!reader || OTF2_Reader_SetSerialCollectiveCallbacks(reader) ||
        OTF2_Reader_GetNumberOfLocations(reader, &n))
        fail("%s", why(anchor));
    OTF2_GlobalDefReader *global = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = defs_callbacks();
    defs_init(defs);
    if (!global || OTF2_Reader_RegisterGlobalDefCallbacks(reader, global, callbacks, defs) ||
        OTF2_Reader_ReadAllGlobalDefinitions(reader, global, &n))
        fail("%s", why(anchor));
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    OTF2_Reader_CloseGlobalDefReader(reader, global);
    defs_finish(defs);
    return reader;
}

void view_archive_select(OTF2_Reader *reader, const struct defs *defs)
{
    for (size_t i = 0; i < defs->locations.n; i++)
        if (OTF2_Reader_SelectLocation(reader, defs->locations.at[i].id))
            fail("%s", reported);
    if (OTF2_Reader_OpenEvtFiles(reader))
        fail("%s", reported);
    OTF2_Reader_OpenDefFiles(reader);
    reported[0] = '\0';
}

const char *view_archive_definitions(OTF2_Reader *reader, const struct location *location)
{
    uint64_t n = 0;
    OTF2_DefReader *local = OTF2_Reader_GetDefReader(reader, location->id);
    bool is_damaged = local ? OTF2_Reader_ReadAllLocalDefinitions(reader, local, &n) != OTF2_SUCCESS
                            : reported[0] && reported_code != OTF2_ERROR_ENOENT;
    const char *trouble = is_damaged ? copy_text(reported) : NULL;
    if (local)
        OTF2_Reader_CloseDefReader(reader, local);
    reported[0] = '\0';
    return trouble;
}

/* NULL, or why events of a reader cannot be read from there on. */
static const char *go_to(OTF2_EvtReader *events, uint64_t position)
{
    return position && OTF2_EvtReader_Seek(events, position + 1) ? copy_text(reported) : NULL;
}

const char *view_archive_events(OTF2_Reader *reader, const struct location *location,
                                const OTF2_EvtReaderCallbacks *callbacks, uint64_t position,
                                bool (*progress)(void *user, uint64_t n), void *user)
{
    OTF2_ErrorCode error = OTF2_SUCCESS;
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, location->id);
    if (!events)
        return location->n_events ? copy_text(reported) : NULL;
    if (OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, user))
        fail("%s", reported);
    const char *trouble = go_to(events, position);
    for (uint64_t n = 1; n && !error && !trouble;) {
        n = 0;
        error = OTF2_Reader_ReadLocalEvents(reader, events, STEP, &n);
        if (!progress(user, n))
            break;
    }
    if (error && !trouble)
        trouble = copy_text(reported);
    OTF2_Reader_CloseEvtReader(reader, events);
    reported[0] = '\0';
    return trouble;
}

void view_archive_close(OTF2_Reader *reader)
{
    OTF2_Reader_CloseDefFiles(reader);
    OTF2_Reader_CloseEvtFiles(reader);
    OTF2_Reader_Close(reader);
}
