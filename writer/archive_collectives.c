/* SPDX-License-Identifier: BSD-3-Clause */
/* How the processes that write an archive together agree. */
#include <errno.h>
#include <stdio.h>

#include "format/error.h"
#include "format/serial.h"
#include "writer/archive_state.h"
#include "writer/file.h"

enum { PATH_BYTES = 4096 };

#define NO_ARCHIVE OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no archive")

OTF2_ErrorCode otf2_archive_is_primary(OTF2_Archive *a, bool *is_primary)
{
    uint32_t rank = 0;
    *is_primary = false;
    if (!a->has_collectives)
        return OTF2_FAIL(OTF2_ERROR_INVALID_CALL, "no collective callbacks are set");
    if (a->collectives.otf2_get_rank(a->collective_data, a->global_context, &rank) !=
        OTF2_CALLBACK_SUCCESS)
        return OTF2_FAIL(OTF2_ERROR_COLLECTIVE_CALLBACK, "cannot get the rank");
    *is_primary = rank == OTF2_COLLECTIVES_ROOT;
    return OTF2_SUCCESS;
}

/* The root's value, at all. */
static OTF2_ErrorCode broadcast(OTF2_Archive *a, void *value, OTF2_Type type)
{
    if (a->collectives.otf2_bcast(a->collective_data, a->global_context, value, 1, type,
                                  OTF2_COLLECTIVES_ROOT) != OTF2_CALLBACK_SUCCESS)
        return OTF2_FAIL(OTF2_ERROR_COLLECTIVE_CALLBACK, "cannot broadcast");
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode make_directories(const OTF2_Archive *a)
{
    char path[PATH_BYTES];
    if (a->substrate == OTF2_SUBSTRATE_NONE)
        return OTF2_SUCCESS;
    int n = snprintf(path, sizeof path, "%s/%s", a->path, a->name);
    if (n < 0 || (size_t)n >= sizeof path)
        return OTF2_FAIL(OTF2_ERROR_ENAMETOOLONG, "%s: path too long", a->path);
    int err = a->files->make_dir(path);
    if (err == -ENOENT) {
        err = otf2_file_make_dirs(a->path);
        if (!err)
            err = a->files->make_dir(path);
    }
    return err ? OTF2_FAIL(otf2_error_from_errno(-err), "%s: cannot make the directory", path)
               : OTF2_SUCCESS;
}

OTF2_ErrorCode
OTF2_Archive_SetCollectiveCallbacks(OTF2_Archive *archive,
                                    const OTF2_CollectiveCallbacks *collectiveCallbacks,
                                    void *collectiveData, OTF2_CollectiveContext *globalCommContext,
                                    OTF2_CollectiveContext *localCommContext)
{
    const OTF2_CollectiveCallbacks *c = collectiveCallbacks;
    if (!archive || !c || !c->otf2_get_size || !c->otf2_get_rank || !c->otf2_barrier ||
        !c->otf2_bcast || !c->otf2_gather || !c->otf2_gatherv || !c->otf2_scatter ||
        !c->otf2_scatterv)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no archive, or callbacks missing");
    if (archive->has_collectives)
        return OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "collective callbacks are set already");
    archive->has_collectives = true;
    archive->collectives = *c;
    archive->collective_data = collectiveData;
    archive->global_context = globalCommContext;
    archive->local_context = localCommContext;

    /* What exists is read by each process itself: nothing to make, and nothing to agree on. */
    archive->is_ready = archive->reader;
    if (archive->is_ready)
        return OTF2_SUCCESS;
    bool is_primary;
    OTF2_ErrorCode error = otf2_archive_is_primary(archive, &is_primary);
    if (error)
        return error;
    int64_t status = is_primary ? (int64_t)make_directories(archive) : 0;
    error = broadcast(archive, &status, OTF2_TYPE_INT64);
    if (!error)
        error = (OTF2_ErrorCode)status;
    if (!error && archive->substrate == OTF2_SUBSTRATE_SION)
        error = otf2_contained_begin(archive);
    archive->is_ready = !error;
    return error;
}

OTF2_ErrorCode OTF2_Archive_SetDefChunkSize(OTF2_Archive *archive, uint64_t chunkSize)
{
    if (!archive)
        return NO_ARCHIVE;
    if (!archive->has_collectives)
        return OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "no collective callbacks are set");
    OTF2_ErrorCode error = broadcast(archive, &chunkSize, OTF2_TYPE_UINT64);
    if (error)
        return error;
    if (chunkSize < OTF2_CHUNK_SIZE_MIN || chunkSize > OTF2_CHUNK_SIZE_MAX)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "chunk size %llu is out of range",
                          (unsigned long long)chunkSize);
    if (archive->chunk_defs != OTF2_UNDEFINED_UINT64)
        return OTF2_ERROR(OTF2_ERROR_PROCESSED_WITH_FAULTS, "the chunk size is set already");
    archive->chunk_defs = chunkSize;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Archive_IsPrimary(OTF2_Archive *archive, bool *result)
{
    if (!archive || !result)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no archive, or no place for the answer");
    bool is_primary;
    OTF2_ErrorCode error = otf2_archive_is_primary(archive, &is_primary);
    if (!error)
        *result = is_primary;
    return error;
}

OTF2_ErrorCode OTF2_Archive_IsMaster(OTF2_Archive *archive, bool *result)
{
    return OTF2_Archive_IsPrimary(archive, result);
}

OTF2_ErrorCode OTF2_Archive_SetSerialCollectiveCallbacks(OTF2_Archive *archive)
{
    return OTF2_Archive_SetCollectiveCallbacks(archive, &otf2_serial_collectives, NULL, NULL, NULL);
}
