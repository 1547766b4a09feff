/* SPDX-License-Identifier: BSD-3-Clause */
/* links: finish */
#include <criterion/criterion.h>
#include <string.h>

#include "finish/events/finish_open.h"
#include "finish/state/finish_chunk.h"

enum { ENTER = 12, LEAVE = 13, TEAM_BEGIN = 55, ROOM = 512, FIRST_DEPTH_TOO_LARGE = 1 << 20 };

/* A chunk of records that name what they open or close in one byte; how many bytes it has. */
static uint64_t build(uint8_t chunk[ROOM], const uint8_t (*record)[2], size_t n)
{
    uint64_t at = OTF2_FRAME_HEADER_BYTES;
    memset(chunk, 0, ROOM);
    chunk[0] = 3;
    chunk[1] = 0x42;
    chunk[2] = 1;
    for (size_t i = 0; i < n; i++) {
        uint8_t framed[] = {record[i][0], 2, 1, record[i][1]},
                plain[] = {record[i][0], 1, record[i][1]};
        bool is_framed = record[i][0] > LEAVE;
        memcpy(chunk + at, is_framed ? framed : plain, is_framed ? sizeof framed : sizeof plain);
        at += is_framed ? sizeof framed : sizeof plain;
    }
    return at;
}

#define BUILD_CHUNK(chunk, ...)                                                                    \
    build(chunk, (const uint8_t[][2]){__VA_ARGS__}, sizeof((const uint8_t[][2]){__VA_ARGS__}) / 2)

Test(finish_open, a_region_within_itself_counts_twice)
{
    uint8_t chunk[ROOM];
    uint32_t region[SPUR_SLOT_REGIONS] = {7, 99};
    struct finish_open open = {region, 0};
    uint64_t n = BUILD_CHUNK(chunk, {ENTER, 7}, {ENTER, 7});
    finish_open_follow(&open, chunk, n);
    cr_expect_eq(open.depth, 2);
    cr_expect_eq(region[1], 7, "what the slot says of it may be older");
}

Test(finish_open, what_was_open_before_is_closed)
{
    uint8_t chunk[ROOM];
    uint32_t region[SPUR_SLOT_REGIONS] = {5, 6, 9};
    struct finish_open open = {region, 2};
    uint64_t n = BUILD_CHUNK(chunk, {LEAVE, 6}, {TEAM_BEGIN, 3}, {ENTER, 8}, {LEAVE, 8});
    finish_open_follow(&open, chunk, n);
    cr_expect_eq(open.depth, 2);
    cr_expect_eq(region[0], 5);
    cr_expect_eq(region[1], SPUR_OPEN_TEAM | 3);
    finish_open_follow(&open, chunk, OTF2_FRAME_HEADER_BYTES);
    cr_expect_eq(open.depth, 2, "no events");
}

Test(finish_open, nothing_is_trusted)
{
    uint8_t chunk[ROOM];
    uint32_t region[SPUR_SLOT_REGIONS] = {5};
    struct finish_open open = {region, 1};
    uint64_t n = BUILD_CHUNK(chunk, {LEAVE, 5}, {LEAVE, 5}, {LEAVE, 5}, {ENTER, 4});
    finish_open_follow(&open, chunk, n);
    cr_expect_eq(open.depth, 1);
    open.depth = FIRST_DEPTH_TOO_LARGE;
    finish_open_follow(&open, chunk, n);
    cr_expect_lt(open.depth, FIRST_DEPTH_TOO_LARGE);
    chunk[0] = 0;
    open.depth = 3;
    finish_open_follow(&open, chunk, n);
    cr_expect_eq(open.depth, 3, "no chunk");
}
