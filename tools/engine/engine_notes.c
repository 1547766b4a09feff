/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/engine/engine_notes.h"

#include <string.h>

#include "tools/base/list.h"

enum { WORD_BYTES = 8, ROOM_MIN = 4096, LINE_BYTES = 64, AHEAD_BYTES = 8 * LINE_BYTES };

static size_t note_bytes(const struct engine_note *note)
{
    return sizeof *note + (size_t)note->words * WORD_BYTES;
}

static const struct engine_note *note_at(const char *at)
{
    return (const void *)at;
}

static void make_room(struct engine_bytes *bytes, size_t n)
{
    if (bytes->room - bytes->n >= n)
        return;
    bytes->room = bytes->room + bytes->room / 2 + n + ROOM_MIN;
    bytes->at = grow_memory(bytes->at, bytes->room);
}

void engine_add(struct engine_bytes *bytes, const void *data, size_t n)
{
    make_room(bytes, n);
    if (n)
        memcpy(bytes->at + bytes->n, data, n);
    bytes->n += n;
}

/* ---- queues ---- */

/*
 * Asks for a cache line of the notes to come, for writing. Another worker has read the line in an
 * earlier round: a store would wait until the reader's processor has given the line back. (The
 * builtin asks for a line for reading, if a compiler may not assume a processor of this century.)
 */
static void want_to_write(const char *at)
{
#ifdef __x86_64__
    __asm__ volatile("prefetchw (%0)" : : "r"(at));
#else
    __builtin_prefetch(at, 1);
#endif
}

typedef uint64_t __attribute__((may_alias)) any_word;

/*
 * Copies a field at a time, as the fields were written just now. A load over several earlier stores
 * waits until all earlier stores are in the cache.
 */
static void copy_note(char *at, const struct engine_note *from, const void *data)
{
    struct engine_note *to = (void *)at;
    any_word *words = (void *)(to + 1);
    const volatile any_word *field = data;
    const volatile struct engine_note *note = from;
    to->time = note->time;
    to->sequence = note->sequence;
    to->location = note->location;
    to->steps[0] = note->steps[0];
    to->steps[1] = note->steps[1];
    to->kind = note->kind;
    to->stage = note->stage;
    to->words = note->words;
    for (unsigned i = 0; i < from->words; i++)
        words[i] = field[i];
}

void notes_put(struct note_queue *queue, const struct engine_note *note, const void *data)
{
    struct engine_bytes *bytes = &queue->bytes;
    size_t n = note_bytes(note);
    make_room(bytes, n);
    char *at = bytes->at + bytes->n;
    for (size_t i = 0; i < n; i += LINE_BYTES)
        want_to_write(at + AHEAD_BYTES + i);
    copy_note(at, note, data);
    bytes->n += n;
}

struct engine_bytes notes_before(const struct note_queue *queue, uint64_t time, bool is_all)
{
    const struct engine_bytes *bytes = &queue->bytes;
    size_t cut = is_all ? bytes->n : queue->begin;
    while (cut < bytes->n && note_at(bytes->at + cut)->time < time)
        cut += note_bytes(note_at(bytes->at + cut));
    if (cut == queue->begin)
        return (struct engine_bytes){0};
    return (struct engine_bytes){bytes->at + queue->begin, cut - queue->begin, 0};
}

void notes_drop(struct note_queue *queue, size_t n)
{
    struct engine_bytes *bytes = &queue->bytes;
    queue->begin += n;
    if (queue->begin < bytes->n / 2)
        return;
    bytes->n -= queue->begin;
    if (bytes->n)
        memmove(bytes->at, bytes->at + queue->begin, bytes->n);
    queue->begin = 0;
}

/* ---- rows ---- */

void merge_add(struct note_merge *merge, struct engine_bytes bytes)
{
    if (!bytes.n)
        return;
    merge->rows = list_grow(merge->rows, &merge->room, merge->n + 1, sizeof *merge->rows);
    merge->rows[merge->n++] = (struct note_row){bytes.at, bytes.at + bytes.n};
}

static bool is_before(const char *x, const char *y)
{
    const struct engine_note *a = note_at(x);
    const struct engine_note *b = note_at(y);
    if (a->time != b->time)
        return a->time < b->time;
    if (a->location != b->location)
        return a->location < b->location;
    if (a->sequence != b->sequence)
        return a->sequence < b->sequence;
    return a->steps[0] != b->steps[0] ? a->steps[0] < b->steps[0] : a->steps[1] < b->steps[1];
}

/* Puts a row at a place or below. */
static void sift_down(struct note_row *heap, size_t n, size_t i, const char *at, const char *end)
{
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= n)
            break;
        child += child + 1 < n && is_before(heap[child + 1].at, heap[child].at);
        if (is_before(at, heap[child].at))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i].at = at;
    heap[i].end = end;
}

/* Takes notes of the first row as long as these notes come before the notes of all further rows. */
static const char *take_first(const struct note_merge *merge, void *state,
                              void (*take)(void *state, const struct engine_note *note,
                                           const void *data))
{
    const struct note_row *heap = merge->rows;
    size_t second = merge->n > 2 && is_before(heap[2].at, heap[1].at) ? 2 : 1;
    const char *limit = merge->n > 1 ? heap[second].at : NULL;
    const char *at = heap[0].at;
    do {
        const struct engine_note *note = note_at(at);
        __builtin_prefetch(at + AHEAD_BYTES);
        __builtin_prefetch(at + AHEAD_BYTES + LINE_BYTES);
        take(state, note, note + 1);
        at += note_bytes(note);
    } while (at < heap[0].end && (!limit || is_before(at, limit)));
    return at;
}

void merge_take(struct note_merge *merge, void *state,
                void (*take)(void *state, const struct engine_note *note, const void *data))
{
    struct note_row *heap = merge->rows;
    for (size_t i = merge->n / 2; i-- > 0;)
        sift_down(heap, merge->n, i, heap[i].at, heap[i].end);
    while (merge->n) {
        const char *at = take_first(merge, state, take);
        const char *end = heap[0].end;
        if (at == end) {
            merge->n--;
            at = heap[merge->n].at;
            end = heap[merge->n].end;
        }
        if (merge->n)
            sift_down(heap, merge->n, 0, at, end);
    }
}
