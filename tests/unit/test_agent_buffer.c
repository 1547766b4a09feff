/* SPDX-License-Identifier: BSD-3-Clause */
/* links: agent finish writer format */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/segment/buffer.h"

enum { MANY = 10000, BLOCK_BYTES = 1 << 18 };

static char dir[] = "/tmp/spur-buffer-XXXXXX";

static void setup(void)
{
    cr_assert_not_null(mkdtemp(dir));
    cr_assert_eq(spur_buffer_open(dir, BLOCK_BYTES), 0);
}

static void teardown(void)
{
    char path[sizeof dir + 16];
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
