/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notes from a handler of an event, on the worker of its location, to a shared part, on the worker
 * that owns a key. They are taken in the order of the events. Where the teller owns the key itself,
 * because it is alone or has all locations of the process, a note is a direct call.
 *
 * The data of each note begin with the time of the event.
 */
#ifndef CHECK_CHECK_TELL_H
#define CHECK_CHECK_TELL_H

#include "tools/check/check.h"

enum note_kind {
#define NOTE(KIND, stage, function) NOTE_##KIND,
#include "tools/check/notes.def"
#undef NOTE
    NOTES
};

enum {
#define NOTE(KIND, stage, function) NOTE_STAGE_##KIND = (stage),
#include "tools/check/notes.def"
#undef NOTE
    NOTE_STAGES = 2
};

#define NOTE(KIND, stage, function)                                                                \
    void function(struct check *c, const struct engine_note *n, const void *data);                 \
    static inline void call_##KIND(struct check *c, const struct engine_note *n, const void *data) \
    {                                                                                              \
        function(c, n, data);                                                                      \
    }
#include "tools/check/notes.def"
#undef NOTE

static inline bool is_alone(const struct check *c)
{
    return !c->engine->rounds;
}

/* Whether this worker has all locations of a process. */
static inline bool is_here(const struct check *c, const struct process *process)
{
    return is_alone(c) || process->worker == c->engine->rank;
}

/* Whether this worker has what belongs to that key of stage 2. */
static inline bool owns(const struct check *c, struct key key)
{
    return is_alone(c) || engine_owner(c->engine, key.a, key.b, key.c) == c->engine->rank;
}

/* The same of stage 1. */
static inline bool owns_process(const struct check *c, const struct process *process)
{
    return process->worker == SPLIT ? owns(c, (struct key){.a = process->node.key.a})
                                    : is_here(c, process);
}

static inline struct engine_note note_of(const struct location *at)
{
    return (
        struct engine_note){.time = at->order, .sequence = at->file.count, .location = at->index};
}

static inline struct moment moment_of(const struct location *at)
{
    return (struct moment){at->order, at->file.count, at->index};
}

/* Tells of the current event of a location; by a direct call if all of the key's are told here. */
#define TELL_UNLESS(is_all_here, c, at, KIND, key, data)                                           \
    do {                                                                                           \
        struct engine_note note_ = note_of(at);                                                    \
        _Static_assert(sizeof(data) % 8 == 0 && sizeof(data) / 8 < 256, "words");                  \
        if (is_all_here)                                                                           \
            call_##KIND(c, &note_, &(data));                                                       \
        else                                                                                       \
            tell_queued(c, at, NOTE_##KIND, NOTE_STAGE_##KIND, key, &(data), sizeof(data));        \
    } while (0)

#define TELL(c, at, KIND, key, data)                                                               \
    TELL_UNLESS(is_alone(c) || (NOTE_STAGE_##KIND == 1 && is_here(c, (at)->process)), c, at, KIND, \
                key, data)

/* Tells on, from stage 1 to 2. */
#define TELL_ON_UNLESS(is_all_here, c, n, KIND, key, data)                                         \
    do {                                                                                           \
        _Static_assert(sizeof(data) % 8 == 0 && sizeof(data) / 8 < 256, "words");                  \
        if (is_all_here)                                                                           \
            call_##KIND(c, n, &(data));                                                            \
        else                                                                                       \
            tell_on_queued(c, n, NOTE_##KIND, key, &(data), sizeof(data));                         \
    } while (0)

#define TELL_ON(c, n, KIND, key, data) TELL_ON_UNLESS(is_alone(c), c, n, KIND, key, data)

void tell_queued(struct check *c, struct location *at, enum note_kind kind, unsigned stage,
                 struct key key, const void *data, size_t bytes);
void tell_on_queued(struct check *c, const struct engine_note *n, enum note_kind kind,
                    struct key key, const void *data, size_t bytes);

/* Sends a note about the current event of a location to stage 2 of all workers. */
void tell_all(struct check *c, struct location *at, enum note_kind kind, const void *data,
              size_t bytes);

/*
 * At the end of a stage, to stage 2: in the order of `first` and `then`. Owner ENGINE_ALL: to all
 * workers.
 */
void tell_at_end(struct check *c, uint32_t first, uint64_t then, enum note_kind kind, int owner,
                 const void *data, size_t bytes);
static inline int owner_of(const struct check *c, struct key key)
{
    return (int)engine_owner(c->engine, key.a, key.b, key.c);
}

/* ---- where a note is taken ---- */

static inline struct location *note_location(const struct check *c, const struct engine_note *n)
{
    return &c->locations[n->location];
}

static inline struct moment note_moment(const struct engine_note *n)
{
    return (struct moment){n->time, n->sequence, n->location};
}

/* Where the event stands that a note tells of. */
static inline struct place note_place(const struct check *c, const struct engine_note *n,
                                      const void *data)
{
    return place_at(c->locations[n->location].id, n->sequence - 1, *(const uint64_t *)data);
}

#endif
