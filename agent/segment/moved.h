/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A session directory with a new name, or removed, while processes record into the directory. No
 * process holds the directory open. But this process has a file of the directory mapped, and the
 * kernel knows the present name of the file. A file named by the old path (base/beneath.h) is then
 * opened by the present path.
 */
#ifndef SPUR_MOVED_H
#define SPUR_MOVED_H

#include <stdbool.h>

#include "agent/state/identity.h"
#include "settings/config.h"

enum spur_moved { SPUR_STAYED, SPUR_MOVED, SPUR_REMOVED };

/* The directory of the session of this process; spur_process.dir unless the session has moved. */
enum spur_moved spur_moved_to(char dir[SPUR_PATH_BYTES]);

/* For stacks that may be small: is `dir` an earlier name of the session directory? */
bool spur_moved_from(const char *dir);

/* This process has a segment now. */
void spur_moved_watch(void);

/* In a child, before the child has a segment: the child records where the session of its parent
 * is. */
void spur_moved_follow(struct spur_config *config);

/* Is `dir` a name of the session that is not to be handed down? `now` as of spur_moved_to(). */
bool spur_moved_is_old(const char *dir, const char *now);

/* The session directory was removed, the recording is lost: one line, unless a launcher will
 * tell. */
void spur_moved_say_removed(void);

#endif
