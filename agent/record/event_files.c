/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/record/event_files.h"

#include <otf2x/otf2x.h>

#include "agent/record/location.h"
#include "agent/segment/budget.h"
#include "agent/segment/buffer.h"
#include "agent/segment/disk.h"
#include "agent/segment/gathered.h"
#include "agent/segment/look.h"
#include "agent/segment/stop.h"
#include "agent/state/event_clock.h"
#include "agent/state/identity.h"
#include "agent/state/settings.h"
#include "base/apart.h"
#include "base/archive_files.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/own_stack.h"

/* The smallest size allowed: the private archive writes no definitions. */
enum { DEF_CHUNK_BYTES = 256 << 10 };

static uint32_t chunk_limit;

static _Atomic uint32_t writers; /* threads that hold the file signal */

/* Held while the library writes between two of its callbacks. */
static void hold_signal(void)
{
    if (spur_self.holds_file_signal)
        return;
    atomic_fetch_add(&writers, 1);
    spur_file_signal_hold(&spur_self.file_signal);
    spur_self.holds_file_signal = true;
}

static void release_signal(void)
{
    if (!spur_self.holds_file_signal)
        return;
    spur_self.holds_file_signal = false;
    spur_file_signal_release(&spur_self.file_signal);
    atomic_fetch_sub(&writers, 1);
}

bool spur_event_files_are_written(void)
{
    return atomic_load(&writers) > (spur_self.holds_file_signal ? 1u : 0u);
}

void spur_event_files_after_fork(void)
{
    release_signal();
    atomic_store(&writers, 0);
}

void spur_event_files_failed(void)
{
    release_signal();
}

void spur_event_files_kept(void)
{
    release_signal();
    spur_buffer_segment()->has_kept = 1;
}

static OTF2_FlushType before_flush(void *user, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
    (void)user, (void)location, (void)caller;
    const struct spur_loc *loc = spur_self.writing;
    if (type != OTF2_FILETYPE_EVENTS || (final && loc && loc->is_gathered))
        return OTF2_NO_FLUSH;
    hold_signal();
    return OTF2_FLUSH;
}

static OTF2_TimeStamp after_flush(void *user, OTF2_FileType type, OTF2_LocationRef location)
{
    (void)user, (void)type, (void)location;
    const struct spur_loc *loc = spur_self.writing;
    /* The work of a device is told later: not the device waits, but the thread. */
    return loc && loc->type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM ? loc->now : spur_clock_now();
}

/*
 * The oldest chunk of the location, already written or dropped, for the location's newest events.
 */
static void *recycle(struct spur_loc *loc, bool is_written)
{
    void *chunk = NULL;
    if (!loc->writer || !loc->slot->chunks)
        return NULL;
    hold_signal();
    OTF2_ErrorCode error = OTF2X_EvtWriter_Recycle(loc->writer, is_written, &chunk);
    release_signal();
    if (error)
        return NULL;
    spur_buffer_rotate(loc->slot);
    return chunk;
}

/*
 * The new chunk for a thread with a full chunk. One chunk is written at a time, so no call of the
 * program waits for the writing of a whole buffer. Where recording stops, the thread gets a chunk
 * nevertheless: the chunk is used only for closing the open regions.
 */
static void *event_chunk(struct spur_loc *loc, uint64_t bytes)
{
    const enum spur_flush mode = spur_settings.flush;
    struct spur_slot *slot = loc->slot;
    bool is_full = slot->chunks >= chunk_limit || slot->oldest;
    bool is_ring = mode == SPUR_FLUSH_RING && slot->chunks;
    if (slot->chunks) {
        spur_usage_look();
        spur_clock_look(0, 0);
    }
    enum spur_stop stop = is_full && is_ring ? SPUR_STOP_NOT : spur_budget_take(bytes);
    if (!stop && !(is_full && is_ring))
        stop = spur_disk_take(bytes);
    if (mode == SPUR_FLUSH_STOP && is_full && !stop)
        stop = SPUR_STOP_BUFFER;
    if (stop && !is_ring)
        spur_stop(stop, 0, NULL);
    void *chunk = stop && is_ring ? NULL : spur_buffer_block_new(slot, chunk_limit);
    if (!chunk)
        chunk = recycle(loc, !is_ring);
    /* Files are out of reach: the buffer grows instead, as far as there is room. */
    return chunk || is_ring ? chunk : spur_buffer_block_new(slot, SPUR_SLOT_CHUNKS);
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
    spur_quiet_begin();
    void *chunk = loc ? event_chunk(loc, bytes) : NULL;
    spur_quiet_end();
    return chunk;
}

