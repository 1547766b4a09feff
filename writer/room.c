/* SPDX-License-Identifier: BSD-3-Clause */
#include "writer/room.h"

#include <otf2x/otf2x.h>

#include "writer/archive_state.h"

static uint64_t (*ask_for_room)(const void *chunk, uint64_t at_least);

void OTF2X_AskForRoom(uint64_t (*room)(const void *chunk, uint64_t at_least))
{
    ask_for_room = room;
}

static void (*tell_written)(void *chunk);

void OTF2X_TellWritten(void (*told)(void *chunk))
{
    tell_written = told;
}

void otf2_room_is_over(const struct otf2_stream *s, uint8_t *chunk)
{
    bool is_there = !s->blocks.is_used && !s->held.is_used && !s->is_replacing;
    if (tell_written && is_there && s->archive->memory.otf2_allocate &&
        s->type == OTF2_FILETYPE_EVENTS)
        tell_written(chunk);
}

uint8_t *otf2_room_end(const struct otf2_stream *s, uint8_t *chunk, uint64_t at_least)
{
    uint64_t room = s->chunk_bytes;
    if (ask_for_room && s->archive->memory.otf2_allocate && s->type == OTF2_FILETYPE_EVENTS)
        room = ask_for_room(chunk, at_least);
    return chunk + (room < s->chunk_bytes ? room : s->chunk_bytes);
}

bool otf2_room_widen(const struct otf2_stream *s, uint64_t need)
{
    struct otf2_evt_cursor *c = s->cursor;
    if (!c->chunk || c->end == c->chunk + s->chunk_bytes)
        return false;
    c->end = otf2_room_end(s, c->chunk, (uint64_t)(c->pos - c->chunk) + need + 1);
    return need < (uint64_t)(c->end - c->pos);
}
