/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of an MPI job that finish a session together. */
#ifndef TOOLS_SESSION_TEAM_H
#define TOOLS_SESSION_TEAM_H

#include "finish/state/finish_options.h"

/*
 * Finishes the session in `dir`: alone, or with the other ranks of this job, which call the same.
 * What spur_finish() returns; the other ranks end here.
 */
int team_finish(const char *dir, struct spur_finish_options *options);

#endif
