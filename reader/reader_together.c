/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sharing of a reader: threads that share a reader, processes that read together, and hints about
 * the planned reading. Every process reads the files itself, so nothing needs to be exchanged. The
 * results are the same on all processes.
 */
#include "format/serial.h"
#include "reader/reader.h"

#define NO_READER OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no reader")

/* ---- threads ---- */

/*
 * A failing lock is reported. The call goes on, since most calls have no other way to report the
 * failure.
 */
void otf2_reader_lock(OTF2_Reader *r)
{
    if (r->has_locks && r->locking.otf2_lock(r->locking_data, r->lock) != OTF2_CALLBACK_SUCCESS)
        (void)OTF2_ERROR(OTF2_ERROR_LOCKING_CALLBACK, "cannot lock the reader");
}

void otf2_reader_unlock(OTF2_Reader *r)
{
    if (r->has_locks && r->locking.otf2_unlock(r->locking_data, r->lock) != OTF2_CALLBACK_SUCCESS)
        (void)OTF2_ERROR(OTF2_ERROR_LOCKING_CALLBACK, "cannot unlock the reader");
}

OTF2_ErrorCode OTF2_Reader_SetLockingCallbacks(OTF2_Reader *reader,
                                               const OTF2_LockingCallbacks *lockingCallbacks,
                                               void *lockingData)
{
    const OTF2_LockingCallbacks *c = lockingCallbacks;
    OTF2_Lock lock = NULL;
    if (!reader || !c || !c->otf2_create || !c->otf2_destroy || !c->otf2_lock || !c->otf2_unlock)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no reader, or locking callbacks missing");
    if (reader->has_locks)
        return OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "locking callbacks are set already");
    if (c->otf2_create(lockingData, &lock) != OTF2_CALLBACK_SUCCESS)
        return OTF2_ERROR(OTF2_ERROR_LOCKING_CALLBACK, "cannot create a lock");
    reader->locking = *c;
    reader->locking_data = lockingData;
    reader->lock = lock;
    reader->has_locks = true;
    return OTF2_SUCCESS;
}

/* ---- processes ---- */

OTF2_ErrorCode OTF2_Reader_SetCollectiveCallbacks(
    OTF2_Reader *reader, const OTF2_CollectiveCallbacks *collectiveCallbacks, void *collectiveData,
    OTF2_CollectiveContext *globalCommContext, OTF2_CollectiveContext *localCommContext)
{
    const OTF2_CollectiveCallbacks *c = collectiveCallbacks;
    if (!reader || !c || !c->otf2_get_size || !c->otf2_get_rank || !c->otf2_barrier ||
        !c->otf2_bcast || !c->otf2_gather || !c->otf2_gatherv || !c->otf2_scatter ||
        !c->otf2_scatterv)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no reader, or callbacks missing");
    if (reader->has_collectives)
        return OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "collective callbacks are set already");
    otf2_reader_lock(reader);
    reader->has_collectives = true;
    reader->collectives = *c;
    reader->collective_data = collectiveData;
    reader->global_context = globalCommContext;
    reader->local_context = localCommContext;
    OTF2_ErrorCode error = otf2_reader_find_containers(reader);
    otf2_reader_unlock(reader);
    return error;
}

OTF2_ErrorCode OTF2_Reader_SetSerialCollectiveCallbacks(OTF2_Reader *reader)
{
    return OTF2_Reader_SetCollectiveCallbacks(reader, &otf2_serial_collectives, NULL, NULL, NULL);
}

OTF2_ErrorCode OTF2_Reader_IsPrimary(OTF2_Reader *reader, bool *result)
{
    uint32_t rank = 0;
    if (!reader || !result)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no reader, or no place for the answer");
    if (!reader->has_collectives)
        return OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "no collective callbacks are set");
    if (reader->collectives.otf2_get_rank(reader->collective_data, reader->global_context, &rank) !=
        OTF2_CALLBACK_SUCCESS)
        return OTF2_ERROR(OTF2_ERROR_COLLECTIVE_CALLBACK, "cannot get the rank");
    *result = rank == OTF2_COLLECTIVES_ROOT;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_IsMaster(OTF2_Reader *reader, bool *result)
{
    (void)OTF2_ERROR(OTF2_DEPRECATED, "call OTF2_Reader_IsPrimary");
    return OTF2_Reader_IsPrimary(reader, result);
}

/* ---- hints about the planned reading ---- */

OTF2_ErrorCode OTF2_Reader_SetHint(OTF2_Reader *reader, OTF2_Hint hint, void *value)
{
    const OTF2_Boolean *is_global = value;
    if (!reader || !value || hint != OTF2_HINT_GLOBAL_READER)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no reader, no value, or unknown hint %d",
                          hint);
    otf2_reader_lock(reader);
    OTF2_ErrorCode error = OTF2_SUCCESS;
    if (reader->is_hint_locked)
        error = OTF2_ERROR(OTF2_ERROR_HINT_LOCKED, "the hint was set, or used, before");
    else if (*is_global != OTF2_TRUE && *is_global != OTF2_FALSE)
        error = OTF2_ERROR(OTF2_ERROR_HINT_INVALID_VALUE, "no truth value: %d", *is_global);
    else
        reader->is_global_reader_hinted = *is_global == OTF2_TRUE;
    /* An invalid value also locks the hint, as in the reference. */
    reader->is_hint_locked = true;
    otf2_reader_unlock(reader);
    return error;
}

OTF2_ErrorCode OTF2_Reader_SelectLocation(OTF2_Reader *reader, OTF2_LocationRef location)
{
    if (!reader)
        return NO_READER;
    otf2_reader_lock(reader);
    struct otf2_location *known = otf2_locations_intern(&reader->locations, location);
    if (known)
        known->is_selected = true;
    otf2_reader_unlock(reader);
    return known ? OTF2_SUCCESS
                 : OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for a location");
}

/* A file is opened at the first read from the file, so opening all files has nothing to do. */
#define FILES(Name)                                                                                \
    OTF2_ErrorCode OTF2_Reader_##Name(OTF2_Reader *reader)                                         \
    {                                                                                              \
        return reader ? OTF2_SUCCESS : NO_READER;                                                  \
    }
FILES(OpenEvtFiles)
FILES(CloseEvtFiles)
FILES(OpenDefFiles)
FILES(CloseDefFiles)
FILES(OpenSnapFiles)
FILES(CloseSnapFiles)
