/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective callbacks based on MPI. Header-only: include this header once per program, together
 * with no other definition of struct OTF2_CollectiveContext, and compile with MPI.
 *
 * You may define before:
 *   OTF2_MPI_USE_PMPI   calls go to PMPI_*, hidden from tools.
 *   OTF2_MPI_UINT8_T, OTF2_MPI_INT8_T, ..., OTF2_MPI_UINT64_T, OTF2_MPI_INT64_T, OTF2_MPI_FLOAT,
 *   OTF2_MPI_DOUBLE     the MPI datatypes of the C types; MPI 3 has all datatypes, an older MPI
 *                       lacks the datatypes of 64 bits.
 */
#ifndef OTF2_MPI_COLLECTIVES_H
#define OTF2_MPI_COLLECTIVES_H

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

#include <otf2/otf2.h>

#ifdef OTF2_MPI_USE_PMPI
#define OTF2_CALL_MPI_(name) P##name
#else
#define OTF2_CALL_MPI_(name) name
#endif

#if MPI_VERSION >= 3
#define OTF2_MPI_SINCE_3_(mpi3, older) mpi3
#else
#define OTF2_MPI_SINCE_3_(mpi3, older) older
#if !defined(OTF2_MPI_UINT64_T) || !defined(OTF2_MPI_INT64_T)
#error Define OTF2_MPI_UINT64_T and OTF2_MPI_INT64_T, the MPI datatypes of uint64_t and int64_t.
#endif
#endif

/* The MPI datatype of a C type, see above. */
#ifndef OTF2_MPI_UINT8_T
#define OTF2_MPI_UINT8_T OTF2_MPI_SINCE_3_(MPI_UINT8_T, MPI_UNSIGNED_CHAR)
#endif
#ifndef OTF2_MPI_INT8_T
#define OTF2_MPI_INT8_T OTF2_MPI_SINCE_3_(MPI_INT8_T, MPI_SIGNED_CHAR)
#endif
#ifndef OTF2_MPI_UINT16_T
#define OTF2_MPI_UINT16_T OTF2_MPI_SINCE_3_(MPI_UINT16_T, MPI_UNSIGNED_SHORT)
#endif
#ifndef OTF2_MPI_INT16_T
#define OTF2_MPI_INT16_T OTF2_MPI_SINCE_3_(MPI_INT16_T, MPI_SHORT)
#endif
#ifndef OTF2_MPI_UINT32_T
#define OTF2_MPI_UINT32_T OTF2_MPI_SINCE_3_(MPI_UINT32_T, MPI_UNSIGNED)
#endif
#ifndef OTF2_MPI_INT32_T
#define OTF2_MPI_INT32_T OTF2_MPI_SINCE_3_(MPI_INT32_T, MPI_INT)
#endif
#ifndef OTF2_MPI_UINT64_T
#define OTF2_MPI_UINT64_T MPI_UINT64_T
#endif
#ifndef OTF2_MPI_INT64_T
#define OTF2_MPI_INT64_T MPI_INT64_T
#endif
#ifndef OTF2_MPI_FLOAT
#define OTF2_MPI_FLOAT MPI_FLOAT
#endif
#ifndef OTF2_MPI_DOUBLE
#define OTF2_MPI_DOUBLE MPI_DOUBLE
#endif

/* A communicator, with its size and this process's rank. */
struct OTF2_CollectiveContext {
    MPI_Comm comm;        /* owned by this object */
    int size;             /* of comm */
    int rank;             /* in comm */
    int displacements[1]; /* `size` entries */
};

/* The data of an archive's callbacks. */
typedef struct OTF2_MPI_UserData {
    OTF2_CollectiveCallbacks callbacks;
    OTF2_CollectiveContext *global;
    OTF2_CollectiveContext *local;
} OTF2_MPI_UserData;

static inline OTF2_CallbackCode otf2_mpi_answer(int ret)
{
    return ret == MPI_SUCCESS ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_ERROR;
}

