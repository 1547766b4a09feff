/* SPDX-License-Identifier: BSD-3-Clause */
/* links: agent finish writer format */
/* Whether a disk has room, as agent/segment/disk.c judges by what looks at it have found. */
#include <criterion/criterion.h>

#include "agent/segment/disk.h"

enum { MIB = 1 << 20, SIZE = 640 * MIB };

static enum spur_disk_word judge(struct spur_disk_state *d, bool keeps, uint64_t free_mib,
                                 uint64_t ms, uint64_t *seconds)
{
    return spur_disk_judge(d, keeps, SIZE, free_mib * MIB, ms, seconds);
}

Test(disk, keeps_a_share)
{
    struct spur_disk_state d = {0};
    uint64_t seconds = 0;
    cr_assert_eq(judge(&d, true, 600, 0, &seconds), SPUR_DISK_HAS_ROOM);
    cr_assert_eq(d.keep, 32 * MIB);
    cr_assert_eq(d.step, 10 * MIB);
    cr_assert_eq(judge(&d, true, 300, 1000000, &seconds), SPUR_DISK_HAS_ROOM);
    cr_assert_eq(judge(&d, true, 33, 1000000, &seconds), SPUR_DISK_FILLS);
    cr_assert_eq(judge(&d, true, 32, 1000001, &seconds), SPUR_DISK_IS_FULL);
}

Test(disk, keeps_half_of_little)
{
    struct spur_disk_state d = {0};
    uint64_t seconds = 0;
    cr_assert_eq(judge(&d, true, 10, 0, &seconds), SPUR_DISK_HAS_ROOM);
    cr_assert_eq(d.keep, 5 * MIB);
    cr_assert_eq(judge(&d, true, 5, 1000000, &seconds), SPUR_DISK_IS_FULL);
}

Test(disk, uses_all_of_it_with_a_limit)
{
    struct spur_disk_state d = {0};
    uint64_t seconds = 0;
    cr_assert_eq(judge(&d, false, 10, 0, &seconds), SPUR_DISK_HAS_ROOM);
    cr_assert_eq(judge(&d, false, 0, 1000000000, &seconds), SPUR_DISK_FILLS);
    cr_assert_eq(seconds, 0);
}

Test(disk, warns_once_when_it_is_soon_full)
{
    struct spur_disk_state d = {0};
    uint64_t seconds = 0;
    judge(&d, true, 632, 1000, &seconds);
    cr_assert_eq(judge(&d, true, 600, 2000, &seconds), SPUR_DISK_HAS_ROOM, "too little to tell");
    cr_assert_eq(judge(&d, true, 532, 11000, &seconds), SPUR_DISK_FILLS);
    cr_assert_eq(seconds, 50, "500 MiB at 10 MiB/s, not %llu s", (unsigned long long)seconds);
    cr_assert_eq(judge(&d, true, 432, 12000, &seconds), SPUR_DISK_HAS_ROOM, "said already");
}

Test(disk, is_silent_when_it_fills_slowly)
{
    struct spur_disk_state d = {0};
    uint64_t seconds = 0;
    judge(&d, true, 632, 0, &seconds);
    cr_assert_eq(judge(&d, true, 532, 100000, &seconds), SPUR_DISK_HAS_ROOM, "500 s are left");
    cr_assert_eq(judge(&d, true, 640, 200000, &seconds), SPUR_DISK_HAS_ROOM, "others have gone");
}
