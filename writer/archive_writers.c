/* SPDX-License-Identifier: BSD-3-Clause */
/* The writers of an archive: their owners, and their end. */
#include <stddef.h>

#include "format/error.h"
#include "writer/archive_state.h"
#include "writer/evt_writer.h"
#include "writer/record_writer.h"

#define NO_ARCHIVE OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no archive")

/*
 * May writing begin? Before the collective callbacks are set, writers write into memory: programs
 * begin to record before the processes of the archive are known. If making the directories has
 * failed, there is no place to write to.
 */
static bool may_begin(const OTF2_Archive *a)
{
    bool has_failed = a->has_collectives && !a->is_ready;
    if (has_failed)
        (void)OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "the archive's directory was not made");
    return !has_failed;
}

static bool is_written(const OTF2_Archive *a)
{
    if (a->mode == OTF2_FILEMODE_READ)
        (void)OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "the archive is being read");
    return a->mode != OTF2_FILEMODE_READ && may_begin(a);
}

static bool has_def_chunks(const OTF2_Archive *a)
{
    if (a->chunk_defs == OTF2_UNDEFINED_UINT64)
        (void)OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "the definitions' chunk size is not set");
    return a->chunk_defs != OTF2_UNDEFINED_UINT64;
}

/* ---- events ---- */

static OTF2_EvtWriter *evt_writer_of(struct otf2_node *node)
{
    return node ? (OTF2_EvtWriter *)((char *)node - offsetof(OTF2_EvtWriter, node)) : NULL;
}

static OTF2_EvtWriter *add_evt_writer(OTF2_Archive *a, OTF2_LocationRef location)
{
    OTF2_EvtWriter *w = otf2_evt_writer_open(a, location);
    if (!w)
        return NULL;
    w->is_listed = otf2_contained_know(a, location) && otf2_registry_add(&a->evt_writers, &w->node);
    if (w->is_listed)
        return w;
    (void)OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for an event writer");
    (void)otf2_evt_writer_close(w);
    return NULL;
}

OTF2_EvtWriter *OTF2_Archive_GetEvtWriter(OTF2_Archive *archive, OTF2_LocationRef location)
{
    if (!archive) {
        (void)NO_ARCHIVE;
        return NULL;
    }
    if (!is_written(archive))
        return NULL;
    otf2_archive_lock(archive);
    OTF2_EvtWriter *w = evt_writer_of(otf2_registry_find(&archive->evt_writers, location));
    if (!w)
        w = add_evt_writer(archive, location);
    otf2_archive_unlock(archive);
    return w;
}

static OTF2_ErrorCode close_evt_writer(OTF2_Archive *a, OTF2_EvtWriter *w)
{
    otf2_registry_remove(&a->evt_writers, &w->node);
    w->is_listed = false;
    /* Not under the lock: the program's flush callback may call back. */
    otf2_archive_unlock(a);
    OTF2_ErrorCode error = otf2_evt_writer_close(w);
    otf2_archive_lock(a);
    return error;
}

OTF2_ErrorCode OTF2_Archive_CloseEvtWriter(OTF2_Archive *archive, OTF2_EvtWriter *writer)
{
    if (!archive)
        return NO_ARCHIVE;
    if (!writer)
        return OTF2_SUCCESS;
    otf2_archive_lock(archive);
    OTF2_ErrorCode error =
        otf2_registry_has(&archive->evt_writers, &writer->node)
            ? close_evt_writer(archive, writer)
            : OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "not a writer of this archive");
    otf2_archive_unlock(archive);
    return error;
}

/* ---- writers of records that have a location, or a number ---- */

static struct otf2_record_writer *record_writer_of(struct otf2_node *node)
{
    return (struct otf2_record_writer *)(void *)node;
}

static struct otf2_record_writer *add_record_writer(OTF2_Archive *a, struct otf2_registry *r,
                                                    OTF2_FileType type, OTF2_LocationRef location)
{
    struct otf2_record_writer *w = otf2_record_writer_open(a, type, location);
    bool is_known = type == OTF2_FILETYPE_THUMBNAIL || otf2_contained_know(a, location);
    if (w && (!is_known || !otf2_registry_add(r, &w->node))) {
        (void)OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for a writer");
        (void)otf2_record_writer_close(w);
        w = NULL;
    }
    return w;
}

static struct otf2_record_writer *get_record_writer(OTF2_Archive *a, struct otf2_registry *r,
                                                    OTF2_FileType type, OTF2_LocationRef location)
{
    if (location == OTF2_UNDEFINED_LOCATION) {
        (void)OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "the location is undefined");
        return NULL;
    }
    if (!is_written(a) || (type == OTF2_FILETYPE_LOCAL_DEFS && !has_def_chunks(a)))
        return NULL;
    otf2_archive_lock(a);
    struct otf2_record_writer *w = record_writer_of(otf2_registry_find(r, location));
    if (!w)
        w = add_record_writer(a, r, type, location);
    otf2_archive_unlock(a);
    return w;
}

