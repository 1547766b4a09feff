/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes in bytes, one behind the other, and several rows of them taken in one order. */
#ifndef TOOLS_ENGINE_ENGINE_NOTES_H
#define TOOLS_ENGINE_ENGINE_NOTES_H

#include "tools/engine/engine.h"

/* What goes to one owner: [begin, n) is not sent yet. */
struct note_queue {
    struct engine_bytes bytes;
    size_t begin;
};

void notes_put(struct note_queue *queue, const struct engine_note *note, const void *data);

/* The notes before a time, or all: a part of the queue, whose memory stays until notes_drop(). */
struct engine_bytes notes_before(const struct note_queue *queue, uint64_t time, bool is_all);

/* So many bytes at the begin are not needed any more. */
void notes_drop(struct note_queue *queue, size_t n);

/* Takes the notes of all rows, each of which is in order, in the order of them all. */
struct note_merge {
    struct note_row {
        const char *at, *end;
    } * rows;
    size_t n, room;
};

void merge_add(struct note_merge *merge, struct engine_bytes bytes);
void merge_take(struct note_merge *merge, void *state,
                void (*take)(void *state, const struct engine_note *note, const void *data));

#endif
