/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of a session's processes are recorded, and which one it began with: SPUR_FOLLOW, SPUR_ROOT.
 */
#ifndef SPUR_FOLLOW_H
#define SPUR_FOLLOW_H

#include <stdbool.h>

#include "settings/config.h"

/* Is the process to be recorded? Its settings and its pid are known. */
bool spur_follow_wants(void);

/* Did the session begin with this process? Ranks of an MPI job count as such. */
bool spur_follow_is_first(void);

/* Does a program that begins belong to the archive, whether it will record anything or not? */
bool spur_follow_is_shown(void);

/* This one did so, without a launcher: while it runs the others leave it to it to finish that. */
bool spur_follow_is_awaited(void);

/* Another process than this one began the session without a launcher, and still runs. */
bool spur_follow_first_runs(void);

/* The families of calls to record where SPUR_WRAP does not say it. */
const char *spur_follow_families(const struct spur_config *config);

#endif
