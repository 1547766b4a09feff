/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/segment/mapped_blocks.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "agent/state/identity.h"
#include "base/apart.h"
#include "base/file_map.h"
#include "base/mapping.h"
#include "base/mem.h"

enum {
    FIRST_BLOCKS = 2,
    STEP_BLOCKS_MAX = 64,
    STEPS = 512,
    /* Each piece multiplies the existing space: few calls for a thread with many records. */
    GROWTH = 4,
    PIECE_MAX = 256 << 10, /* the thread waits for the piece */
    LARGE = 128 << 10,     /* a piece large enough to be worth writing */
    PAGE_BYTES = 4 << 10
};

/* One mapping of consecutive blocks. */
struct step {
    char *base;
    uint32_t first;
    uint32_t count;
    bool is_filled; /* by a thread that goes on */
};

static struct {
    char path[SPUR_PATH_BYTES + SPUR_NAME_BYTES + 32];
    uint64_t block_bytes;
    bool can_wait; /* space comes without a descriptor */
    bool is_prepared;
    bool has_parted; /* the mapping is no longer of a file */
    bool is_asked;
    long kind; /* of the file system; 0: unknown */
    struct spur_file_id id;
    struct step step[STEPS];
    uint32_t steps;
    uint32_t n;     /* blocks in all steps */
    uint32_t *free; /* numbers of free blocks */
    uint32_t free_count, free_room;
    uint32_t *space; /* bytes of space, for each block with space */
    uint32_t space_room;
    int error;
} blocks;

const char *spur_blocks_path(void)
{
    return blocks.path;
}

uint64_t spur_blocks_bytes(void)
{
    return blocks.n * blocks.block_bytes;
}

int spur_blocks_error(void)
{
    return blocks.error;
}

/* ---- places of blocks ---- */

static struct step *step_of(uint32_t block)
{
    for (uint32_t i = blocks.steps; i-- > 0;)
        if (block >= blocks.step[i].first)
            return block < blocks.n ? &blocks.step[i] : NULL;
    return NULL;
}

char *spur_block_at(uint32_t block)
{
    const struct step *step = step_of(block);
    return step ? step->base + (block - step->first) * blocks.block_bytes : NULL;
}

uint32_t spur_block_of(const void *at)
{
    const uintptr_t address = (uintptr_t)at;
    for (uint32_t i = blocks.steps; i-- > 0;) {
        const struct step *step = &blocks.step[i];
        const uintptr_t base = (uintptr_t)step->base;
        if (address >= base && address - base < step->count * blocks.block_bytes)
            return step->first + (uint32_t)((address - base) / blocks.block_bytes);
    }
    return 0;
}

/* ---- more blocks ---- */

/* Room in both lists for all blocks: so no block is lost when given back. */
static int make_lists(uint32_t n)
{
    enum { FIRST_ROOM = 64 };
    uint32_t room = blocks.free_room ? blocks.free_room : FIRST_ROOM;
    while (room < n)
        room *= 2;
    if (room == blocks.free_room)
        return 0;
    uint32_t *space =
        spur_mem_resize(blocks.space, blocks.n, &blocks.space_room, room, sizeof *space);
    if (!space)
        return -ENOMEM;
    blocks.space = space;
    uint32_t *free =
        spur_mem_resize(blocks.free, blocks.free_count, &blocks.free_room, room, sizeof *free);
    if (!free)
        return -ENOMEM;
    blocks.free = free;
    return 0;
}

static int map_step(int flags, uint32_t count, bool has_space)
{
    const uint32_t first = blocks.n;
    if (blocks.steps == STEPS)
        return -ENOMEM;
    const struct spur_file_map step = {.path = blocks.path,
                                       .flags = flags,
                                       .at = first * blocks.block_bytes,
                                       .bytes = count * blocks.block_bytes,
                                       .has_space = has_space,
                                       .id = first ? NULL : &blocks.id};
    char *base = NULL;
    int err = make_lists(first + count);
    if (!err)
        err = spur_file_map(&step, &base);
    if (err)
        return err;
    spur_map_pages_alone(base, step.bytes);
    blocks.step[blocks.steps++] = (struct step){base, first, count, false};
    blocks.n += count;
    for (uint32_t i = blocks.n; i-- > first;) {
        blocks.space[i] = has_space ? (uint32_t)blocks.block_bytes : 0;
        if (i > 0)
            spur_block_give(i); /* the lowest block comes first */
    }
    return 0;
}

static int grow(void)
{
    uint32_t count = blocks.n < STEP_BLOCKS_MAX ? blocks.n : STEP_BLOCKS_MAX;
    int err = map_step(0, count, !blocks.can_wait);
    if (err && count > 1)
        err = map_step(0, 1, !blocks.can_wait); /* the rest of a nearly full disk, or ulimit -f */
    return err;
}

int spur_blocks_open(const char *dir, uint64_t block_bytes)
{
    snprintf(blocks.path, sizeof blocks.path, "%s/segment", dir);
    blocks.block_bytes = block_bytes;
    blocks.can_wait = spur_file_map_can_wait();
    int err = map_step(O_CREAT | O_EXCL, FIRST_BLOCKS, false);
    if (err)
        return err;
    blocks.space[0] = SPUR_SLOTS_OFFSET;
    return spur_blocks_space(0, SPUR_GATHERED_OFFSET);
}

/*
 * The first slots lie in the first step. Where a handler made the child, and the child records in
 * the handler, the interrupted call may be about to look at its slot.
 */
void spur_blocks_forget(void)
{
    for (uint32_t i = 0; i < blocks.steps; i++) {
        const struct step *step = &blocks.step[i];
        const size_t bytes = step->count * blocks.block_bytes;
        if (i > 0 || !spur_map_anonymous_at(step->base, bytes))
            spur_unmap(step->base, bytes);
    }
    memset(&blocks, 0, sizeof blocks);
}

