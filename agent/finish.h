/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a session: what its processes left becomes one archive. */
#ifndef SPUR_FINISH_H
#define SPUR_FINISH_H

#include <stdbool.h>

struct spur_finish_options {
    bool quiet; /* no summary line; errors are said all the same */
};

/* Finish the session in `dir`. 0 or -errno; what went wrong has been said. */
int spur_finish(const char *dir, const struct spur_finish_options *options);

/*
 * Called by a process that has just marked itself as ended: have all other processes of the session
 * in `dir` ended, all ranks of the MPI world among them? Then the caller is to finish it.
 */
bool spur_finish_is_last(const char *dir);

#endif
