/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of an archive that is written, and its callbacks. */
#include "writer/archive.h"

#include <string.h>

#include "format/anchor.h"
#include "format/error.h"
#include "format/mem.h"
#include "format/paths.h"
#include "format/zcodec.h"
#include "writer/file.h"
#include "writer/stream.h"

/* ---- texts and paths ---- */

char *otf2_text_new(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = otf2_mem_new(bytes);
    if (copy)
        memcpy(copy, text, bytes);
    return copy;
}

void otf2_text_free(const char *text)
{
    void *mem;
    memcpy(&mem, &text, sizeof mem);
    otf2_mem_free(mem);
}

bool otf2_archive_file(const OTF2_Archive *a, OTF2_FileType type, OTF2_LocationRef location,
                       char *path, uint64_t bytes)
{
    return otf2_path_make(a->path, a->name, type, location, path, bytes);
}

/* ---- locks ---- */

/* A lock that fails is reported; the call goes on, since most have no other way to say so. */
void otf2_archive_lock(OTF2_Archive *a)
{
    if (a->lock && a->locking.otf2_lock(a->locking_data, a->lock) != OTF2_CALLBACK_SUCCESS)
        (void)OTF2_ERROR(OTF2_ERROR_LOCKING_CALLBACK, "cannot lock the archive");
}

void otf2_archive_unlock(OTF2_Archive *a)
{
    if (a->lock && a->locking.otf2_unlock(a->locking_data, a->lock) != OTF2_CALLBACK_SUCCESS)
        (void)OTF2_ERROR(OTF2_ERROR_LOCKING_CALLBACK, "cannot unlock the archive");
}

OTF2_ErrorCode OTF2_Archive_SetLockingCallbacks(OTF2_Archive *archive,
                                                const OTF2_LockingCallbacks *lockingCallbacks,
                                                void *lockingData)
{
    if (!archive || !lockingCallbacks || !lockingCallbacks->otf2_create ||
        !lockingCallbacks->otf2_destroy || !lockingCallbacks->otf2_lock ||
        !lockingCallbacks->otf2_unlock)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no archive, or locking callbacks missing");
    if (archive->lock)
        return OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "locking callbacks are set already");
    OTF2_Lock lock = NULL;
    if (lockingCallbacks->otf2_create(lockingData, &lock) != OTF2_CALLBACK_SUCCESS || !lock)
        return OTF2_ERROR(OTF2_ERROR_LOCKING_CALLBACK, "cannot create a lock");
    archive->locking = *lockingCallbacks;
    archive->locking_data = lockingData;
    archive->lock = lock;
    return OTF2_SUCCESS;
}

static void release_lock(OTF2_Archive *a)
{
    if (!a->lock)
        return;
    if (a->locking.otf2_destroy(a->locking_data, a->lock) != OTF2_CALLBACK_SUCCESS)
        (void)OTF2_ERROR(OTF2_ERROR_LOCKING_CALLBACK, "cannot destroy the archive's lock");
    if (a->locking.otf2_release)
        a->locking.otf2_release(a->locking_data);
}

/* ---- flush and memory callbacks ---- */

OTF2_ErrorCode OTF2_Archive_SetFlushCallbacks(OTF2_Archive *archive,
                                              const OTF2_FlushCallbacks *flushCallbacks,
                                              void *flushData)
{
    if (!archive || !flushCallbacks)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no archive, or no flush callbacks");
    otf2_archive_lock(archive);
    archive->has_flush = true;
    archive->flush = *flushCallbacks;
    archive->flush_data = flushData;
    otf2_archive_unlock(archive);
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Archive_SetMemoryCallbacks(OTF2_Archive *archive,
                                               const OTF2_MemoryCallbacks *memoryCallbacks,
                                               void *memoryData)
{
    if (!archive || !memoryCallbacks)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no archive, or no memory callbacks");
    if (!memoryCallbacks->otf2_allocate || !memoryCallbacks->otf2_free_all)
        return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, "a memory callback is missing");
    otf2_archive_lock(archive);
    archive->memory = *memoryCallbacks;
    archive->memory_data = memoryData;
    otf2_archive_unlock(archive);
    return OTF2_SUCCESS;
}

