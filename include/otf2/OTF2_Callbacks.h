/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of the program that the library calls: when to write, where to keep records, how to
 * communicate with other processes, how to lock. Names, signatures and layouts are those of OTF2
 * 3.0.
 *
 * The structs are copied when they are set. `userData` belongs to the program and is passed
 * through.
 */
#ifndef OTF2_CALLBACKS_H
#define OTF2_CALLBACKS_H

#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/OTF2_GeneralDefinitions.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Called before a buffer is written to its file.
 *   fileType    kind of the file.
 *   location    of event, snapshot and local definition files, else OTF2_UNDEFINED_LOCATION. Here
 *               OTF2_EvtWriter_SetLocationID may set the location of an event writer without one.
 *   callerData  the writer: OTF2_EvtWriter, OTF2_DefWriter or OTF2_GlobalDefWriter, by fileType.
 *   final       the writer is about to be closed.
 * Returns OTF2_FLUSH, or OTF2_NO_FLUSH to write no records. Runs on the thread that uses the
 * writer, and must not write records with it.
 */
typedef OTF2_FlushType (*OTF2_PreFlushCallback)(void *userData, OTF2_FileType fileType,
                                                OTF2_LocationRef location, void *callerData,
                                                bool final);

/*
 * Called after a full buffer of events was written, but not when its writer is closed. Returns the
 * current time in ticks: the library records a BufferFlush event that ends at that time.
 */
typedef OTF2_TimeStamp (*OTF2_PostFlushCallback)(void *userData, OTF2_FileType fileType,
                                                 OTF2_LocationRef location);

/* otf2_post_flush may be NULL: then there are no BufferFlush events. */
typedef struct OTF2_FlushCallbacks {
    OTF2_PreFlushCallback otf2_pre_flush;
    OTF2_PostFlushCallback otf2_post_flush;
} OTF2_FlushCallbacks;

/*
 * Gives a writer memory for one more chunk.
 *   perBufferData  the writer's place for a pointer of the program, NULL at first.
 *   chunkSize      number of bytes; the memory need not be zeroed.
 * Returns NULL without memory: then the writer flushes its chunks and frees them by
 * OTF2_MemoryFreeAll.
 * Calls for different writers may come from different threads at the same time, without a lock.
 */
typedef void *(*OTF2_MemoryAllocate)(void *userData, OTF2_FileType fileType,
                                     OTF2_LocationRef location, void **perBufferData,
                                     uint64_t chunkSize);

/*
 * Takes back all chunks of one writer.
 *   final  the writer is closed, and *perBufferData is no longer needed.
 */
typedef void (*OTF2_MemoryFreeAll)(void *userData, OTF2_FileType fileType,
                                   OTF2_LocationRef location, void **perBufferData, bool final);

/* Both members are required. */
typedef struct OTF2_MemoryCallbacks {
    OTF2_MemoryAllocate otf2_allocate;
    OTF2_MemoryFreeAll otf2_free_all;
} OTF2_MemoryCallbacks;

/*
 * A group of processes that write or read an archive together; the program defines the struct.
 * Values are exchanged as arrays of the integer and floating point types of OTF2_Type. Callbacks
 * return OTF2_CALLBACK_SUCCESS, or OTF2_CALLBACK_ERROR on all members alike: then the function that
 * needed the exchange returns OTF2_ERROR_COLLECTIVE_CALLBACK.
 */
typedef struct OTF2_CollectiveContext OTF2_CollectiveContext;

/* The rank that owns the anchor file, the global definitions and the markers. */
#define OTF2_COLLECTIVES_ROOT 0

/* Stores the number of processes of the group. */
typedef OTF2_CallbackCode (*OTF2_Collectives_GetSize)(void *userData,
                                                      OTF2_CollectiveContext *commContext,
                                                      uint32_t *size);

/* Stores the calling process's number in the group, from 0. */
typedef OTF2_CallbackCode (*OTF2_Collectives_GetRank)(void *userData,
                                                      OTF2_CollectiveContext *commContext,
                                                      uint32_t *rank);

/*
 * Makes the group of the processes that share physical file `fileNumber` of `numberOfFiles` and
 * stores it in *localCommContext; only used with the SION substrate.
 */
typedef OTF2_CallbackCode (*OTF2_Collectives_CreateLocalComm)(
    void *userData, OTF2_CollectiveContext **localCommContext,
    OTF2_CollectiveContext *globalCommContext, uint32_t globalRank, uint32_t globalSize,
    uint32_t localRank, uint32_t localSize, uint32_t fileNumber, uint32_t numberOfFiles);

/* Releases what OTF2_Collectives_CreateLocalComm made. */
typedef OTF2_CallbackCode (*OTF2_Collectives_FreeLocalComm)(
    void *userData, OTF2_CollectiveContext *localCommContext);

