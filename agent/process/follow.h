/* SPDX-License-Identifier: BSD-3-Clause */
/* The recorded processes of a session, and the first process of the session: SPUR_FOLLOW,
 * SPUR_ROOT. */
#ifndef SPUR_FOLLOW_H
#define SPUR_FOLLOW_H

#include <stdbool.h>

#include "settings/config.h"

/* Is the process to be recorded? Its settings and its pid are known. */
bool spur_follow_wants(void);

/* Did the session begin with this process? Ranks of an MPI job count as first processes. */
bool spur_follow_is_first(void);

/* Does a program that begins belong to the archive, even if no event will be recorded? */
bool spur_follow_is_shown(void);

/* Did the session begin with this process, without a launcher? While this process runs, all later
 * processes leave the finishing of the archive to the first process. */
bool spur_follow_is_awaited(void);

/* Did another process begin the session without a launcher, and is the first process still
 * running? */
bool spur_follow_first_runs(void);

/* The families of calls to record if SPUR_WRAP is not set. */
const char *spur_follow_families(const struct spur_config *config);

#endif