/* ---- open and close ---- */

static bool is_chunk_size(uint64_t bytes)
{
    return bytes >= OTF2_CHUNK_SIZE_MIN && bytes <= OTF2_CHUNK_SIZE_MAX;
}

static OTF2_ErrorCode check_kind(OTF2_FileMode mode, OTF2_FileSubstrate substrate,
                                 OTF2_Compression compression)
{
    if (mode == OTF2_FILEMODE_READ)
        return OTF2_FAIL(OTF2_ERROR_INVALID_ARGUMENT, "archives are read by OTF2_Reader_Open");
    if (mode != OTF2_FILEMODE_WRITE && mode != OTF2_FILEMODE_MODIFY)
        return OTF2_FAIL(OTF2_ERROR_INVALID_ARGUMENT, "unknown file mode %d", mode);
    if (substrate == OTF2_SUBSTRATE_SION)
        return OTF2_FAIL(OTF2_ERROR_FILE_SUBSTRATE_NOT_SUPPORTED, "built without SION");
    if (substrate != OTF2_SUBSTRATE_POSIX && substrate != OTF2_SUBSTRATE_NONE)
        return OTF2_FAIL(OTF2_ERROR_INVALID_ARGUMENT, "unknown substrate %d", substrate);
    if (compression == OTF2_COMPRESSION_ZLIB && !otf2_zcodec_find())
        return OTF2_FAIL(OTF2_ERROR_FILE_COMPRESSION_NOT_SUPPORTED, "built without compression");
    if (compression != OTF2_COMPRESSION_NONE && compression != OTF2_COMPRESSION_ZLIB)
        return OTF2_FAIL(OTF2_ERROR_INVALID_ARGUMENT, "unknown compression %d", compression);
    return OTF2_SUCCESS;
}

static void release(OTF2_Archive *a)
{
    otf2_archive_properties_fini(a);
    otf2_registry_fini(&a->evt_writers);
    otf2_registry_fini(&a->def_writers);
    otf2_registry_fini(&a->snap_writers);
    otf2_registry_fini(&a->thumb_writers);
    otf2_text_free(a->path);
    otf2_text_free(a->name);
    otf2_mem_free(a);
}

OTF2_Archive *OTF2_Archive_Open(const char *archivePath, const char *archiveName,
                                const OTF2_FileMode fileMode, const uint64_t chunkSizeEvents,
                                const uint64_t chunkSizeDefs,
                                const OTF2_FileSubstrate fileSubstrate,
                                const OTF2_Compression compression)
{
    OTF2_ErrorCode error = OTF2_SUCCESS;
    if (!archivePath || !archiveName || strchr(archiveName, '/'))
        error = OTF2_FAIL(OTF2_ERROR_INVALID_ARGUMENT, "no path, or a name with a slash");
    else if (!is_chunk_size(chunkSizeEvents) ||
             (!is_chunk_size(chunkSizeDefs) && chunkSizeDefs != OTF2_UNDEFINED_UINT64))
        error = OTF2_FAIL(OTF2_ERROR_INVALID_ARGUMENT, "%s: chunk size out of range", archivePath);
    else
        error = check_kind(fileMode, fileSubstrate, compression);
    if (error)
        return NULL;

    OTF2_Archive *a = otf2_mem_new(sizeof *a);
    if (a) {
        a->path = otf2_text_new(*archivePath ? archivePath : ".");
        a->name = otf2_text_new(archiveName);
        a->substrate = fileSubstrate;
        a->compression = compression;
        a->chunk_events = chunkSizeEvents;
        a->chunk_defs = chunkSizeDefs;
    }
    if (!a || !a->path || !a->name) {
        (void)OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "%s: no memory", archivePath);
        if (a)
            release(a);
        return NULL;
    }
    if (compression == OTF2_COMPRESSION_ZLIB)
        (void)OTF2_ERROR(OTF2_WARNING,
                         "%s: compressed; readers of OTF2 3 refuse it until it is "
                         "unpacked (spur unpack)",
                         archivePath);
    return a;
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static struct otf2_anchor anchor_of(const OTF2_Archive *a)
{
    return (struct otf2_anchor){
        .event_chunk_bytes = a->chunk_events,
        .def_chunk_bytes = a->chunk_defs,
        .locations = a->n_locations,
        .global_definitions = a->n_definitions,
        .trace_id = otf2_file_random(),
        .machine = or_empty(a->machine_name),
        .creator = or_empty(a->creator),
        .description = or_empty(a->description),
        .properties = a->properties,
        .nproperties = a->n_properties,
        .snapshots = a->n_snapshots,
        .thumbnails = a->n_thumbnails,
        .version = {OTF2_VERSION_MAJOR, OTF2_VERSION_MINOR, OTF2_VERSION_BUGFIX},
        .substrate = a->substrate,
        .compression = a->compression,
    };
}

