/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of an archive, shared by the files of this folder. Fields are read and written under
 * the archive's lock (otf2_archive_lock), except for fields that are fixed before the first writer
 * exists.
 */
#ifndef WRITER_ARCHIVE_H
#define WRITER_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2.h>
#include <otf2x/otf2x.h>

#include "format/anchor.h"
#include "format/error.h"
#include "writer/contained.h"
#include "writer/registry.h"

struct OTF2_Archive_struct {
    char *path;
    char *name;
    OTF2_FileMode mode;  /* MODIFY: an existing archive is written again */
    OTF2_Reader *reader; /* of an archive that existed before the opening, else NULL */
    uint64_t trace_id;   /* of an existing archive */
    uint8_t version[3];  /* of the anchor file */
    const OTF2X_FileCallbacks *files;
    OTF2_FileSubstrate substrate;
    OTF2_Compression compression;
    uint64_t chunk_events;
    uint64_t chunk_defs; /* OTF2_UNDEFINED_UINT64 until OTF2_Archive_SetDefChunkSize */

    char *machine_name; /* NULL: not set */
    char *description;
    char *creator;
    struct otf2_property *properties; /* texts owned by the archive */
    uint32_t n_properties;
    uint32_t n_snapshots;
    uint32_t n_thumbnails;

    bool has_flush;
    OTF2_FlushCallbacks flush;
    void *flush_data;
    OTF2_MemoryCallbacks memory; /* otf2_allocate NULL: the library's own memory */
    void *memory_data;
    OTF2_LockingCallbacks locking;
    void *locking_data;
    OTF2_Lock lock; /* NULL: no locking */
    bool has_collectives;
    bool is_ready; /* the directories exist */
    OTF2_CollectiveCallbacks collectives;
    void *collective_data;
    OTF2_CollectiveContext *global_context;
    OTF2_CollectiveContext *local_context;

    struct otf2_contained contained; /* of substrate SION */

    struct otf2_registry evt_writers;
    struct otf2_registry def_writers;
    struct otf2_registry snap_writers;
    struct otf2_registry thumb_writers;
    OTF2_GlobalDefWriter *global_defs;
    OTF2_MarkerWriter *markers;
    uint64_t n_locations; /* in the global definitions, even after their writer was closed */
    uint64_t n_definitions;
};

/*
 * As OTF2_ERROR, for code that relies on the result: if a callback turns the error into a success,
 * the code of the error counts.
 */
#define OTF2_FAIL(code, ...) otf2_no_success(OTF2_ERROR(code, __VA_ARGS__), code)

static inline OTF2_ErrorCode otf2_no_success(OTF2_ErrorCode answer, OTF2_ErrorCode code)
{
    return answer == OTF2_SUCCESS ? code : answer;
}

void otf2_archive_lock(OTF2_Archive *a);
void otf2_archive_unlock(OTF2_Archive *a);

/* Whether this process writes the files that exist only once: asks the collective callbacks. */
OTF2_ErrorCode otf2_archive_is_primary(OTF2_Archive *a, bool *is_primary);

/*
 * The path of a file of the archive. `location` is the location of events, local definitions and
 * snapshots, but the number of a thumbnail. False: the path does not fit into path[bytes].
 */
bool otf2_archive_file(const OTF2_Archive *a, OTF2_FileType type, OTF2_LocationRef location,
                       char *path, uint64_t bytes);

/* Releases a text made by otf2_text_new(). */
void otf2_text_free(const char *text);

/* The first of two errors, when only one can be returned. */
static inline OTF2_ErrorCode otf2_first_of(OTF2_ErrorCode first, OTF2_ErrorCode next)
{
    return first ? first : next;
}

/* Close all writers, in the order known to programs; the first error counts. */
OTF2_ErrorCode otf2_archive_close_writers(OTF2_Archive *a);

void otf2_archive_properties_fini(OTF2_Archive *a);

static inline bool otf2_is_chunk_size(uint64_t bytes)
{
    return bytes >= OTF2_CHUNK_SIZE_MIN && bytes <= OTF2_CHUNK_SIZE_MAX;
}

/*
 * Existing archives. Load an archive as described by the anchor file, turn an archive for reading
 * into an archive for writing, end the reader; give the reader the archive's lock. Errors are
 * reported.
 */
OTF2_ErrorCode otf2_archive_load(OTF2_Archive *a);
OTF2_ErrorCode otf2_archive_modify(OTF2_Archive *a);
OTF2_ErrorCode otf2_archive_unload(OTF2_Archive *a);
OTF2_ErrorCode otf2_archive_share_lock(OTF2_Archive *a);

#endif
