/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A session directory that gets another name, or goes, while it is recorded into. Nobody holds it
 * open; but this process has a file of it mapped, and the kernel knows what that is called now.
 * What is opened by the old name (base/beneath.h) is found by it.
 */
#ifndef SPUR_MOVED_H
#define SPUR_MOVED_H

#include <stdbool.h>

#include "agent/state/identity.h"
#include "settings/config.h"

enum spur_moved { SPUR_STAYED, SPUR_MOVED, SPUR_REMOVED };

/* Where the session of this process is; spur_process.dir unless it has moved. */
enum spur_moved spur_moved_to(char dir[SPUR_PATH_BYTES]);

/* For stacks that may be small: is `dir` what it was called before? */
bool spur_moved_from(const char *dir);

/* This process has a segment now. */
void spur_moved_watch(void);

/* In a child, which has none of its own yet: it goes where its parent's session is. */
void spur_moved_follow(struct spur_config *config);

/* Is it a name of the session that is not to be handed down? `now` as of spur_moved_to(). */
bool spur_moved_is_old(const char *dir, const char *now);

/* What is recorded is lost: one line, unless a launcher will say it. */
void spur_moved_say_removed(void);

#endif
