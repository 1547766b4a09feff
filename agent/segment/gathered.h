/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of threads that ended before they had filled a chunk. A file for each thread would cost
 * far more than the recording of the events, twice: when the thread ends, and when the file gets
 * its place in the archive. So the events are gathered in the segment, and where the segment has no
 * more room, in one file of the process. Finishing makes the files of the threads. Layout in
 * session/segment.h.
 *
 * Thread-safe. A record counts when the record is whole; the file and the segment may hold the same
 * events.
 */
#ifndef SPUR_GATHERED_H
#define SPUR_GATHERED_H

#include <stdbool.h>

#include "session/segment.h"

/* Once the segment of the process is open. `dir` is the directory of the process. */
void spur_gathered_open(const char *dir);

/* In a child of fork(). */
void spur_gathered_forget(void);

/*
 * The thread has ended, and all events of the thread lie in the slot's one chunk: keep the events.
 * False if events lie elsewhere, or without room: the events need a file.
 */
bool spur_gathered_put(const struct spur_slot *slot);

#endif