/*
 * The anchor file: one block, in memory and with the consent of the same callbacks as the chunks of
 * other files. Refused memory is the program's way to have no anchor.
 */
static OTF2_ErrorCode write_anchor(OTF2_Archive *a)
{
    struct otf2_evt_cursor cursor;
    struct otf2_stream s = {.archive = a,
                            .type = OTF2_FILETYPE_ANCHOR,
                            .is_bare = true,
                            .location = OTF2_UNDEFINED_LOCATION,
                            .chunk_bytes = OTF2_ANCHOR_BYTES_MAX};
    struct otf2_anchor anchor = anchor_of(a);
    if (otf2_anchor_bytes(&anchor) > s.chunk_bytes)
        return OTF2_ERROR(OTF2_ERROR_INVALID_SIZE_GIVEN,
                          "%s: its texts and properties are too long", a->path);
    if (otf2_stream_open(&s, &cursor) || otf2_stream_next(&s, 0, otf2_anchor_bytes(&anchor)))
        return OTF2_SUCCESS;
    cursor.pos = otf2_anchor_encode(cursor.chunk, &anchor);
    return otf2_stream_close(&s);
}

static OTF2_ErrorCode first_of(OTF2_ErrorCode first, OTF2_ErrorCode next)
{
    return first ? first : next;
}

OTF2_ErrorCode OTF2_Archive_Close(OTF2_Archive *archive)
{
    if (!archive)
        return OTF2_SUCCESS;
    OTF2_ErrorCode error = OTF2_SUCCESS;
    bool is_primary = false;
    error = otf2_archive_is_primary(archive, &is_primary);
    bool has_chunk_sizes = archive->chunk_defs != OTF2_UNDEFINED_UINT64;
    if (is_primary && archive->is_ready && has_chunk_sizes)
        error = first_of(error, write_anchor(archive));
    error = first_of(error, otf2_archive_close_writers(archive));
    if (archive->has_collectives && archive->collectives.otf2_release)
        archive->collectives.otf2_release(archive->collective_data, archive->global_context,
                                          archive->local_context);
    release_lock(archive);
    release(archive);
    return error;
}

/* ---- what only the reading side can do ---- */

OTF2_ErrorCode OTF2_Archive_SwitchFileMode(OTF2_Archive *archive, OTF2_FileMode newFileMode)
{
    if (!archive)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no archive");
    return OTF2_ERROR(OTF2_ERROR_INVALID_FILE_MODE_TRANSITION,
                      "from writing to file mode %d: only an archive that is read can be switched",
                      newFileMode);
}

OTF2_ErrorCode OTF2_Archive_SelectLocation(OTF2_Archive *archive, OTF2_LocationRef location)
{
    (void)location;
    if (!archive)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no archive");
    return OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "the archive is being written");
}

OTF2_ErrorCode OTF2_Archive_SetHint(OTF2_Archive *archive, OTF2_Hint hint, void *value)
{
    if (!archive || !value || hint != OTF2_HINT_GLOBAL_READER)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no archive, no value, or unknown hint %d",
                          hint);
    return OTF2_ERROR(OTF2_ERROR_HINT_INVALID, "the archive is being written");
}
