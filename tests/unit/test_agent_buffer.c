/* SPDX-License-Identifier: BSD-3-Clause */
/* links: agent finish writer format */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
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