static OTF2_ErrorCode close_record_writer(OTF2_Archive *a, struct otf2_registry *r,
                                          struct otf2_record_writer *w)
{
    if (!w)
        return OTF2_SUCCESS;
    otf2_archive_lock(a);
    bool is_ours = otf2_registry_has(r, &w->node);
    if (is_ours)
        otf2_registry_remove(r, &w->node);
    otf2_archive_unlock(a);
    return is_ours ? otf2_record_writer_close(w)
                   : OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "not a writer of this archive");
}

OTF2_DefWriter *OTF2_Archive_GetDefWriter(OTF2_Archive *archive, OTF2_LocationRef location)
{
    if (!archive) {
        (void)NO_ARCHIVE;
        return NULL;
    }
    return (OTF2_DefWriter *)get_record_writer(archive, &archive->def_writers,
                                               OTF2_FILETYPE_LOCAL_DEFS, location);
}

OTF2_ErrorCode OTF2_Archive_CloseDefWriter(OTF2_Archive *archive, OTF2_DefWriter *writer)
{
    if (!archive)
        return NO_ARCHIVE;
    return close_record_writer(archive, &archive->def_writers, writer ? &writer->base : NULL);
}

OTF2_SnapWriter *OTF2_Archive_GetSnapWriter(OTF2_Archive *archive, OTF2_LocationRef location)
{
    if (!archive) {
        (void)NO_ARCHIVE;
        return NULL;
    }
    return (OTF2_SnapWriter *)get_record_writer(archive, &archive->snap_writers,
                                                OTF2_FILETYPE_SNAPSHOTS, location);
}

OTF2_ErrorCode OTF2_Archive_CloseSnapWriter(OTF2_Archive *archive, OTF2_SnapWriter *writer)
{
    if (!archive)
        return NO_ARCHIVE;
    return close_record_writer(archive, &archive->snap_writers, writer ? &writer->base : NULL);
}

OTF2_ThumbWriter *OTF2_Archive_GetThumbWriter(OTF2_Archive *archive, const char *name,
                                              const char *description, OTF2_ThumbnailType type,
                                              uint32_t numberOfSamples, uint32_t numberOfMetrics,
                                              const uint64_t *refsToDefs)
{
    if (!archive || !name || !description || !numberOfSamples || !numberOfMetrics || !refsToDefs) {
        (void)OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT,
                         "no archive, no samples, no metrics, or no text");
        return NULL;
    }
    if (!is_written(archive))
        return NULL;
    const struct otf2_thumb_ThumbnailHeader header = {.name = name,
                                                      .description = description,
                                                      .type = type,
                                                      .numberOfSamples = numberOfSamples,
                                                      .numberOfMetrics = numberOfMetrics,
                                                      .refsToDefs = refsToDefs};
    otf2_archive_lock(archive);
    struct otf2_record_writer *w =
        add_record_writer(archive, &archive->thumb_writers, OTF2_FILETYPE_THUMBNAIL,
                          archive->n_thumbnails);
    if (w && otf2_record_put(w, &otf2_thumbs[OTF2_THUMB_ThumbnailHeader], &header)) {
        otf2_registry_remove(&archive->thumb_writers, &w->node);
        (void)otf2_record_writer_close(w);
        w = NULL;
    }
    archive->n_thumbnails += w != NULL;
    otf2_archive_unlock(archive);
    return (OTF2_ThumbWriter *)w;
}

/* ---- writers that exist once ---- */

static struct otf2_record_writer *open_single(OTF2_Archive *a, OTF2_FileType type)
{
    /* Markers may be written to an archive that is open for reading. */
    bool may_write = type == OTF2_FILETYPE_MARKER ? may_begin(a) : is_written(a);
    if (!may_write || !has_def_chunks(a))
        return NULL;
    if (type == OTF2_FILETYPE_GLOBAL_DEFS && !a->has_flush) {
        (void)OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "no flush callbacks are set");
        return NULL;
    }
    bool is_primary;
    if (otf2_archive_is_primary(a, &is_primary))
        return NULL;
    if (!is_primary) {
        (void)OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "not the primary archive");
        return NULL;
    }
    if (type == OTF2_FILETYPE_GLOBAL_DEFS) {
        /* All global definitions are written anew. */
        a->n_locations = 0;
        a->n_definitions = 0;
    }
    return otf2_record_writer_open(a, type, OTF2_UNDEFINED_LOCATION);
}

