/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of an archive open for writing, and the callbacks of the archive. */
#include "writer/archive_state.h"

#include <string.h>

#include "format/anchor.h"
#include "format/error.h"
#include "format/memory.h"
#include "format/paths.h"
#include "format/zcodec.h"
#include "writer/file.h"
#include "writer/stream.h"

/* ---- texts and paths ---- */

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

/*
 * A failing lock is reported. The call goes on, since most calls have no other way to report the
 * failure.
 */
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
    return otf2_archive_share_lock(archive);
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
    if (archive->mode == OTF2_FILEMODE_READ)
        return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, "the archive is being read");
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
    if (archive->mode == OTF2_FILEMODE_READ)
        return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, "the archive is being read");
    if (!memoryCallbacks->otf2_allocate || !memoryCallbacks->otf2_free_all)
        return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, "a memory callback is missing");
    otf2_archive_lock(archive);
    archive->memory = *memoryCallbacks;
    archive->memory_data = memoryData;
    otf2_archive_unlock(archive);
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2X_Archive_SetFileCallbacks(OTF2_Archive *archive,
                                              const OTF2X_FileCallbacks *callbacks)
{
    if (!archive || !callbacks || !callbacks->open || !callbacks->make_dir || !callbacks->remove ||
        !callbacks->rename)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no archive, or callbacks missing");
    if (archive->has_collectives)
        return OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "the archive's directories are made already");
    archive->files = callbacks;
    return OTF2_SUCCESS;
}

/* ---- open and close ---- */

static OTF2_ErrorCode check_new(const OTF2_Archive *a)
{
    if (!otf2_is_chunk_size(a->chunk_events) ||
        (!otf2_is_chunk_size(a->chunk_defs) && a->chunk_defs != OTF2_UNDEFINED_UINT64))
        return OTF2_FAIL(OTF2_ERROR_INVALID_ARGUMENT, "%s: chunk size out of range", a->path);
    if (a->substrate != OTF2_SUBSTRATE_POSIX && a->substrate != OTF2_SUBSTRATE_SION &&
        a->substrate != OTF2_SUBSTRATE_NONE)
        return OTF2_FAIL(OTF2_ERROR_INVALID_ARGUMENT, "unknown substrate %d", a->substrate);
    if (a->compression == OTF2_COMPRESSION_ZLIB && !otf2_zcodec_find())
        return OTF2_FAIL(OTF2_ERROR_FILE_COMPRESSION_NOT_SUPPORTED, "built without compression");
    if (a->compression == OTF2_COMPRESSION_ZLIB && a->substrate == OTF2_SUBSTRATE_SION)
        return OTF2_FAIL(OTF2_ERROR_FILE_COMPRESSION_NOT_SUPPORTED, "no compression in containers");
    if (a->compression != OTF2_COMPRESSION_NONE && a->compression != OTF2_COMPRESSION_ZLIB)
        return OTF2_FAIL(OTF2_ERROR_INVALID_ARGUMENT, "unknown compression %d", a->compression);
    if (a->compression == OTF2_COMPRESSION_ZLIB)
        (void)OTF2_ERROR(OTF2_WARNING,
                         "%s: compressed; readers of OTF2 3 refuse it until it is unpacked (spur "
                         "unpack)",
                         a->path);
    return OTF2_SUCCESS;
}

/*
 * A new archive follows the settings of the program, an existing archive follows its anchor file.
 */
static OTF2_ErrorCode prepare(OTF2_Archive *a)
{
    if (a->mode == OTF2_FILEMODE_WRITE)
        return check_new(a);
    OTF2_ErrorCode error = otf2_archive_load(a);
    return !error && a->mode == OTF2_FILEMODE_MODIFY ? otf2_archive_modify(a) : error;
}

static void release(OTF2_Archive *a)
{
    otf2_archive_properties_fini(a);
    otf2_contained_fini(&a->contained);
    otf2_registry_fini(&a->evt_writers);
    otf2_registry_fini(&a->def_writers);
    otf2_registry_fini(&a->snap_writers);
    otf2_registry_fini(&a->thumb_writers);
    (void)otf2_archive_unload(a);
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
    if (!archivePath || !archiveName || strchr(archiveName, '/') ||
        fileMode > OTF2_FILEMODE_MODIFY) {
        (void)OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT,
                         "no path, a name with a slash, or unknown file mode %d", fileMode);
        return NULL;
    }
    OTF2_Archive *a = otf2_mem_new(sizeof *a);
    if (a) {
        a->path = otf2_text_new(*archivePath ? archivePath : ".");
        a->name = otf2_text_new(archiveName);
        a->mode = fileMode;
        a->files = &otf2_file_plain;
        a->substrate = fileSubstrate;
        a->compression = compression;
        a->chunk_events = chunkSizeEvents;
        a->chunk_defs = chunkSizeDefs;
        (void)OTF2X_Archive_SetVersion(a, OTF2_VERSION_MAJOR, OTF2_VERSION_MINOR,
                                       OTF2_VERSION_BUGFIX);
    }
    if (!a || !a->path || !a->name)
        (void)OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "%s: no memory", archivePath);
    else if (!prepare(a))
        return a;
    if (a)
        release(a);
    return NULL;
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
        .trace_id = a->reader ? a->trace_id : otf2_file_random(),
        .machine = or_empty(a->machine_name),
        .creator = or_empty(a->creator),
        .description = or_empty(a->description),
        .properties = a->properties,
        .nproperties = a->n_properties,
        .snapshots = a->n_snapshots,
        .thumbnails = a->n_thumbnails,
        .version = {a->version[0], a->version[1], a->version[2]},
        .substrate = a->substrate,
        .compression = a->compression,
    };
}

/*
 * The anchor file: one block, in memory and with the consent of the same callbacks as the chunks of
 * other files. A program that refuses the memory gets no anchor.
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

/*
 * The anchor file of a new archive is written first, as programs expect. The anchor file of an
 * existing archive is written last: when the disk is full, the archive stays as before.
 */
static OTF2_ErrorCode write_out(OTF2_Archive *a)
{
    bool is_primary = false;
    OTF2_ErrorCode error = OTF2_SUCCESS;
    if (a->mode == OTF2_FILEMODE_WRITE || a->has_collectives)
        error = otf2_archive_is_primary(a, &is_primary);
    bool has_anchor = is_primary && a->is_ready && a->chunk_defs != OTF2_UNDEFINED_UINT64;
    if (has_anchor && a->mode == OTF2_FILEMODE_WRITE)
        error = otf2_first_of(error, write_anchor(a));
    error = otf2_first_of(error, otf2_archive_close_writers(a));
    if (a->mode == OTF2_FILEMODE_WRITE && a->substrate == OTF2_SUBSTRATE_SION && a->is_ready)
        error = otf2_first_of(error, otf2_contained_end(a));
    if (has_anchor && a->mode == OTF2_FILEMODE_MODIFY && !error)
        error = write_anchor(a);
    return error;
}

OTF2_ErrorCode OTF2_Archive_Close(OTF2_Archive *archive)
{
    if (!archive)
        return OTF2_SUCCESS;
    OTF2_ErrorCode error = write_out(archive);
    error = otf2_first_of(error, otf2_archive_unload(archive));
    archive->reader = NULL;
    if (archive->has_collectives && archive->collectives.otf2_release)
        archive->collectives.otf2_release(archive->collective_data, archive->global_context,
                                          archive->local_context);
    release_lock(archive);
    release(archive);
    return error;
}
