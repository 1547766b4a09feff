/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/segment/buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/state/identity.h"
#include "base/apart.h"
#include "base/beneath.h"
#include "base/file_map.h"
#include "base/lock.h"
#include "base/mapping.h"
#include "base/mem.h"

enum { FIRST_BLOCKS = 2, STEP_BLOCKS_MAX = 64, STEPS = 512 };

/*
 * The first blocks get their space piece by piece: a short process uses little of them, and a file
 * system in memory clears each page of what it allocates.
 */
enum {
    HEAD_BYTES = SPUR_GATHERED_OFFSET,
    FIRST_BYTES = 4 << 10, /* of slots, and of events */
    PIECE_BYTES = 16 << 10,
    FIRST_CHUNK = 1 /* the block that is handed out first */
};

/* One mapping of consecutive blocks. */
struct step {
    char *base;
    uint32_t first;
    uint32_t count;
};

static struct {
    struct spur_lock lock;
    char path[SPUR_PATH_BYTES + SPUR_NAME_BYTES + 32];
    uint64_t block_bytes;
    struct spur_segment *segment;
    struct step step[STEPS];
    uint32_t steps;
    uint32_t blocks; /* in all steps */
    uint32_t ahead;  /* the first block that is mapped without space, */
    uint32_t ahead_end;
    uint32_t *free; /* block numbers not in use */
    uint32_t free_count;
    uint32_t free_room;
    struct spur_slot **slot; /* not in use, the next one last */
    uint64_t slots_end;      /* of the space of those in block 0 */
    uint64_t gathered_end;   /* the same of what is gathered */
    uint64_t chunk_end;      /* the same of FIRST_CHUNK */
    uint32_t slots, slot_room;
    int error; /* -errno of the last step that could not be made */
} buffer;

static char *block_at(uint32_t number)
{
    for (uint32_t i = buffer.steps; i-- > 0;)
        if (number >= buffer.step[i].first)
            return buffer.step[i].base + (number - buffer.step[i].first) * buffer.block_bytes;
    return NULL;
}