/* MPI before version 3 declares read-only buffers as if MPI wrote to the buffers. */
static inline void *otf2_mpi_buffer(const void *data)
{
    return (void *)(uintptr_t)data;
}

static inline MPI_Datatype otf2_mpi_get_type(OTF2_Type type)
{
    switch (type) {
    case OTF2_TYPE_UINT8:
        return OTF2_MPI_UINT8_T;
    case OTF2_TYPE_INT8:
        return OTF2_MPI_INT8_T;
    case OTF2_TYPE_UINT16:
        return OTF2_MPI_UINT16_T;
    case OTF2_TYPE_INT16:
        return OTF2_MPI_INT16_T;
    case OTF2_TYPE_UINT32:
        return OTF2_MPI_UINT32_T;
    case OTF2_TYPE_INT32:
        return OTF2_MPI_INT32_T;
    case OTF2_TYPE_UINT64:
        return OTF2_MPI_UINT64_T;
    case OTF2_TYPE_INT64:
        return OTF2_MPI_INT64_T;
    case OTF2_TYPE_FLOAT:
        return OTF2_MPI_FLOAT;
    case OTF2_TYPE_DOUBLE:
        return OTF2_MPI_DOUBLE;
    default:
        return MPI_DATATYPE_NULL;
    }
}

/* Takes `comm` over, or a duplicate of `comm`. NULL on error. */
static inline OTF2_CollectiveContext *otf2_mpi_create_context(MPI_Comm comm, bool duplicate)
{
    int size;
    int rank;
    if (OTF2_CALL_MPI_(MPI_Comm_size)(comm, &size) != MPI_SUCCESS ||
        OTF2_CALL_MPI_(MPI_Comm_rank)(comm, &rank) != MPI_SUCCESS)
        return NULL;
    OTF2_CollectiveContext *context = (OTF2_CollectiveContext *)malloc(
        sizeof *context + (size_t)size * sizeof context->displacements[0]);
    if (!context)
        return NULL;
    context->comm = comm;
    context->size = size;
    context->rank = rank;
    if (duplicate && OTF2_CALL_MPI_(MPI_Comm_dup)(comm, &context->comm) != MPI_SUCCESS) {
        free(context);
        return NULL;
    }
    return context;
}

static inline void otf2_mpi_destroy_context(OTF2_CollectiveContext *collectiveContext)
{
    if (!collectiveContext)
        return;
    OTF2_CALL_MPI_(MPI_Comm_free)(&collectiveContext->comm);
    free(collectiveContext);
}

static inline OTF2_CollectiveContext *otf2_mpi_split_context(OTF2_CollectiveContext *commContext,
                                                             int color, int key)
{
    MPI_Comm comm;
    if (OTF2_CALL_MPI_(MPI_Comm_split)(commContext->comm, color, key, &comm) != MPI_SUCCESS)
        return NULL;
    OTF2_CollectiveContext *context = otf2_mpi_create_context(comm, false);
    if (!context)
        OTF2_CALL_MPI_(MPI_Comm_free)(&comm);
    return context;
}

/* Neighbouring ranks share a file; if there is a remainder, the first files take one rank more. */
static inline OTF2_CollectiveContext *
otf2_mpi_split_context_by_number(OTF2_CollectiveContext *commContext, uint32_t numberOfFiles)
{
    int files = (int)numberOfFiles;
    int small = commContext->size / files;
    int large_files = commContext->size % files;
    int in_large = large_files * (small + 1);
    int rank = commContext->rank;
    if (rank < in_large)
        return otf2_mpi_split_context(commContext, rank / (small + 1), rank % (small + 1));
    rank -= in_large;
    return otf2_mpi_split_context(commContext, large_files + rank / small, rank % small);
}

