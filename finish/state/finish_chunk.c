/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/state/finish_chunk.h"

#include <string.h>

#include "format/record.h"
#include "session/segment.h"

enum { LONG_FRAME_BYTES = 10 };

bool finish_is_zero(const uint8_t *bytes, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (bytes[i])
            return false;
    return true;
}

uint64_t finish_chunk_u64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Events that have no length. */
static const bool is_singleton[UINT8_MAX + 1] = {
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    [id] = OTF2_ROW_IS_SINGLETON(Name, major, minor, __VA_ARGS__),
#include <otf2/otf2_events.def>
#undef EVENT
};

/* Bytes of the record at `at`, 0 if it is not whole. */
static uint64_t record_bytes(const uint8_t *at, uint64_t left)
{
    if (at[0] == OTF2_FRAME_TIME)
        return left >= OTF2_FRAME_TIME_BYTES ? OTF2_FRAME_TIME_BYTES : 0;
    if (left < 2 || (at[0] != OTF2_FRAME_ATTRIBUTES && at[0] < OTF2_FRAME_FIRST_RECORD))
        return 0;
    uint64_t bytes = 2 + (uint64_t)at[1];
    if (is_singleton[at[0]]) {
        if (at[1] == OTF2_WIRE_UNDEFINED)
            bytes = 2;
        else if (at[1] > sizeof(uint64_t))
            return 0;
    } else if (at[1] == OTF2_WIRE_LONG) {
        if (left < LONG_FRAME_BYTES || finish_chunk_u64(at + 2) > left - LONG_FRAME_BYTES)
            return 0;
        bytes = LONG_FRAME_BYTES + finish_chunk_u64(at + 2);
    }
    return bytes <= left ? bytes : 0;
}

uint32_t finish_chunk_c32(const uint8_t *at)
{
    struct otf2_wire_source source = {.at = at, .end = at + OTF2_WIRE_MAX(OTF2_WIRE_VAR32)};
    uint64_t value = OTF2_UNDEFINED_UINT32;
    (void)otf2_wire_get(&source, OTF2_WIRE_VAR32, &value);
    return (uint32_t)value;
}

/* What the record opens or closes. */
static void note_open(struct finish_chunk *chunk, const uint8_t *at)
{
    switch (at[0]) {
    case OTF2_EVT_ID_Enter:
    case OTF2_EVT_ID_Leave:
        chunk->word = finish_chunk_c32(at + 1);
        break;
    case OTF2_EVT_ID_ThreadFork:
    case OTF2_EVT_ID_ThreadJoin:
        chunk->word = SPUR_OPEN_FORK | at[2];
        break;
    case OTF2_EVT_ID_ThreadTeamBegin:
    case OTF2_EVT_ID_ThreadTeamEnd:
        chunk->word = SPUR_OPEN_TEAM | finish_chunk_c32(at + 2);
        break;
    case OTF2_EVT_ID_CallingContextEnter:
    case OTF2_EVT_ID_CallingContextLeave:
        chunk->word = SPUR_OPEN_CONTEXT | finish_chunk_c32(at + 2);
        break;
    default:
        return;
    }
    chunk->opens = at[0] == OTF2_EVT_ID_Enter || at[0] == OTF2_EVT_ID_ThreadFork ||
                   at[0] == OTF2_EVT_ID_ThreadTeamBegin || at[0] == OTF2_EVT_ID_CallingContextEnter;
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
    if (n < OTF2_FRAME_HEADER_BYTES || bytes[0] != OTF2_FRAME_HEADER || bytes[1] != OTF2_WIRE_HOST)
        return false;
    chunk->first = finish_chunk_u64(bytes + OTF2_FRAME_FIRST_AT);
    chunk->last = finish_chunk_u64(bytes + OTF2_FRAME_LAST_AT);
    chunk->used = OTF2_FRAME_HEADER_BYTES;
    uint64_t at = OTF2_FRAME_HEADER_BYTES, time = 0;
    bool is_counted = chunk->last >= chunk->first;
    while (at < n && bytes[at] != OTF2_FRAME_END_OF_CHUNK) {
        /* Bytes of earlier use may follow what was not sealed. */
        if (is_counted && chunk->events > chunk->last - chunk->first &&
            bytes[at] != OTF2_FRAME_END_OF_FILE)
            break;
        if (bytes[at] == OTF2_FRAME_END_OF_FILE) {
            chunk->is_closed = true;
            break;
        }
        uint64_t size = record_bytes(bytes + at, n - at);
        if (size == 0)
            break;
        if (bytes[at] == OTF2_FRAME_TIME)
            time = finish_chunk_u64(bytes + at + 1);
        else if (bytes[at] != OTF2_FRAME_ATTRIBUTES)
            note_event(chunk, bytes + at, time);
        if (bytes[at] >= OTF2_FRAME_FIRST_RECORD) {
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
    uint64_t at = OTF2_FRAME_HEADER_BYTES;
    if (n < OTF2_FRAME_HEADER_BYTES || bytes[0] != OTF2_FRAME_HEADER)
        return;
    while (at < n && bytes[at] != OTF2_FRAME_END_OF_CHUNK && bytes[at] != OTF2_FRAME_END_OF_FILE) {
        uint64_t size = record_bytes(bytes + at, n - at);
        if (size == 0)
            break;
        if (bytes[at] >= OTF2_FRAME_FIRST_RECORD)
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
    memcpy(bytes + OTF2_FRAME_FIRST_AT, &first, sizeof first);
    memcpy(bytes + OTF2_FRAME_LAST_AT, &last, sizeof last);
}
