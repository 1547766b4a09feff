/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/event_files.h"

#include "agent/buffer.h"
#include "agent/clock.h"
#include "agent/location.h"
#include "agent/lock.h"
#include "agent/mem.h"

/* The smallest there is: the private archive writes no definitions. */
enum { DEF_CHUNK_BYTES = 256 << 10 };

static uint32_t chunk_limit;

static OTF2_FlushType before_flush(void *user, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
    (void)user, (void)location, (void)caller, (void) final;
    return type == OTF2_FILETYPE_EVENTS ? OTF2_FLUSH : OTF2_NO_FLUSH;
}

static OTF2_TimeStamp after_flush(void *user, OTF2_FileType type, OTF2_LocationRef location)
{
    (void)user, (void)type, (void)location;
    return spur_clock_now();
}

/*
 * Events of the location that this thread writes just now: the library calls from inside an event
 * or from closing the writer, never for another location.
 */
static void *new_chunk(void *user, OTF2_FileType type, OTF2_LocationRef location, void **per_buffer,
                       uint64_t bytes)
{
    (void)user, (void)location, (void)per_buffer;
    if (type != OTF2_FILETYPE_EVENTS)
        return spur_mem_new(bytes);
    struct spur_loc *loc = spur_self.writing;
    return loc ? spur_buffer_block_new(loc->slot, chunk_limit) : NULL;
}

static void free_chunks(void *user, OTF2_FileType type, OTF2_LocationRef location,
                        void **per_buffer, bool final)
{
    (void)user, (void)location, (void)per_buffer, (void) final;
    struct spur_loc *loc = spur_self.writing;
    if (type == OTF2_FILETYPE_EVENTS && loc)
        spur_buffer_blocks_free(loc->slot);
}

static OTF2_CallbackCode lock_new(void *user, OTF2_Lock *lock)
{
    (void)user;
    *lock = spur_mem_new(sizeof(struct spur_lock));
    return *lock ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_ERROR;
}

static OTF2_CallbackCode lock_free(void *user, OTF2_Lock lock)
{
    (void)user;
    spur_mem_free(lock, sizeof(struct spur_lock));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode lock_take(void *user, OTF2_Lock lock)
{
    (void)user;
    spur_lock_take((struct spur_lock *)(void *)lock);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode lock_give(void *user, OTF2_Lock lock)
{
    (void)user;
    spur_lock_give((struct spur_lock *)(void *)lock);
    return OTF2_CALLBACK_SUCCESS;
}

/* What goes wrong in the library is reported once, by whoever sees the code it returns. */
static OTF2_ErrorCode be_silent(void *user, const char *file, uint64_t line, const char *function,
                                OTF2_ErrorCode code, const char *format, va_list args)
{
    (void)user, (void)file, (void)line, (void)function, (void)format, (void)args;
    return code;
}

OTF2_Archive *spur_event_files_open(const char *dir, uint64_t chunk_bytes, uint64_t buffer_bytes)
{
    static const OTF2_FlushCallbacks flush = {before_flush, after_flush};
    static const OTF2_MemoryCallbacks memory = {new_chunk, free_chunks};
    static const OTF2_LockingCallbacks locking = {NULL, lock_new, lock_free, lock_take, lock_give};
    OTF2_Error_RegisterCallback(be_silent, NULL);
    OTF2_Archive *archive =
        OTF2_Archive_Open(dir, "traces", OTF2_FILEMODE_WRITE, chunk_bytes, DEF_CHUNK_BYTES,
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!archive)
        return NULL;
    uint64_t chunks = buffer_bytes / chunk_bytes;
    chunk_limit = chunks < 2 ? 2 : chunks > SPUR_SLOT_CHUNKS ? SPUR_SLOT_CHUNKS : (uint32_t)chunks;
    if (OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL) != OTF2_SUCCESS ||
        OTF2_Archive_SetMemoryCallbacks(archive, &memory, NULL) != OTF2_SUCCESS ||
        OTF2_Archive_SetLockingCallbacks(archive, &locking, NULL) != OTF2_SUCCESS ||
        OTF2_Archive_SetSerialCollectiveCallbacks(archive) != OTF2_SUCCESS ||
        OTF2_Archive_OpenEvtFiles(archive) != OTF2_SUCCESS)
        return NULL;
    return archive;
}