static inline void otf2_mpi_collectives_release(void *userData,
                                                OTF2_CollectiveContext *globalCommContext,
                                                OTF2_CollectiveContext *localCommContext)
{
    OTF2_MPI_UserData *data = (OTF2_MPI_UserData *)userData;
    (void)globalCommContext;
    (void)localCommContext;
    otf2_mpi_destroy_context(data->global);
    otf2_mpi_destroy_context(data->local);
    free(data);
}

static inline OTF2_CallbackCode otf2_mpi_collectives_create_local_comm(
    void *userData, OTF2_CollectiveContext **localCommContextOut,
    OTF2_CollectiveContext *globalCommContext, uint32_t globalRank, uint32_t globalSize,
    uint32_t localRank, uint32_t localSize, uint32_t fileNumber, uint32_t numberOfFiles)
{
    (void)userData;
    (void)globalRank;
    (void)globalSize;
    (void)localSize;
    (void)numberOfFiles;
    *localCommContextOut =
        otf2_mpi_split_context(globalCommContext, (int)fileNumber, (int)localRank);
    return *localCommContextOut ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_ERROR;
}

static inline OTF2_CallbackCode
otf2_mpi_collectives_free_local_comm(void *userData, OTF2_CollectiveContext *localCommContext)
{
    (void)userData;
    otf2_mpi_destroy_context(localCommContext);
    return OTF2_CALLBACK_SUCCESS;
}

static inline OTF2_CallbackCode
otf2_mpi_collectives_get_size(void *userData, OTF2_CollectiveContext *commContext, uint32_t *size)
{
    (void)userData;
    *size = (uint32_t)commContext->size;
    return OTF2_CALLBACK_SUCCESS;
}

static inline OTF2_CallbackCode
otf2_mpi_collectives_get_rank(void *userData, OTF2_CollectiveContext *commContext, uint32_t *rank)
{
    (void)userData;
    *rank = (uint32_t)commContext->rank;
    return OTF2_CALLBACK_SUCCESS;
}

static inline OTF2_CallbackCode otf2_mpi_collectives_barrier(void *userData,
                                                             OTF2_CollectiveContext *commContext)
{
    (void)userData;
    return otf2_mpi_answer(OTF2_CALL_MPI_(MPI_Barrier)(commContext->comm));
}

static inline OTF2_CallbackCode otf2_mpi_collectives_bcast(void *userData,
                                                           OTF2_CollectiveContext *commContext,
                                                           void *data, uint32_t numberElements,
                                                           OTF2_Type type, uint32_t root)
{
    (void)userData;
    return otf2_mpi_answer(OTF2_CALL_MPI_(MPI_Bcast)(data, (int)numberElements,
                                                     otf2_mpi_get_type(type), (int)root,
                                                     commContext->comm));
}

static inline OTF2_CallbackCode
otf2_mpi_collectives_gather(void *userData, OTF2_CollectiveContext *commContext, const void *inData,
                            void *outData, uint32_t numberElements, OTF2_Type type, uint32_t root)
{
    MPI_Datatype datatype = otf2_mpi_get_type(type);
    int count = (int)numberElements;
    (void)userData;
    return otf2_mpi_answer(OTF2_CALL_MPI_(MPI_Gather)(otf2_mpi_buffer(inData), count, datatype,
                                                      outData, count, datatype, (int)root,
                                                      commContext->comm));
}

/* The beginning of each rank's values, when all values lie one after the other. */
static inline int *otf2_mpi_displacements(OTF2_CollectiveContext *context, const uint32_t *counts,
                                          uint32_t root)
{
    int at = 0;
    if (context->rank != (int)root)
        return NULL;
    for (int i = 0; i < context->size; i++) {
        context->displacements[i] = at;
        at += (int)counts[i];
    }
    return context->displacements;
}

