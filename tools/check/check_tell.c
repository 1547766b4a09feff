/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/check/check_tell.h"

static void queue(struct check *c, int owner, struct engine_note note, enum note_kind kind,
                  unsigned stage, const void *data, size_t bytes)
{
    note.kind = (uint16_t)kind;
    note.stage = (uint8_t)stage;
    note.words = (uint8_t)(bytes / 8);
    engine_queue(c->engine, owner, &note, data);
}

void tell_queued(struct check *c, struct location *at, enum note_kind kind, unsigned stage,
                 struct key key, const void *data, size_t bytes)
{
    struct engine_note note = note_of(at);
    note.steps[0] = ++at->step;
    queue(c, owner_of(c, key), note, kind, stage, data, bytes);
}

void tell_on_queued(struct check *c, const struct engine_note *n, enum note_kind kind,
                    struct key key, const void *data, size_t bytes)
{
    struct engine_note note = *n;
    if (c->note)
        note.steps[1] = ++c->step;
    else
        note.steps[0] = ++c->locations[n->location].step;
    queue(c, owner_of(c, key), note, kind, NOTE_STAGES, data, bytes);
}

void tell_all(struct check *c, struct location *at, enum note_kind kind, const void *data,
              size_t bytes)
{
    struct engine_note note = note_of(at);
    note.steps[0] = ++at->step;
    queue(c, ENGINE_ALL, note, kind, NOTE_STAGES, data, bytes);
}

void tell_at_end(struct check *c, uint32_t first, uint64_t then, enum note_kind kind, int owner,
                 const void *data, size_t bytes)
{
    struct engine_note note = {.time = UINT64_MAX, .location = first, .sequence = then};
    note.steps[0] = ++c->step;
    queue(c, owner, note, kind, NOTE_STAGES, data, bytes);
}
