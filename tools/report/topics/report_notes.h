/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a report's topics tell each other of what several locations have to do with: messages and
 * collective operations. The LOCAL part of a topic is called at an event, by the worker that reads
 * the location; it tells notes to a SHARED part, which takes them in the order of the events. Where
 * there is one worker it takes them at once, by a direct call. See tools/engine/engine.h.
 *
 * All locations of a process are read by one worker, where that gives all of them enough to do.
 * Then what a process has to itself is local. Else it is SPLIT: what is done with a lock is told to
 * the worker of the lock, what teams, files and devices need to that of the process. Requests and
 * the order of collective operations are not: of such a process one worker then has to read it all
 * (wants_whole).
 *
 *     stage 1   messages are matched by the worker of the receiver, at once if it reads the sender
 *               as well; collective operations are judged by that of the communicator; locks of a
 *               split process
 *     stage 2   waiting for messages is accounted for by the worker of the location that waits;
 *               teams, files and devices of a split process
 */
#ifndef TOOLS_REPORT_NOTES_H
#define TOOLS_REPORT_NOTES_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/base/map.h"
#include "tools/engine/engine.h"
#include "tools/report/devices/device_event.h"

struct report;
struct stream;

enum note_kind {
    NOTE_SEND,
    NOTE_RETURNED,
    NOTE_RECEIVE,
    NOTE_ARRIVAL,
    NOTE_WAIT,
    NOTE_LOCK,
    NOTE_LOCK_WAIT,
    NOTE_TEAM,
    NOTE_FILE,
    NOTE_DEVICE
};

/* When something was seen first: in the order of events, by its time, then by its location. */
struct birth {
    uint64_t time;
    uint32_t location; /* index */
};

struct notes {
    struct engine *engine;       /* NULL: there is one worker */
    const uint32_t *worker_of;   /* by process: who has what belongs to it */
    const uint32_t *location_of; /* by location: who reads it */
    const bool *is_split;        /* by process */
    const uint32_t *order;       /* by location: its place among those with events of one time */
    bool is_at_end;              /* of the local part: what comes now is behind all events */
    bool wants_whole;            /* something of a split process cannot be told */
};

/* Whether this is the only worker: nothing has to be told, it can be taken at once. */
static inline bool notes_are_direct(const struct notes *n)
{
    return !n->engine;
}

/* Whether all locations of the process are read here. */
static inline bool notes_are_whole(const struct notes *n, uint32_t process)
{
    return !n->engine || !n->is_split[process];
}

/*
 * Where there are several workers: whether this one reads all locations of both processes, one of
 * which is its own. Then what these two have to do with each other comes in the order of events.
 */
static inline bool notes_are_of_one(const struct notes *n, uint32_t process, uint32_t other)
{
    return n->worker_of[process] == n->worker_of[other] && !n->is_split[process] &&
           !n->is_split[other];
}

/* What comes is known only where all locations of the process are read. */
static inline void notes_want_whole(struct notes *n, uint32_t process)
{
    n->wants_whole = n->wants_whole || !notes_are_whole(n, process);
}

/* A note of the stream's last event. */
struct engine_note notes_new(const struct report *r, struct stream *s, enum note_kind kind);

/*
 * To the worker of a process, of a location (who reads it), of a communicator, or of a lock of a
 * process. `bytes` are a multiple of 8.
 */
void notes_tell_process(const struct report *r, uint32_t process, struct engine_note note,
                        const void *data, size_t bytes);
void notes_tell_location(const struct report *r, uint32_t location, struct engine_note note,
                         const void *data, size_t bytes);
void notes_tell_comm(const struct report *r, uint64_t comm, struct engine_note note,
                     const void *data, size_t bytes);

void notes_tell_lock(const struct report *r, uint32_t process, uint64_t lock,
                     struct engine_note note, const void *data, size_t bytes);

/* To whom has the devices of a process; the event is the stream's last one. */
void notes_tell_device(struct report *r, struct stream *s, struct device_event event);

/* A note has come. */
void notes_take(struct report *r, const struct engine_note *note, const void *data);

#endif