static inline OTF2_CallbackCode
otf2_mpi_collectives_gatherv(void *userData, OTF2_CollectiveContext *commContext,
                             const void *inData, uint32_t inElements, void *outData,
                             const uint32_t *outElements, OTF2_Type type, uint32_t root)
{
    MPI_Datatype datatype = otf2_mpi_get_type(type);
    int *displacements = otf2_mpi_displacements(commContext, outElements, root);
    (void)userData;
    return otf2_mpi_answer(
        OTF2_CALL_MPI_(MPI_Gatherv)(otf2_mpi_buffer(inData), (int)inElements, datatype, outData,
                                    (int *)otf2_mpi_buffer(outElements), displacements, datatype,
                                    (int)root, commContext->comm));
}

static inline OTF2_CallbackCode otf2_mpi_collectives_scatter(void *userData,
                                                             OTF2_CollectiveContext *commContext,
                                                             const void *inData, void *outData,
                                                             uint32_t numberElements,
                                                             OTF2_Type type, uint32_t root)
{
    MPI_Datatype datatype = otf2_mpi_get_type(type);
    int count = (int)numberElements;
    (void)userData;
    return otf2_mpi_answer(OTF2_CALL_MPI_(MPI_Scatter)(otf2_mpi_buffer(inData), count, datatype,
                                                       outData, count, datatype, (int)root,
                                                       commContext->comm));
}

static inline OTF2_CallbackCode
otf2_mpi_collectives_scatterv(void *userData, OTF2_CollectiveContext *commContext,
                              const void *inData, const uint32_t *inElements, void *outData,
                              uint32_t outElements, OTF2_Type type, uint32_t root)
{
    MPI_Datatype datatype = otf2_mpi_get_type(type);
    int *displacements = otf2_mpi_displacements(commContext, inElements, root);
    (void)userData;
    return otf2_mpi_answer(OTF2_CALL_MPI_(
        MPI_Scatterv)(otf2_mpi_buffer(inData), (int *)otf2_mpi_buffer(inElements), displacements,
                      datatype, outData, (int)outElements, datatype, (int)root, commContext->comm));
}

static inline void otf2_mpi_get_collectives(OTF2_CollectiveCallbacks *collectiveCallbacks)
{
    collectiveCallbacks->otf2_release = otf2_mpi_collectives_release;
    collectiveCallbacks->otf2_get_size = otf2_mpi_collectives_get_size;
    collectiveCallbacks->otf2_get_rank = otf2_mpi_collectives_get_rank;
    collectiveCallbacks->otf2_create_local_comm = otf2_mpi_collectives_create_local_comm;
    collectiveCallbacks->otf2_free_local_comm = otf2_mpi_collectives_free_local_comm;
    collectiveCallbacks->otf2_barrier = otf2_mpi_collectives_barrier;
    collectiveCallbacks->otf2_bcast = otf2_mpi_collectives_bcast;
    collectiveCallbacks->otf2_gather = otf2_mpi_collectives_gather;
    collectiveCallbacks->otf2_gatherv = otf2_mpi_collectives_gatherv;
    collectiveCallbacks->otf2_scatter = otf2_mpi_collectives_scatter;
    collectiveCallbacks->otf2_scatterv = otf2_mpi_collectives_scatterv;
}

/* The callbacks over a duplicate of `comm`; NULL on error, with the reason in *err. */
static inline OTF2_MPI_UserData *otf2_mpi_new_data(MPI_Comm comm, OTF2_ErrorCode *err)
{
    OTF2_MPI_UserData *data = (OTF2_MPI_UserData *)calloc(1, sizeof *data);
    if (!data) {
        *err = OTF2_ERROR_MEM_ALLOC_FAILED;
        return NULL;
    }
    otf2_mpi_get_collectives(&data->callbacks);
    data->global = otf2_mpi_create_context(comm, true);
    if (data->global)
        return data;
    free(data);
    *err = OTF2_ERROR_PROCESSED_WITH_FAULTS;
    return NULL;
}

/*
 * Hands the callbacks to the archive, which releases the callbacks at its end; after an error the
 * callbacks are released here.
 */
