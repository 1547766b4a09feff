/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/segment/buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "agent/segment/mapped_blocks.h"
#include "base/apart.h"
#include "base/beneath.h"
#include "base/lock.h"
#include "base/mapping.h"
#include "base/mem.h"

enum {
    SLOTS_BYTES = 16 << 10, /* size of a piece of slots */
    GATHERED_BYTES = 4 << 10
};

static struct {
    struct spur_lock lock;
    uint64_t block_bytes;
    struct spur_segment *segment;
    struct spur_slot **slot; /* free slots, the next slot to be used last */
    uint32_t slots, slot_room;
    uint32_t slot_block;   /* the newest block of slots */
    uint64_t gathered_end; /* end of the space of gathered events */
} buffer;

/* ---- slots ---- */

/* Remembers a free slot. If there is no memory for the table, the slot is lost. */
static void remember_slot(struct spur_slot *slot)
{
    enum { FIRST_SLOTS = 64 };
    if (buffer.slots == buffer.slot_room) {
        uint32_t more = buffer.slot_room ? 2 * buffer.slot_room : FIRST_SLOTS;
        void *grown =
            /* NOLINTNEXTLINE(bugprone-sizeof-expression): a table of pointers */
            spur_mem_resize(buffer.slot, buffer.slots, &buffer.slot_room, more, sizeof slot);
        if (!grown)
            return;
        buffer.slot = grown;
    }
    buffer.slot[buffer.slots++] = slot;
}

/* Adds the slots in the space of a block, from byte `from` to byte `end`. Lowest first. */
static void add_slots(uint32_t block, uint64_t from, uint64_t end)
{
    const uint64_t first = block ? 0 : SPUR_SLOTS_OFFSET;
    struct spur_slot *slots = (struct spur_slot *)(void *)(spur_block_at(block) + first);
    uint64_t before = (from - first) / sizeof *slots, n = (end - first) / sizeof *slots;
    while (n-- > before)
        remember_slot(&slots[n]);
}

/* Adds a piece of the newest block of slots; false: the block is used up. */
static bool add_near_slots(uint64_t bytes)
{
    const uint64_t from = spur_block_space(buffer.slot_block), left = buffer.block_bytes - from;
    bytes = bytes < left ? bytes : left;
    if (!bytes || !spur_block_reach(buffer.slot_block, from + bytes))
        return false;
    add_slots(buffer.slot_block, from, from + bytes);
    return buffer.slots > 0;
}

static bool add_slot_block(void)
{
    uint32_t n = buffer.segment->slot_blocks;
    uint32_t block = n < SPUR_SLOT_BLOCKS ? spur_block_take(false) : 0;
    if (!block)
        return false;
    /* The block may be a recycled block of events. Parts of a block without space are zero. */
    memset(spur_block_at(block), 0, spur_block_space(block));
    buffer.segment->slot_block[n] = block;
    atomic_thread_fence(memory_order_release);
    buffer.segment->slot_blocks = n + 1;
    buffer.slot_block = block;
    add_slots(block, 0, spur_block_space(block));
    return buffer.slots > 0;
}

/* ---- the file ---- */

uint64_t spur_buffer_room(const void *block, uint64_t at_least)
{
    spur_lock_take(&buffer.lock);
    const uint32_t number = spur_block_of(block);
    uint64_t room = spur_block_space(number);
    if (room < at_least)
        room = spur_block_widen(number, at_least);
    spur_lock_give(&buffer.lock);
    return room;
}

/* Takes space for gathered events: as much again as there was. */
static int gather_more(void)
{
    const uint64_t has = buffer.gathered_end - SPUR_GATHERED_OFFSET;
    const uint64_t bytes = has ? has : GATHERED_BYTES;
    int err = spur_blocks_space(buffer.gathered_end, bytes);
    if (!err)
        buffer.gathered_end += bytes;
    return err;
}

bool spur_buffer_gathers(uint64_t bytes)
{
    bool has_space = true;
    spur_lock_take(&buffer.lock);
    while (has_space && buffer.gathered_end < SPUR_GATHERED_OFFSET + bytes)
        has_space = gather_more() == 0;
    spur_lock_give(&buffer.lock);
    return has_space;
}

int spur_buffer_open(const char *dir, uint64_t block_bytes)
{
    int err = spur_blocks_open(dir, block_bytes);
    if (err)
        return err;
    struct spur_segment *segment = (struct spur_segment *)(void *)spur_block_at(0);
    memcpy(segment->magic, SPUR_SEGMENT_MAGIC, sizeof SPUR_SEGMENT_MAGIC);
    segment->version = SPUR_SEGMENT_VERSION;
    segment->slot_bytes = sizeof(struct spur_slot);
    segment->block_bytes = block_bytes;
    buffer.segment = segment;
    buffer.block_bytes = block_bytes;
    buffer.gathered_end = SPUR_GATHERED_OFFSET;
    buffer.slot_block = 0;
    if (add_near_slots(SPUR_BLOCK_FIRST_BYTES))
        return 0;
    return spur_blocks_error() ? spur_blocks_error() : -ENOMEM;
}

void spur_buffer_forget(void)
{
    spur_blocks_forget();
    memset(&buffer, 0, sizeof buffer);
}

