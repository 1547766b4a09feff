/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of threads that have ended before they had filled a chunk. A file for each would cost far
 * more than what they have recorded, twice: when the thread ends, and when its file gets its place
 * in the archive. So they are gathered in the segment, and where there is no more room for them
 * there, in one file of the process. Finishing makes their files. Layout in session/segment.h.
 *
 * Thread-safe. A record counts when it is whole; what is in the file may be in the segment as well.
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
 * The thread has ended, and all of its events lie in the slot's one chunk: keep them. False when
 * that is not so, or there is no room: they need a file.
 */
bool spur_gathered_put(const struct spur_slot *slot);

#endif