static int remember_free(uint32_t number)
{
    if (buffer.free_count == buffer.free_room) {
        uint32_t room = buffer.free_room ? 2 * buffer.free_room : 1024;
        uint32_t *grown = spur_mem_new(room * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        if (buffer.free_count)
            memcpy(grown, buffer.free, buffer.free_count * sizeof *grown);
        spur_mem_free(buffer.free, buffer.free_room * sizeof *grown);
        buffer.free = grown;
        buffer.free_room = room;
    }
    buffer.free[buffer.free_count++] = number;
    return 0;
}

static int map_step(int flags, uint32_t count, bool has_space)
{
    if (buffer.steps == STEPS)
        return -ENOMEM;
    const struct spur_file_map step = {.path = buffer.path,
                                       .flags = flags,
                                       .at = buffer.blocks * buffer.block_bytes,
                                       .bytes = count * buffer.block_bytes,
                                       .has_space = has_space};
    char *base = NULL;
    int err = spur_file_map(&step, &base);
    if (err)
        return err;
    if (buffer.steps == 0)
        spur_map_pages_alone(base, step.bytes);
    buffer.step[buffer.steps++] = (struct step){base, buffer.blocks, count};
    buffer.blocks += count;
    return 0;
}

/*
 * Without a descriptor, of what is mapped: the kernel allocates it, or says that it cannot, where a
 * store would be SIGBUS.
 */
static bool grow_ahead(void)
{
    if (buffer.ahead == buffer.ahead_end ||
        syscall(SYS_madvise, block_at(buffer.ahead), buffer.block_bytes, MADV_POPULATE_WRITE) != 0)
        return false;
    return remember_free(buffer.ahead++) == 0;
}

static int grow(void)
{
    uint32_t first = buffer.blocks;
    uint32_t count = first < STEP_BLOCKS_MAX ? first : STEP_BLOCKS_MAX;
    int err = map_step(0, count, true);
    if (err && count > 1)
        err = map_step(0, count = 1, true); /* the last of a nearly full disk */
    if (err)
        return err;
    buffer.segment->file_bytes = buffer.blocks * buffer.block_bytes;
    for (uint32_t i = count; i-- > 0 && !err;)
        err = remember_free(first + i);
    return err;
}

static uint32_t take_block(void)
{
    if (buffer.free_count == 0 && !grow_ahead())
        buffer.error = grow();
    return buffer.free_count ? buffer.free[--buffer.free_count] : 0;
}

/* A slot that cannot be remembered is lost. */
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

/* Lowest first. */
static void add_slots(char *at, uint64_t first, uint64_t end)
{
    struct spur_slot *slots = (struct spur_slot *)(void *)at;
    for (uint64_t i = end; i-- > first;)
        remember_slot(&slots[i]);
}

/* Takes space for the first blocks, from *end on. */
static int take_space(uint64_t *end, uint64_t bytes)
{
    int err = spur_file_map_space(buffer.path, buffer.step[0].base, *end, bytes);
    if (!err)
        *end += bytes;
    return err;
}

static uint64_t slots_before(uint64_t end)
{
    return (end - SPUR_SLOTS_OFFSET) / sizeof(struct spur_slot);
}

/* More slots of block 0; false: it has no more. */
static bool add_near_slots(uint64_t bytes)
{
    const uint64_t left = buffer.block_bytes - buffer.slots_end, before = buffer.slots_end;
    bytes = bytes < left ? bytes : left;
    if (!bytes)
        return false;
    int err = take_space(&buffer.slots_end, bytes);
    if (err) {
        buffer.error = err;
        return false;
    }
    add_slots(buffer.step[0].base + SPUR_SLOTS_OFFSET, slots_before(before),
              slots_before(buffer.slots_end));
    return buffer.slots > 0;
}

/* FIRST_CHUNK gets all of its space. */
static int take_chunk(void)
{
    const uint64_t end = (FIRST_CHUNK + 1) * buffer.block_bytes;
    return buffer.chunk_end < end ? take_space(&buffer.chunk_end, end - buffer.chunk_end) : 0;
}

uint64_t spur_buffer_room(const void *block, uint64_t at_least)
{
    const uint64_t begin = FIRST_CHUNK * buffer.block_bytes;
    if (block != buffer.step[0].base + begin)
        return UINT64_MAX;
    spur_lock_take(&buffer.lock);
    if (begin + at_least > buffer.chunk_end)
        (void)take_chunk();
    uint64_t room = buffer.chunk_end - begin;
    spur_lock_give(&buffer.lock);
    return room;
}

bool spur_buffer_gathers(uint64_t bytes)
{
    bool has_space = true;
    spur_lock_take(&buffer.lock);
    while (has_space && buffer.gathered_end < SPUR_GATHERED_OFFSET + bytes)
        has_space = take_space(&buffer.gathered_end, PIECE_BYTES) == 0;
    spur_lock_give(&buffer.lock);
    return has_space;
}

int spur_buffer_open(const char *dir, uint64_t block_bytes)
{
    snprintf(buffer.path, sizeof buffer.path, "%s/segment", dir);
    buffer.block_bytes = block_bytes;
    int err = map_step(O_CREAT | O_EXCL, FIRST_BLOCKS, false);
    if (!err)
        err = spur_file_map_space(buffer.path, buffer.step[0].base, 0, HEAD_BYTES);
    if (err)
        return err;
    struct spur_segment *segment = (struct spur_segment *)(void *)buffer.step[0].base;
    memcpy(segment->magic, SPUR_SEGMENT_MAGIC, sizeof SPUR_SEGMENT_MAGIC);
    segment->version = SPUR_SEGMENT_VERSION;
    segment->slot_bytes = sizeof(struct spur_slot);
    segment->block_bytes = block_bytes;
    segment->file_bytes = buffer.blocks * block_bytes;
    buffer.segment = segment;
    buffer.gathered_end = SPUR_GATHERED_OFFSET;
    buffer.slots_end = SPUR_SLOTS_OFFSET;
    buffer.chunk_end = FIRST_CHUNK * block_bytes;
    err = take_space(&buffer.chunk_end, FIRST_BYTES);
    if (!err && !add_near_slots(FIRST_BYTES))
        err = buffer.error ? buffer.error : -ENOMEM;
    for (uint32_t i = FIRST_BLOCKS; i-- > 1 && !err;)
        err = remember_free(i);
    return err;
}

void spur_buffer_forget(void)
{
    for (uint32_t i = 0; i < buffer.steps; i++)
        spur_unmap(buffer.step[i].base, buffer.step[i].count * buffer.block_bytes);
    memset(&buffer, 0, sizeof buffer);
}

/* What has space: to look at the rest would take some. */
static void copy_first(char *copy, const char *from)
{
    const uint64_t chunk = FIRST_CHUNK * buffer.block_bytes;
    memcpy(copy, from, buffer.gathered_end);
    memcpy(copy + SPUR_SLOTS_OFFSET, from + SPUR_SLOTS_OFFSET,
           buffer.slots_end - SPUR_SLOTS_OFFSET);
    memcpy(copy + chunk, from + chunk, buffer.chunk_end - chunk);
}

static void part(const struct step *step)
{
    size_t bytes = step->count * buffer.block_bytes;
    uint32_t end = step->first + step->count;
    uint32_t used = buffer.ahead_end == end ? buffer.ahead - step->first : step->count;
    char *copy = spur_map_anonymous(bytes);
    if (!copy)
        return;
    if (step->first == 0)
        copy_first(copy, step->base);
    else
        memcpy(copy, step->base, used * buffer.block_bytes);
    if (syscall(SYS_mremap, copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, step->base) == -1)
        spur_unmap(copy, bytes);
}

void spur_buffer_part(void)
{
    int saved = errno;
    for (uint32_t i = 0; i < buffer.steps; i++)
        part(&buffer.step[i]);
    errno = saved;
}

void spur_buffer_prepare(void)
{
    enum { BLOCKS = SPUR_SLOT_CHUNKS };
    spur_lock_take(&buffer.lock);
    const uint32_t first = buffer.blocks;
    /* Since Linux 5.14; before that the space is taken at once. */
    bool can_wait = syscall(SYS_madvise, buffer.segment, 0L, MADV_POPULATE_WRITE) == 0;
    if (buffer.segment && !buffer.ahead_end && map_step(0, BLOCKS, !can_wait) == 0) {
        buffer.segment->file_bytes = buffer.blocks * buffer.block_bytes;
        buffer.ahead = can_wait ? first : buffer.blocks;
        buffer.ahead_end = buffer.blocks;
        for (uint32_t i = can_wait ? 0 : BLOCKS; i-- > 0;)
            (void)remember_free(first + i);
    }
    spur_lock_give(&buffer.lock);
}

static int release(void *unused)
{
    (void)unused;
    int fd = spur_beneath_open(buffer.path, O_RDWR, 0);
    if (fd < 0)
        return -errno;
    off_t kept = SPUR_GATHERED_OFFSET + (off_t)buffer.segment->gathered_bytes;
    syscall(SYS_fallocate, fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, kept,
            (off_t)(buffer.blocks * buffer.block_bytes) - kept);
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

static bool add_slot_block(void)
{
    uint32_t n = buffer.segment->slot_blocks;
    uint32_t block = n < SPUR_SLOT_BLOCKS ? take_block() : 0;
    if (!block)
        return false;
    if (block == FIRST_CHUNK && take_chunk() != 0) {
        (void)remember_free(block);
        return false;
    }
    memset(block_at(block), 0, buffer.block_bytes); /* may be a recycled block of events */
    buffer.segment->slot_block[n] = block;
    atomic_thread_fence(memory_order_release);
    buffer.segment->slot_blocks = n + 1;
    add_slots(block_at(block), 0, buffer.block_bytes / sizeof(struct spur_slot));
    return buffer.slots > 0;
}

struct spur_slot *spur_buffer_slot_new(uint32_t thread)
{
    spur_lock_take(&buffer.lock);
    bool is_there = buffer.slots || add_near_slots(PIECE_BYTES) || add_slot_block();
    struct spur_slot *slot = is_there ? buffer.slot[--buffer.slots] : NULL;
    if (slot) {
        uint32_t changes = atomic_load_explicit(&slot->changes, memory_order_relaxed);
        memset(slot, 0, sizeof *slot);
        slot->thread = thread; /* first: who finds it live takes it for this thread's */
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

/* For who copies the list while it is in use: each change may cost him that many old chunks. */
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
    uint32_t block = take_block();
    char *at = block ? block_at(block) : NULL;
    spur_lock_give(&buffer.lock);
    if (!at)
        return NULL;
    note_change(slot, 1);
    slot->chunk[n] = block;
    slot->chunk_depth[n] = slot->depth;
    atomic_thread_fence(memory_order_release); /* listed before it is counted */
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

int spur_buffer_error(void)
{
    spur_lock_take(&buffer.lock);
    int err = buffer.error;
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
        (void)remember_free(slot->chunk[i]);
    spur_lock_give(&buffer.lock);
}