/* Waits until all members of the group have called it. */
typedef OTF2_CallbackCode (*OTF2_Collectives_Barrier)(void *userData,
                                                      OTF2_CollectiveContext *commContext);

/* Copies `numberElements` values from rank `root` to all others. */
typedef OTF2_CallbackCode (*OTF2_Collectives_Bcast)(void *userData,
                                                    OTF2_CollectiveContext *commContext, void *data,
                                                    uint32_t numberElements, OTF2_Type type,
                                                    uint32_t root);

/* Collects `numberElements` values of each member, in the order of ranks, in outData of `root`. */
typedef OTF2_CallbackCode (*OTF2_Collectives_Gather)(void *userData,
                                                     OTF2_CollectiveContext *commContext,
                                                     const void *inData, void *outData,
                                                     uint32_t numberElements, OTF2_Type type,
                                                     uint32_t root);

/*
 * The same with inElements values of this member; at `root` outElements holds the number of each
 * member and outData has no gaps.
 */
typedef OTF2_CallbackCode (*OTF2_Collectives_Gatherv)(void *userData,
                                                      OTF2_CollectiveContext *commContext,
                                                      const void *inData, uint32_t inElements,
                                                      void *outData, const uint32_t *outElements,
                                                      OTF2_Type type, uint32_t root);

/* Hands each member its `numberElements` values out of inData of `root`, in the order of ranks. */
typedef OTF2_CallbackCode (*OTF2_Collectives_Scatter)(void *userData,
                                                      OTF2_CollectiveContext *commContext,
                                                      const void *inData, void *outData,
                                                      uint32_t numberElements, OTF2_Type type,
                                                      uint32_t root);

/* The same with inElements[rank] values for each member, as OTF2_Collectives_Gatherv. */
typedef OTF2_CallbackCode (*OTF2_Collectives_Scatterv)(
    void *userData, OTF2_CollectiveContext *commContext, const void *inData,
    const uint32_t *inElements, void *outData, uint32_t outElements, OTF2_Type type, uint32_t root);

/* The archive is closed and needs the groups no longer. */
typedef void (*OTF2_Collectives_Release)(void *userData, OTF2_CollectiveContext *globalCommContext,
                                         OTF2_CollectiveContext *localCommContext);

/* otf2_release, otf2_create_local_comm and otf2_free_local_comm may be NULL. */
typedef struct OTF2_CollectiveCallbacks {
    OTF2_Collectives_Release otf2_release;
    OTF2_Collectives_GetSize otf2_get_size;
    OTF2_Collectives_GetRank otf2_get_rank;
    OTF2_Collectives_CreateLocalComm otf2_create_local_comm;
    OTF2_Collectives_FreeLocalComm otf2_free_local_comm;
    OTF2_Collectives_Barrier otf2_barrier;
    OTF2_Collectives_Bcast otf2_bcast;
    OTF2_Collectives_Gather otf2_gather;
    OTF2_Collectives_Gatherv otf2_gatherv;
    OTF2_Collectives_Scatter otf2_scatter;
    OTF2_Collectives_Scatterv otf2_scatterv;
} OTF2_CollectiveCallbacks;

/*
 * Mutual exclusion between threads that use the same archive; the program defines the struct. A
 * callback that does not answer OTF2_CALLBACK_SUCCESS makes the function that needed the lock
 * return OTF2_ERROR_LOCKING_CALLBACK. Locks are never taken twice by the same thread.
 */
typedef struct OTF2_LockObject *OTF2_Lock;

/* Makes a lock, not held, and stores it in *lock. */
typedef OTF2_CallbackCode (*OTF2_Locking_Create)(void *userData, OTF2_Lock *lock);

/* Releases a lock that nobody holds. */
typedef OTF2_CallbackCode (*OTF2_Locking_Destroy)(void *userData, OTF2_Lock lock);

/* Waits until the lock is free and takes it. */
typedef OTF2_CallbackCode (*OTF2_Locking_Lock)(void *userData, OTF2_Lock lock);

/* Frees a lock that the calling thread holds. */
typedef OTF2_CallbackCode (*OTF2_Locking_Unlock)(void *userData, OTF2_Lock lock);

/* The archive is closed and has destroyed all its locks. */
typedef void (*OTF2_Locking_Release)(void *userData);

/* otf2_release may be NULL. */
typedef struct OTF2_LockingCallbacks {
    OTF2_Locking_Release otf2_release;
    OTF2_Locking_Create otf2_create;
    OTF2_Locking_Destroy otf2_destroy;
    OTF2_Locking_Lock otf2_lock;
    OTF2_Locking_Unlock otf2_unlock;
} OTF2_LockingCallbacks;

#ifdef __cplusplus
}
#endif

#endif