static inline OTF2_ErrorCode otf2_mpi_set(OTF2_Archive *archive, OTF2_MPI_UserData *data,
                                          bool wants_local)
{
    OTF2_ErrorCode err = OTF2_ERROR_PROCESSED_WITH_FAULTS;
    if (data->local || !wants_local)
        err = OTF2_Archive_SetCollectiveCallbacks(archive, &data->callbacks, data, data->global,
                                                  data->local);
    if (err != OTF2_SUCCESS)
        otf2_mpi_collectives_release(data, data->global, data->local);
    return err;
}

/*
 * Lets the processes of a communicator write the archive together. Collective over globalComm.
 *   globalComm  is duplicated.
 *   localComm   the processes that share a physical file, duplicated too; MPI_COMM_NULL if unused.
 *
 * Errors: OTF2_ERROR_INVALID_ARGUMENT for a NULL archive or globalComm,
 * OTF2_ERROR_MEM_ALLOC_FAILED, OTF2_ERROR_PROCESSED_WITH_FAULTS when MPI fails, the errors of
 * OTF2_Archive_SetCollectiveCallbacks.
 */
static inline OTF2_ErrorCode OTF2_MPI_Archive_SetCollectiveCallbacks(OTF2_Archive *archive,
                                                                     MPI_Comm globalComm,
                                                                     MPI_Comm localComm)
{
    OTF2_ErrorCode err = OTF2_ERROR_INVALID_ARGUMENT;
    if (!archive || globalComm == MPI_COMM_NULL)
        return err;
    OTF2_MPI_UserData *data = otf2_mpi_new_data(globalComm, &err);
    if (!data)
        return err;
    if (localComm != MPI_COMM_NULL)
        data->local = otf2_mpi_create_context(localComm, true);
    return otf2_mpi_set(archive, data, localComm != MPI_COMM_NULL);
}

/*
 * The same, with globalComm split into `numberOfFiles` groups of neighbouring ranks, as equal as
 * possible; at most one group per rank. OTF2_ERROR_INVALID_ARGUMENT as well when numberOfFiles is
 * 0.
 */
static inline OTF2_ErrorCode OTF2_MPI_Archive_SetCollectiveCallbacksSplit(OTF2_Archive *archive,
                                                                          MPI_Comm globalComm,
                                                                          uint32_t numberOfFiles)
{
    OTF2_ErrorCode err = OTF2_ERROR_INVALID_ARGUMENT;
    if (!archive || globalComm == MPI_COMM_NULL || numberOfFiles == 0)
        return err;
    OTF2_MPI_UserData *data = otf2_mpi_new_data(globalComm, &err);
    if (!data)
        return err;
    data->local = otf2_mpi_split_context_by_number(data->global, numberOfFiles);
    return otf2_mpi_set(archive, data, true);
}

/*
 * Lets the processes of a communicator read an archive together. Collective over globalComm, which
 * is duplicated. Errors: OTF2_ERROR_INVALID_ARGUMENT for a NULL reader or globalComm,
 * OTF2_ERROR_MEM_ALLOC_FAILED, OTF2_ERROR_PROCESSED_WITH_FAULTS when MPI fails, the errors of
 * OTF2_Reader_SetCollectiveCallbacks.
 */
static inline OTF2_ErrorCode OTF2_MPI_Reader_SetCollectiveCallbacks(OTF2_Reader *reader,
                                                                    MPI_Comm globalComm)
{
    OTF2_ErrorCode err = OTF2_ERROR_INVALID_ARGUMENT;
    if (!reader || globalComm == MPI_COMM_NULL)
        return err;
    OTF2_MPI_UserData *data = otf2_mpi_new_data(globalComm, &err);
    if (!data)
        return err;
    err = OTF2_Reader_SetCollectiveCallbacks(reader, &data->callbacks, data, data->global, NULL);
    if (err != OTF2_SUCCESS)
        otf2_mpi_collectives_release(data, data->global, NULL);
    return err;
}

#undef OTF2_CALL_MPI_

#endif