void spur_buffer_part(void)
{
    int saved = errno;
    spur_blocks_part(buffer.gathered_end);
    errno = saved;
}

void spur_buffer_prepare(void)
{
    spur_lock_take(&buffer.lock);
    spur_blocks_prepare(SPUR_SLOT_CHUNKS);
    spur_lock_give(&buffer.lock);
}

/*
 * Replaces the slots by anonymous memory. The page in which the header and the gathered events end
 * is kept.
 */
static void leave_slots(uint32_t block, uint64_t from)
{
    const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t first = (from + page_bytes - 1) / page_bytes * page_bytes;
    char *at = spur_block_at(block);
    if (at && first < buffer.block_bytes)
        (void)spur_map_anonymous_at(at + first, buffer.block_bytes - first);
}

void spur_buffer_leave(void)
{
    const struct spur_segment *segment = buffer.segment;
    leave_slots(0, SPUR_SLOTS_OFFSET);
    for (uint32_t i = 0; i < segment->slot_blocks && i < SPUR_SLOT_BLOCKS; i++)
        leave_slots(segment->slot_block[i], 0);
}

static int release(void *unused)
{
    (void)unused;
    int fd = spur_beneath_open(spur_blocks_path(), O_RDWR, 0);
    if (fd < 0)
        return -errno;
    off_t kept = SPUR_GATHERED_OFFSET + (off_t)buffer.segment->gathered_bytes;
    syscall(SYS_fallocate, fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, kept,
            (off_t)spur_blocks_bytes() - kept);
    syscall(SYS_close, fd);
    return 0;
}

void spur_buffer_release(void)
{
    (void)spur_apart(release, NULL);
}

struct spur_segment *spur_buffer_segment(void)
{
    return buffer.segment;
}

struct spur_slot *spur_buffer_slot_new(uint32_t thread)
{
    spur_lock_take(&buffer.lock);
    bool is_there = buffer.slots || add_near_slots(SLOTS_BYTES) || add_slot_block();
    struct spur_slot *slot = is_there ? buffer.slot[--buffer.slots] : NULL;
    if (slot) {
        uint32_t changes = atomic_load_explicit(&slot->changes, memory_order_relaxed);
        memset(slot, 0, sizeof *slot);
        slot->thread = thread; /* first: whoever finds a live slot reads its thread */
        slot->is_main = thread == 0;
        atomic_store_explicit(&slot->changes, changes + SPUR_SLOT_CHUNKS, memory_order_relaxed);
        atomic_store_explicit(&slot->state, SPUR_SLOT_LIVE, memory_order_release);
    }
    spur_lock_give(&buffer.lock);
    return slot;
}

void spur_buffer_slot_free(struct spur_slot *slot)
{
    spur_buffer_blocks_free(slot);
    atomic_store_explicit(&slot->state, SPUR_SLOT_FREE, memory_order_release);
    spur_lock_take(&buffer.lock);
    remember_slot(slot);
    spur_lock_give(&buffer.lock);
}

/*
 * For a process that copies the list during use: each change may cost the copy as many old chunks.
 */
static void note_change(struct spur_slot *slot, uint32_t chunks)
{
    uint32_t changes = atomic_load_explicit(&slot->changes, memory_order_relaxed);
    atomic_store_explicit(&slot->changes, changes + chunks, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
}

void *spur_buffer_block_new(struct spur_slot *slot, uint32_t limit)
{
    uint32_t n = slot->chunks;
    if (n >= limit || n >= SPUR_SLOT_CHUNKS || slot->oldest != 0)
        return NULL;
    spur_lock_take(&buffer.lock);
    uint32_t block = spur_block_take(n > 0 /* this thread has filled a block before */);
    char *at = block ? spur_block_at(block) : NULL;
    spur_lock_give(&buffer.lock);
    if (!at)
        return NULL;
    note_change(slot, 1);
    slot->chunk[n] = block;
    slot->chunk_depth[n] = slot->depth;
    atomic_thread_fence(memory_order_release); /* listed before counted */
    slot->chunks = n + 1;
    return at;
}

void spur_buffer_rotate(struct spur_slot *slot)
{
    note_change(slot, 1);
    slot->chunk_depth[slot->oldest] = slot->depth;
    slot->oldest = (slot->oldest + 1) % slot->chunks;
    atomic_thread_fence(memory_order_release);
}

void spur_buffer_block_drop(struct spur_slot *slot, const void *at)
{
    note_change(slot, SPUR_SLOT_CHUNKS);
    spur_lock_take(&buffer.lock);
    spur_block_drop(spur_block_of(at));
    spur_lock_give(&buffer.lock);
}

int spur_buffer_error(void)
{
    spur_lock_take(&buffer.lock);
    int err = spur_blocks_error();
    spur_lock_give(&buffer.lock);
    return err;
}

void spur_buffer_blocks_free(struct spur_slot *slot)
{
    uint32_t n = slot->chunks;
    note_change(slot, SPUR_SLOT_CHUNKS);
    slot->chunks = 0;
    slot->oldest = 0;
    atomic_thread_fence(memory_order_release);
    spur_lock_take(&buffer.lock);
    for (uint32_t i = 0; i < n; i++)
        spur_block_give(slot->chunk[i]);
    spur_lock_give(&buffer.lock);
}