OTF2_GlobalDefWriter *OTF2_Archive_GetGlobalDefWriter(OTF2_Archive *archive)
{
    if (!archive) {
        (void)NO_ARCHIVE;
        return NULL;
    }
    otf2_archive_lock(archive);
    if (!archive->global_defs)
        archive->global_defs =
            (OTF2_GlobalDefWriter *)open_single(archive, OTF2_FILETYPE_GLOBAL_DEFS);
    OTF2_GlobalDefWriter *w = archive->global_defs;
    otf2_archive_unlock(archive);
    return w;
}

OTF2_MarkerWriter *OTF2_Archive_GetMarkerWriter(OTF2_Archive *archive)
{
    if (!archive) {
        (void)NO_ARCHIVE;
        return NULL;
    }
    otf2_archive_lock(archive);
    if (!archive->markers)
        archive->markers = (OTF2_MarkerWriter *)open_single(archive, OTF2_FILETYPE_MARKER);
    OTF2_MarkerWriter *w = archive->markers;
    otf2_archive_unlock(archive);
    return w;
}

OTF2_ErrorCode OTF2_Archive_CloseGlobalDefWriter(OTF2_Archive *archive,
                                                 OTF2_GlobalDefWriter *writer)
{
    if (!archive)
        return NO_ARCHIVE;
    if (!writer)
        return OTF2_SUCCESS;
    bool is_primary;
    OTF2_ErrorCode error = otf2_archive_is_primary(archive, &is_primary);
    if (error)
        return error;
    otf2_archive_lock(archive);
    bool is_ours = writer == archive->global_defs;
    if (is_ours)
        archive->global_defs = NULL;
    otf2_archive_unlock(archive);
    return is_ours ? otf2_record_writer_close(&writer->base)
                   : OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "not the writer of this archive");
}

OTF2_ErrorCode OTF2_Archive_CloseMarkerWriter(OTF2_Archive *archive, OTF2_MarkerWriter *writer)
{
    if (!archive)
        return NO_ARCHIVE;
    if (!writer)
        return OTF2_SUCCESS;
    otf2_archive_lock(archive);
    bool is_ours = writer == archive->markers;
    if (is_ours)
        archive->markers = NULL;
    otf2_archive_unlock(archive);
    return is_ours ? otf2_record_writer_close(&writer->base)
                   : OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "not the writer of this archive");
}

/* ---- all writers ---- */

static OTF2_ErrorCode close_all(struct otf2_registry *r)
{
    OTF2_ErrorCode error = OTF2_SUCCESS;
    while (r->newest) {
        struct otf2_record_writer *w = record_writer_of(r->newest);
        otf2_registry_remove(r, &w->node);
        error = otf2_first_of(error, otf2_record_writer_close(w));
    }
    return error;
}

OTF2_ErrorCode otf2_archive_close_writers(OTF2_Archive *a)
{
    OTF2_ErrorCode error = OTF2_SUCCESS;
    while (a->evt_writers.newest) {
        OTF2_EvtWriter *w = evt_writer_of(a->evt_writers.newest);
        otf2_registry_remove(&a->evt_writers, &w->node);
        w->is_listed = false;
        bool has_location = w->node.location != OTF2_UNDEFINED_LOCATION;
        OTF2_ErrorCode closed = otf2_evt_writer_close(w);
        /*
         * Events without a location belong to nobody: reported, but the archive is whole without
         * the events.
         */
        error = otf2_first_of(error, has_location ? closed : OTF2_SUCCESS);
    }
    error = otf2_first_of(error, close_all(&a->def_writers));
    if (a->global_defs)
        error = otf2_first_of(error, otf2_record_writer_close(&a->global_defs->base));
    error = otf2_first_of(error, close_all(&a->snap_writers));
    error = otf2_first_of(error, close_all(&a->thumb_writers));
    if (a->markers)
        error = otf2_first_of(error, otf2_record_writer_close(&a->markers->base));
    return error;
}

/*
 * Files are opened at the first write, one at a time, so opening all files together does nothing.
 * But a container is made for each kind of file that was opened.
 */
#define FILES(Kind, type)                                                                          \
    OTF2_ErrorCode OTF2_Archive_Open##Kind##Files(OTF2_Archive *archive)                           \
    {                                                                                              \
        if (!archive)                                                                              \
            return NO_ARCHIVE;                                                                     \
        otf2_contained_open(archive, type);                                                        \
        return OTF2_SUCCESS;                                                                       \
    }                                                                                              \
    OTF2_ErrorCode OTF2_Archive_Close##Kind##Files(OTF2_Archive *archive)                          \
    {                                                                                              \
        return archive ? OTF2_SUCCESS : NO_ARCHIVE;                                                \
    }
FILES(Evt, OTF2_FILETYPE_EVENTS)
FILES(Def, OTF2_FILETYPE_LOCAL_DEFS)
FILES(Snap, OTF2_FILETYPE_SNAPSHOTS)
