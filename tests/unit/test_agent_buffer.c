/* SPDX-License-Identifier: BSD-3-Clause */
/* links: agent finish writer format */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "agent/segment/buffer.h"

enum { MANY = 10000, CROWD = 256, BLOCK_BYTES = 1 << 18, STAT_BLOCK = 512 };

static char disk[] = "/tmp/spur-buffer-XXXXXX", memory[] = "/dev/shm/spur-buffer-XXXXXX";
static char *dir = disk;

static void setup(void)
{
    cr_assert_not_null(mkdtemp(dir));
    cr_assert_eq(spur_buffer_open(dir, BLOCK_BYTES), 0);
}

static void teardown(void)
{
    char path[sizeof memory + 16];
    snprintf(path, sizeof path, "%s/segment", dir);
    spur_buffer_forget();
    unlink(path);
    rmdir(dir);
}

Test(buffer, slots_are_live_until_they_are_freed, .init = setup, .fini = teardown)
{
    static struct spur_slot *slot[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        slot[i] = spur_buffer_slot_new(i + 1);
        cr_assert_not_null(slot[i]);
        cr_assert_eq(slot[i]->state, SPUR_SLOT_LIVE);
        for (uint32_t other = 0; other <= i; other++)
            cr_assert_eq(slot[other]->thread, other + 1, "a slot that another thread has");
    }
    uint32_t blocks = spur_buffer_segment()->slot_blocks;
    for (uint32_t i = 0; i < MANY; i += 2)
        spur_buffer_slot_free(slot[i]);
    for (uint32_t i = 1; i < MANY; i += 2)
        cr_assert_eq(slot[i]->state, SPUR_SLOT_LIVE);
    for (uint32_t i = 0; i < MANY; i += 2)
        cr_assert_eq(slot[i]->state, SPUR_SLOT_FREE);
    for (uint32_t i = 0; i < MANY; i += 2)
        cr_assert_not_null(spur_buffer_slot_new(i));
    cr_expect_eq(spur_buffer_segment()->slot_blocks, blocks, "freed slots are used again");
    for (uint32_t i = 0; i < MANY; i++)
        cr_assert_eq(slot[i]->state, SPUR_SLOT_LIVE);
}

/* What the file holds. */
static uint64_t held(void)
{
    char path[sizeof memory + 16];
    struct stat info;
    snprintf(path, sizeof path, "%s/segment", dir);
    cr_assert_eq(stat(path, &info), 0);
    return (uint64_t)info.st_blocks * STAT_BLOCK;
}

Test(buffer, space_comes_in_pieces, .init = setup, .fini = teardown)
{
    static struct spur_slot *slot[CROWD];
    uint64_t room = 0;
    cr_assert_leq(held(), 16 << 10);
    for (uint32_t i = 0; i < CROWD; i++) {
        slot[i] = spur_buffer_slot_new(i);
        uint8_t *block = spur_buffer_block_new(slot[i], 1);
        cr_assert_not_null(block);
        room = spur_buffer_room(block, 1);
        cr_assert_eq(room, 4 << 10);
        memset(block, 1, room);
    }
    cr_assert_leq(held(), CROWD * (sizeof(struct spur_slot) + (5 << 10)));

    uint8_t *block = spur_buffer_block_new(slot[0], 2);
    while (room < BLOCK_BYTES) {
        uint64_t more = spur_buffer_room(block, room + 1);
        cr_assert_gt(more, room);
        memset(block, 2, more);
        room = more;
    }
    cr_assert_eq(room, BLOCK_BYTES);
    cr_assert_eq(spur_buffer_room(block, BLOCK_BYTES + 1), BLOCK_BYTES, "there is no more");
    uint64_t before = held();
    spur_buffer_blocks_free(slot[0]);
    block = spur_buffer_block_new(slot[1], 2);
    cr_assert_eq(spur_buffer_room(block, 1), BLOCK_BYTES, "a block keeps its space");
    cr_assert_eq(held(), before);
}

enum { SMALL = 64 << 10, THEIRS = 0x5a };

/*
 * Large pieces are written ahead where that does no harm to files of the program. The
 * linker puts this in the place of base/apart.c's.
 */
static bool is_harmless;
bool __wrap_spur_apart_is_harmless(void);
bool __wrap_spur_apart_is_harmless(void)
{
    return is_harmless;
}

static void setup_harmless(void)
{
    setup();
    is_harmless = true;
}

/* What somebody else has at the place of the next piece of block 1, and its bytes are still his. */
static void put_theirs(const char *path)
{
    static char bytes[BLOCK_BYTES];
    memset(bytes, THEIRS, sizeof bytes);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    cr_assert_eq(pwrite(fd, bytes, BLOCK_BYTES - SMALL, BLOCK_BYTES + SMALL), BLOCK_BYTES - SMALL);
    close(fd);
}

