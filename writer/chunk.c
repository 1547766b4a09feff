/* SPDX-License-Identifier: BSD-3-Clause */
#include "writer/chunk.h"

#include <string.h>

#include "format/frame.h"
#include "format/record.h"

void otf2_chunk_put_header(uint8_t *chunk, uint64_t first, uint64_t last)
{
    chunk[0] = OTF2_FRAME_HEADER;
    chunk[1] = OTF2_WIRE_HOST;
    memcpy(chunk + OTF2_FRAME_FIRST_AT, &first, sizeof first);
    memcpy(chunk + OTF2_FRAME_LAST_AT, &last, sizeof last);
}

void otf2_chunk_put_last(uint8_t *chunk, uint64_t last)
{
    memcpy(chunk + OTF2_FRAME_LAST_AT, &last, sizeof last);
}

static bool is_zero(const struct otf2_wire_source *s)
{
    for (const uint8_t *p = s->at; p < s->end; p++)
        if (*p)
            return false;
    return true;
}

static bool skip_framed(struct otf2_wire_source *s)
{
    uint64_t length;
    if (!otf2_wire_get_length(s, &length) || length > otf2_wire_left_over(s))
        return false;
    s->at += length;
    return true;
}

/* What follows the id. Ids unknown to this version are framed. */
static bool skip_event(struct otf2_wire_source *s, uint8_t id)
{
    const struct otf2_record *rec = otf2_record_by_id(OTF2_PLACE_EVENTS, id);
    if (!rec || !rec->is_singleton)
        return skip_framed(s);
    uint64_t value;
    enum otf2_wire wire = (enum otf2_wire)otf2_kinds[rec->fields[0].kind].wire;
    return otf2_wire_get(s, wire, &value);
}

bool otf2_chunk_walk(const uint8_t *chunk, uint64_t used, struct otf2_chunk_content *content)
{
    if (used < OTF2_FRAME_HEADER_BYTES || chunk[0] != OTF2_FRAME_HEADER ||
        chunk[1] != OTF2_WIRE_HOST)
        return false;
    memcpy(&content->first, chunk + OTF2_FRAME_FIRST_AT, sizeof content->first);
    content->last = content->first - 1;
    content->time = 0;
    struct otf2_wire_source s = {.at = chunk + OTF2_FRAME_HEADER_BYTES, .end = chunk + used};
    content->used = OTF2_FRAME_HEADER_BYTES;
    while (s.at < s.end) {
        uint8_t id = *s.at++;
        if (id == OTF2_FRAME_END_OF_CHUNK)
            return is_zero(&s);
        bool is_whole;
        if (id == OTF2_FRAME_TIME)
            is_whole = otf2_wire_get(&s, OTF2_WIRE_FIXED64, &content->time);
        else if (id == OTF2_FRAME_ATTRIBUTES)
            is_whole = skip_framed(&s);
        else
            is_whole = id >= OTF2_FRAME_FIRST_RECORD && skip_event(&s, id);
        if (!is_whole)
            return false;
        content->last += id >= OTF2_FRAME_FIRST_RECORD;
        content->used = (uint64_t)(s.at - chunk);
    }
    return true;
}
