/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/state/finish_chunk.h"

#include <string.h>

#include "session/segment.h"

/* Marks and framing of trace format 2: see the record tables in include/otf2. */
enum {
    END_OF_CHUNK = 0,
    END_OF_FILE = 2,
    CHUNK_HEADER = 3,
    TIMESTAMP = 5,
    ATTRIBUTE_LIST = 6,
    FIRST_EVENT = 10,
    ENTER = 12,
    LEAVE = 13,
    THREAD_FORK = 53,
    THREAD_JOIN = 54,
    THREAD_TEAM_BEGIN = 55,
    THREAD_TEAM_END = 56,
    CONTEXT_ENTER = 66,
    CONTEXT_LEAVE = 67,
    LONG_LENGTH = 0xff,
    ALL_ONES = 0xff,
    TIMESTAMP_BYTES = 9,
    LONG_FRAME_BYTES = 10,
};

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { BYTE_ORDER_MARK = 0x42 };
#else
enum { BYTE_ORDER_MARK = 0x23 };
#endif

static uint64_t get_u64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Events of one compressed attribute that have no length: no record after OTF2 1.1 is like that. */
static bool is_singleton(uint8_t id)
{
    static const uint8_t ids[] = {12, 13, 16, 17, 20, 21, 24, 28, 29, 30};
    return memchr(ids, id, sizeof ids) != NULL;
}

/* Bytes of the record at `at`, 0 if it is not whole. */
static uint64_t record_bytes(const uint8_t *at, uint64_t left)
{
    if (at[0] == TIMESTAMP)
        return left >= TIMESTAMP_BYTES ? TIMESTAMP_BYTES : 0;
    if (left < 2 || (at[0] != ATTRIBUTE_LIST && at[0] < FIRST_EVENT))
        return 0;
    uint64_t bytes = 2 + (uint64_t)at[1];
    if (is_singleton(at[0])) {
        if (at[1] == ALL_ONES)
            bytes = 2;
        else if (at[1] > sizeof(uint64_t))
            return 0;
    } else if (at[1] == LONG_LENGTH) {
        if (left < LONG_FRAME_BYTES || get_u64(at + 2) > left - LONG_FRAME_BYTES)
            return 0;
        bytes = LONG_FRAME_BYTES + get_u64(at + 2);
    }
    return bytes <= left ? bytes : 0;
}

uint32_t finish_chunk_c32(const uint8_t *at)
{
    uint32_t value = 0;
    if (at[0] == ALL_ONES)
        return UINT32_MAX;
    for (int i = 0; i < at[0] && i < 4; i++)
        value |= BYTE_ORDER_MARK == 0x42 ? (uint32_t)at[1 + i] << (8 * i)
                                         : (uint32_t)at[at[0] - i] << (8 * i);
    return value;
}

/* What the record opens or closes. */
static void note_open(struct finish_chunk *chunk, const uint8_t *at)
{
    switch (at[0]) {
    case ENTER:
    case LEAVE:
        chunk->word = finish_chunk_c32(at + 1);
        break;
    case THREAD_FORK:
    case THREAD_JOIN:
        chunk->word = SPUR_OPEN_FORK | at[2];
        break;
    case THREAD_TEAM_BEGIN:
    case THREAD_TEAM_END:
        chunk->word = SPUR_OPEN_TEAM | finish_chunk_c32(at + 2);
        break;
    case CONTEXT_ENTER:
    case CONTEXT_LEAVE:
        chunk->word = SPUR_OPEN_CONTEXT | finish_chunk_c32(at + 2);
        break;
    default:
        return;
    }
    chunk->opens = at[0] == ENTER || at[0] == THREAD_FORK || at[0] == THREAD_TEAM_BEGIN ||
                   at[0] == CONTEXT_ENTER;
    chunk->closes = !chunk->opens;
}

static void note_event(struct finish_chunk *chunk, const uint8_t *at, uint64_t time)
{
    chunk->events++;
    chunk->event = at[0];
    chunk->opens = chunk->closes = false;
    note_open(chunk, at);
    if (chunk->time_first == UINT64_MAX)
        chunk->time_first = time;
    if (time > chunk->time_last)
        chunk->time_last = time;
}

bool finish_chunk_walk(const uint8_t *bytes, uint64_t n, struct finish_chunk *chunk, void *data,
                       void (*each)(void *data, const struct finish_chunk *chunk,
                                    const uint8_t *at))
{
    *chunk = (struct finish_chunk){.time_first = UINT64_MAX};
    if (n < FINISH_CHUNK_HEADER || bytes[0] != CHUNK_HEADER || bytes[1] != BYTE_ORDER_MARK)
        return false;
    chunk->first = get_u64(bytes + 2);
    chunk->last = get_u64(bytes + 10);
    chunk->used = FINISH_CHUNK_HEADER;
    uint64_t at = FINISH_CHUNK_HEADER, time = 0;
    bool is_counted = chunk->last >= chunk->first;
    while (at < n && bytes[at] != END_OF_CHUNK) {
        /* Bytes of earlier use may follow what was not sealed. */
        if (is_counted && chunk->events > chunk->last - chunk->first && bytes[at] != END_OF_FILE)
            break;
        if (bytes[at] == END_OF_FILE) {
            chunk->is_closed = true;
            break;
        }
        uint64_t size = record_bytes(bytes + at, n - at);
        if (size == 0)
            break;
        if (bytes[at] == TIMESTAMP)
            time = get_u64(bytes + at + 1);
        else if (bytes[at] != ATTRIBUTE_LIST)
            note_event(chunk, bytes + at, time);
        if (bytes[at] >= FIRST_EVENT) {
            chunk->used = at + size;
            if (each)
                each(data, chunk, bytes + at);
        }
        at += size;
    }
    return true;
}

void finish_chunk_each(uint8_t *bytes, uint64_t n, void *data,
                       void (*each)(void *data, uint8_t *at, uint64_t size))
{
    uint64_t at = FINISH_CHUNK_HEADER;
    if (n < FINISH_CHUNK_HEADER || bytes[0] != CHUNK_HEADER)
        return;
    while (at < n && bytes[at] != END_OF_CHUNK && bytes[at] != END_OF_FILE) {
        uint64_t size = record_bytes(bytes + at, n - at);
        if (size == 0)
            break;
        if (bytes[at] >= FIRST_EVENT)
            each(data, bytes + at, size);
        at += size;
    }
}

bool finish_chunk_scan(const uint8_t *bytes, uint64_t n, struct finish_chunk *chunk)
{
    return finish_chunk_walk(bytes, n, chunk, NULL, NULL);
}

void finish_chunk_number_from(uint8_t *bytes, uint64_t first, uint64_t last)
{
    memcpy(bytes + 2, &first, sizeof first);
    memcpy(bytes + 10, &last, sizeof last);
}