static void expect_theirs(const char *path)
{
    static uint8_t bytes[BLOCK_BYTES];
    int fd = open(path, O_RDONLY);
    cr_assert_eq(pread(fd, bytes, BLOCK_BYTES - SMALL, BLOCK_BYTES + SMALL), BLOCK_BYTES - SMALL);
    close(fd);
    for (int i = 0; i < BLOCK_BYTES - SMALL; i++)
        cr_assert_eq(bytes[i], THEIRS, "byte %d", i);
}

static uint8_t *small_block(struct spur_slot *slot)
{
    uint8_t *block = spur_buffer_block_new(slot, 1);
    while (spur_buffer_room(block, 1) < SMALL)
        cr_assert_gt(spur_buffer_room(block, spur_buffer_room(block, 1) + 1), 0);
    cr_assert_eq(spur_buffer_room(block, 1), SMALL);
    memset(block, 1, SMALL);
    return block;
}

static void expect_piece(const uint8_t *block)
{
    cr_assert_eq(spur_buffer_room(block, SMALL + 1), BLOCK_BYTES);
    for (int i = 0; i < BLOCK_BYTES; i++)
        cr_assert_eq(block[i], i < SMALL, "byte %d", i);
}

Test(buffer, large_pieces_are_zero_and_spare_the_rest, .init = setup_harmless, .fini = teardown)
{
    struct statfs info;
    cr_assert_eq(statfs(dir, &info), 0);
    bool is_large = info.f_type == EXT4_SUPER_MAGIC || info.f_type == XFS_SUPER_MAGIC;
    struct spur_slot *slot = spur_buffer_slot_new(0);
    uint8_t *block = small_block(slot);
    expect_piece(block);
    uint8_t *next = spur_buffer_block_new(slot, 2);
    cr_assert_eq(spur_buffer_room(next, 1), is_large ? BLOCK_BYTES : 4 << 10);
    for (uint64_t i = 0; i < spur_buffer_room(next, 1); i++)
        cr_assert_eq(next[i], 0);
    expect_piece(block);
}

Test(buffer, no_piece_is_large_that_could_do_harm, .init = setup, .fini = teardown)
{
    struct spur_slot *slot = spur_buffer_slot_new(0);
    expect_piece(small_block(slot));
    cr_assert_eq(spur_buffer_room(spur_buffer_block_new(slot, 2), 1), 4 << 10);
}

Test(buffer, large_pieces_do_not_go_to_another_file, .init = setup_harmless, .fini = teardown)
{
    char path[sizeof memory + 16], other[sizeof memory + 16];
    uint8_t *block = small_block(spur_buffer_slot_new(0));
    snprintf(path, sizeof path, "%s/segment", dir);
    snprintf(other, sizeof other, "%s/moved", dir);
    cr_assert_eq(rename(path, other), 0);
    put_theirs(path);
    expect_piece(block);
    expect_theirs(path);
    unlink(other);
}

Test(buffer, large_pieces_of_a_copy_do_not_go_to_the_file, .init = setup_harmless, .fini = teardown)
{
    char path[sizeof memory + 16];
    uint8_t *block = small_block(spur_buffer_slot_new(0));
    snprintf(path, sizeof path, "%s/segment", dir);
    spur_buffer_part();
    put_theirs(path);
    expect_piece(block);
    expect_theirs(path);
}

static void setup_in_memory(void)
{
    dir = memory;
    setup();
}

Test(buffer, what_is_dropped_has_no_space, .init = setup_in_memory, .fini = teardown)
{
    struct spur_slot *slot = spur_buffer_slot_new(0);
    uint8_t *block[2];
    for (int i = 0; i < 2; i++) {
        block[i] = spur_buffer_block_new(slot, 2);
        while (spur_buffer_room(block[i], BLOCK_BYTES) < BLOCK_BYTES)
            ;
        memset(block[i], 1, BLOCK_BYTES);
    }
    uint64_t before = held();
    uint32_t changes = slot->changes;
    spur_buffer_block_drop(slot, block[0]);
    cr_assert_eq(held(), before - BLOCK_BYTES);
    cr_assert_geq(slot->changes - changes, slot->chunks, "nobody believes in a copy of it");
    cr_assert_eq(slot->chunks, 2, "it stays in the list");
    cr_assert_eq(block[1][BLOCK_BYTES - 1], 1);

    spur_buffer_blocks_free(slot);
    for (int i = 0; i < 2; i++)
        if (spur_buffer_block_new(slot, 2) == block[0])
            cr_assert_lt(spur_buffer_room(block[0], 1), BLOCK_BYTES, "it gets its space anew");
    cr_assert_lt(held(), before);
}

/* A process that is limited to files of this size: the same as a full disk, without one. */
Test(buffer, no_space_is_an_error, .init = setup, .fini = teardown)
{
    enum { BLOCKS = 6 };
    const struct rlimit limit = {BLOCKS * BLOCK_BYTES, BLOCKS * BLOCK_BYTES};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    struct spur_slot *slot = spur_buffer_slot_new(0);
    uint32_t n = 0;
    while (spur_buffer_block_new(slot, BLOCKS + 1))
        n++;
    cr_assert_eq(n, BLOCKS - 1);
    cr_assert_eq(spur_buffer_error(), -EFBIG);
}
