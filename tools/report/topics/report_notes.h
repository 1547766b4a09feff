/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notes between the topics of a report, about facts that concern several locations: messages and
 * collective operations. The LOCAL part of a topic is called at an event, by the worker that reads
 * the location. The local part tells notes to a SHARED part. The shared part takes the notes in the
 * order of the events. With a single worker a note is taken at once, by a direct call. See
 * tools/engine/engine.h.
 *
 * All locations of a process are read by the same worker, as long as the work stays even between
 * the workers. Then the state of the process is local. Else the process is SPLIT: operations on a
 * lock are told to the worker of the lock; the facts for teams, files and devices are told to the
 * worker of the process. Requests and the order of collective operations are not told: if a split
 * process has any, the results are dropped, and a single worker reads the whole archive
 * (wants_whole).
 *
 *     stage 1   messages are matched by the worker of the receiver, at once if the worker reads the
 *               sender as well; collective operations are judged by the worker of the communicator;
 *               locks of a split process
 *     stage 2   waiting for messages is added up by the worker of the waiting location; teams,
 *               files and devices of a split process
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

/* The event at which a thing was seen first: ordered by time, then by location. */
struct birth {
    uint64_t time;
    uint32_t location; /* index */
};

struct notes {
    struct engine *engine;       /* NULL: there is a single worker */
    const uint32_t *worker_of;   /* by process: the owner of the state of the process */
    const uint32_t *location_of; /* by location: the worker that reads the location */
    const bool *is_split;        /* by process */
    const uint32_t *order; /* by location: its rank among locations with events of the same time */
    bool is_at_end;        /* end of the local part: further notes stand behind all events */
    bool wants_whole;      /* a split process has facts that cannot be told */
};

/* Whether there is a single worker: notes need not be told, but can be taken at once. */
static inline bool notes_are_direct(const struct notes *n)
{
    return !n->engine;
}

/* Whether the calling worker reads all locations of the process. */
static inline bool notes_are_whole(const struct notes *n, uint32_t process)
{
    return !n->engine || !n->is_split[process];
}

/*
 * With several workers: whether the calling worker reads all locations of both processes. (At least
 * one of the processes belongs to the worker.) Then the facts about both processes come in the
 * order of events.
 */
static inline bool notes_are_of_one(const struct notes *n, uint32_t process, uint32_t other)
{
    return n->worker_of[process] == n->worker_of[other] && !n->is_split[process] &&
           !n->is_split[other];
}

/* The following facts are known only if a single worker reads all locations of the process. */
static inline void notes_want_whole(struct notes *n, uint32_t process)
{
    n->wants_whole = n->wants_whole || !notes_are_whole(n, process);
}

/* A note about the stream's last event. */
struct engine_note notes_new(const struct report *r, struct stream *s, enum note_kind kind);

/*
 * Tell a note to the worker of a process, to the reader of a location, to the worker of a
 * communicator, or to the worker of a lock of a process. `bytes` are a multiple of 8.
 */
void notes_tell_process(const struct report *r, uint32_t process, struct engine_note note,
                        const void *data, size_t bytes);
void notes_tell_location(const struct report *r, uint32_t location, struct engine_note note,
                         const void *data, size_t bytes);
void notes_tell_comm(const struct report *r, uint64_t comm, struct engine_note note,
                     const void *data, size_t bytes);

void notes_tell_lock(const struct report *r, uint32_t process, uint64_t lock,
                     struct engine_note note, const void *data, size_t bytes);

/* Tells the event to the owner of the process's devices; the event is the stream's last event. */
void notes_tell_device(struct report *r, struct stream *s, struct device_event event);

/* Takes a note that has arrived. */
void notes_take(struct report *r, const struct engine_note *note, const void *data);

#endif
