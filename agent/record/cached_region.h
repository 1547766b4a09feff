/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A call keeps its region as the bytes that follow the id of an Enter and of a Leave: the length of
 * the number and the number. One store of a word writes the bytes; the next record overwrites the
 * upper half of the word. In the cached word the upper half tells the kind of the region and the
 * process, by a stamp on top.
 */
#ifndef SPUR_CACHED_REGION_H
#define SPUR_CACHED_REGION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "agent/spur_agent.h"
#include "writer/evt_inline.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the low byte of a cached region is to come first"
#endif

enum { REGION_OFF = (1 << 24) - 1 }; /* of a call without records; regions are below */
enum { CACHED_KEPT = 1, CACHED_OFF = 2, CACHED_SHIFT = 32 }; /* the upper half without the stamp */
enum { ROOM_CACHED = OTF2_FRAME_TIME_BYTES + 1 + (int)sizeof(uint64_t) };

static inline uint64_t cached_of(uint32_t region)
{
    uint64_t bytes = region == 0 ? 0 : region <= UINT8_MAX ? 1 : region <= UINT16_MAX ? 2 : 3;
    uint64_t what = region < REGION_OFF ? CACHED_KEPT : CACHED_OFF;
    return what << CACHED_SHIFT | (uint64_t)region << 8 | bytes;
}

/* The id is that of Enter or Leave. */
static inline uint8_t *fill_cached(uint8_t *at, uint8_t id, uint64_t cached)
{
    *at = id;
    memcpy(at + 1, &cached, sizeof cached);
    return at + 2 + (uint8_t)cached;
}

static inline uint32_t region_in(uint64_t cached)
{
    return (uint32_t)cached >> 8;
}

static inline uint64_t cached_in(const struct spur_call *call, uint64_t stamp)
{
    return atomic_load_explicit(&call->region, memory_order_relaxed) ^ stamp;
}

/* The region is there, of this process, and to be recorded. */
static inline bool is_cached(uint64_t cached)
{
    return cached >> CACHED_SHIFT == CACHED_KEPT;
}

#endif