void spur_blocks_prepare(uint32_t count)
{
    if (!blocks.is_prepared && blocks.n)
        blocks.is_prepared = map_step(0, count, !blocks.can_wait) == 0;
}

/* ---- the file system ---- */

static long file_system(void)
{
    struct statfs info;
    if (!blocks.is_asked && syscall(SYS_statfs, blocks.path, &info) == 0)
        blocks.kind = info.f_type;
    blocks.is_asked = true;
    return blocks.kind;
}

/*
 * Does the file system make large pages? A mapping gets its pages one by one. These file systems
 * make large pages of written data: then a page is used, read and given back in a part of the time.
 * Writing takes a descriptor for each piece, and must not touch the program's files.
 */
static bool makes_large(void)
{
    if (!spur_apart_is_harmless())
        return false;
    return file_system() == EXT4_SUPER_MAGIC || file_system() == XFS_SUPER_MAGIC;
}

static void make_large(uint32_t block, uint64_t has, uint64_t end)
{
    if (block && end - has >= LARGE && !blocks.has_parted && makes_large())
        (void)spur_file_map_fill(blocks.path, &blocks.id, block * blocks.block_bytes + has,
                                 end - has);
}

/* ---- blocks in use ---- */

/* The neighbours of a block will be used, too: the kernel may bring in many pages at once. */
static void may_come_together(uint32_t block)
{
    struct step *step = step_of(block);
    if (!step || step->is_filled || step->first == 0)
        return;
    step->is_filled = true;
    (void)syscall(SYS_madvise, step->base, step->count * blocks.block_bytes, MADV_NORMAL);
}

uint32_t spur_block_take(bool is_many)
{
    blocks.error = blocks.free_count ? 0 : grow();
    if (!blocks.free_count)
        return 0;
    uint32_t block = blocks.free[--blocks.free_count];
    const uint64_t much = blocks.block_bytes < PIECE_MAX ? blocks.block_bytes : PIECE_MAX;
    const bool is_large = is_many && makes_large();
    bool has_space = is_large && spur_block_reach(block, much);
    if (!has_space)
        has_space = spur_block_reach(block, SPUR_BLOCK_FIRST_BYTES);
    if (has_space && is_many && !is_large)
        may_come_together(block);
    if (has_space)
        return block;
    spur_block_give(block);
    return 0;
}

void spur_block_give(uint32_t block)
{
    blocks.free[blocks.free_count++] = block;
}

/* ---- space of blocks ---- */

int spur_blocks_space(uint64_t at, uint64_t bytes)
{
    return spur_file_map_space(blocks.path, blocks.step[0].base + at, at, bytes);
}

uint64_t spur_block_space(uint32_t block)
{
    return blocks.space[block];
}

bool spur_block_reach(uint32_t block, uint64_t end)
{
    const uint64_t has = blocks.space[block];
    if (has >= end)
        return true;
    make_large(block, has, end);
    int err = spur_file_map_space(blocks.path, spur_block_at(block) + has,
                                  block * blocks.block_bytes + has, end - has);
    blocks.error = err;
    if (!err)
        blocks.space[block] = (uint32_t)end;
    return err == 0;
}

/* The end of the next piece. Without MADV_POPULATE_WRITE a piece is expensive. */
static uint64_t next_end(uint64_t has, uint64_t end)
{
    uint64_t next = has * GROWTH < has + PIECE_MAX ? has * GROWTH : has + PIECE_MAX;
    next = next < end ? (end + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES : next;
    return !blocks.can_wait || next > blocks.block_bytes ? blocks.block_bytes : next;
}

uint64_t spur_block_widen(uint32_t block, uint64_t end)
{
    const uint64_t has = blocks.space[block];
    if (has < end && end <= blocks.block_bytes && !spur_block_reach(block, next_end(has, end)))
        (void)spur_block_reach(block, (end + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
    return blocks.space[block];
}

/*
 * Gives the space of a block back. A disk would record each hole. In memory, pages that have just
 * been read are in the caches, with the kernel's data about the pages, and the next writes get the
 * same pages: giving the pages back then takes no measurable time.
 */
void spur_block_drop(uint32_t block)
{
    if (block && file_system() == TMPFS_MAGIC &&
        syscall(SYS_madvise, spur_block_at(block), blocks.block_bytes, MADV_REMOVE) == 0)
        blocks.space[block] = 0;
}

/* ---- the copy of a child ---- */

/* Copies only parts of a block with space: a look at the rest would take space. */
static void copy_block(char *copy, uint32_t block, uint64_t gathered_end)
{
    const char *from = spur_block_at(block);
    if (block > 0) {
        memcpy(copy, from, blocks.space[block]);
        return;
    }
    memcpy(copy, from, gathered_end);
    memcpy(copy + SPUR_SLOTS_OFFSET, from + SPUR_SLOTS_OFFSET, blocks.space[0] - SPUR_SLOTS_OFFSET);
}

void spur_blocks_part(uint64_t gathered_end)
{
    blocks.has_parted = true;
    for (uint32_t i = 0; i < blocks.steps; i++) {
        const struct step *step = &blocks.step[i];
        size_t bytes = step->count * blocks.block_bytes;
        char *copy = spur_map_anonymous(bytes);
        if (!copy)
            continue;
        for (uint32_t b = 0; b < step->count; b++)
            copy_block(copy + b * blocks.block_bytes, step->first + b, gathered_end);
        if (syscall(SYS_mremap, copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, step->base) ==
            -1)
            spur_unmap(copy, bytes);
    }
}
