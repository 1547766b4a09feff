/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a report's topics tell each other of what several locations have to do with: messages and
 * collective operations. The LOCAL part of a topic is called at an event, by the worker that reads
 * the location; it tells notes to a SHARED part, which takes them in the order of the events. Where
 * there is one worker it takes them at once, by a direct call. See tools/engine/engine.h.
 *
 * All locations of a process are read by one worker. So what a process has to itself (requests,
 * locks, teams, files) is local.
 *
 *     stage 1   messages are matched by the worker of the receiver, collective operations judged by
 *               that of the communicator
 *     stage 2   waiting for messages is accounted for by the worker of the location that waits
 */
#ifndef TOOLS_REPORT_NOTES_H
#define TOOLS_REPORT_NOTES_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/base/map.h"
#include "tools/engine/engine.h"

struct report;
struct stream;

enum note_kind { NOTE_SEND, NOTE_RETURNED, NOTE_RECEIVE, NOTE_ARRIVAL, NOTE_WAIT };

/* When something was seen first: in the order of events, by its time, then by its location. */
struct birth {
    uint64_t time;
    uint32_t location; /* index */
};

struct notes {
    struct engine *engine;     /* NULL: there is one worker */
    const uint32_t *worker_of; /* by process */
    const uint32_t *order;     /* by location: its place among those with events of one time */
    bool is_at_end;            /* of the local part: what comes now is behind all events */
};

/* Whether this is the only worker: nothing has to be told, it can be taken at once. */
static inline bool notes_are_direct(const struct notes *n)
{
    return !n->engine;
}

/* A note of the stream's last event. */
struct engine_note notes_new(const struct report *r, struct stream *s, enum note_kind kind);

/* To the worker of a process, or of a communicator. `bytes` are a multiple of 8. */
void notes_tell_process(const struct report *r, uint32_t process, struct engine_note note,
                        const void *data, size_t bytes);
void notes_tell_comm(const struct report *r, uint64_t comm, struct engine_note note,
                     const void *data, size_t bytes);

/* A note has come. */
void notes_take(struct report *r, const struct engine_note *note, const void *data);

#endif