static uint64_t room_of(const void *chunk, uint64_t at_least)
{
    spur_quiet_begin();
    uint64_t room = spur_buffer_room(chunk, at_least);
    spur_quiet_end();
    return room;
}

static void free_chunks(void *user, OTF2_FileType type, OTF2_LocationRef location,
                        void **per_buffer, bool final)
{
    (void)user, (void)location, (void)per_buffer;
    struct spur_loc *loc = spur_self.writing;
    if (type == OTF2_FILETYPE_EVENTS && loc && !final) {
        /*
         * The location is being closed, and the file is complete now. The slot's state is set
         * first: if a slot is live and has no chunks, finishing takes the file's last chunk for a
         * chunk with an interrupted write.
         */
        if (loc->closed)
            atomic_store_explicit(&loc->slot->state, SPUR_SLOT_ENDED, memory_order_release);
        spur_buffer_blocks_free(loc->slot);
    }
    release_signal();
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

/* The caller reports an error of the library, once, by the returned code. */
static OTF2_ErrorCode be_silent(void *user, const char *file, uint64_t line, const char *function,
                                OTF2_ErrorCode code, const char *format, va_list args)
{
    (void)user, (void)file, (void)line, (void)function, (void)format, (void)args;
    return code;
}

/* An ending thread leaves its blocks to other threads. */
static void drop_written(void *chunk)
{
    struct spur_loc *loc = spur_self.writing;
    if (loc && spur_loc_all_end())
        spur_buffer_block_drop(loc->slot, chunk);
}

/* The hold of a failed write is released before the mask is restored. */
static int close_writer(void *data)
{
    const struct spur_loc *loc = data;
    OTF2_ErrorCode error = OTF2_Archive_CloseEvtWriter(spur_process.archive, loc->writer);
    release_signal();
    return (int)error;
}

/*
 * Several chunks need one helper thread for the file, not a thread for each chunk. A location
 * without events leaves nothing: a lost sample may have begun the first chunk.
 */
OTF2_ErrorCode spur_event_files_close(struct spur_loc *loc)
{
    loc->is_gathered = loc->slot->cursor.events == 0 || spur_gathered_put(loc->slot);
    bool is_long = !loc->is_gathered && loc->slot->chunks > 1;
    return (OTF2_ErrorCode)(is_long ? spur_apart_long(close_writer, loc) : close_writer(loc));
}

struct errand {
    void (*call)(void *);
    void *arg;
};

/* The hold of a failed write is released before the mask is restored. */
static void run_errand(void *arg)
{
    const struct errand *errand = arg;
    errand->call(errand->arg);
    release_signal();
}

static void on_own_stack(void (*call)(void *), void *arg)
{
    struct errand errand = {call, arg};
    spur_on_own_stack(run_errand, &errand);
}

OTF2_Archive *spur_event_files_open(const char *dir, uint64_t chunk_bytes, uint64_t buffer_bytes)
{
    static const OTF2_FlushCallbacks flush = {before_flush, after_flush};
    static const OTF2_MemoryCallbacks memory = {new_chunk, free_chunks};
    static const OTF2_LockingCallbacks locking = {NULL, lock_new, lock_free, lock_take, lock_give};
    OTF2_Error_RegisterCallback(be_silent, NULL);
    OTF2X_RunTransfersBy(spur_apart);
    OTF2X_Detour(on_own_stack);
    OTF2X_AskForRoom(room_of);
    OTF2X_TellWritten(drop_written);
    OTF2_Archive *archive =
        OTF2_Archive_Open(dir, "traces", OTF2_FILEMODE_WRITE, chunk_bytes, DEF_CHUNK_BYTES,
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!archive)
        return NULL;
    uint64_t chunks = buffer_bytes / chunk_bytes;
    chunk_limit = chunks < 2 ? 2 : chunks > SPUR_SLOT_CHUNKS ? SPUR_SLOT_CHUNKS : (uint32_t)chunks;
    if (OTF2X_Archive_SetFileCallbacks(archive, &spur_archive_files_late) != OTF2_SUCCESS ||
        OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL) != OTF2_SUCCESS ||
        OTF2_Archive_SetMemoryCallbacks(archive, &memory, NULL) != OTF2_SUCCESS ||
        OTF2_Archive_SetLockingCallbacks(archive, &locking, NULL) != OTF2_SUCCESS ||
        OTF2_Archive_SetSerialCollectiveCallbacks(archive) != OTF2_SUCCESS ||
        OTF2_Archive_OpenEvtFiles(archive) != OTF2_SUCCESS)
        return NULL;
    return archive;
}
