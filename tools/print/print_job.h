/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints events by the ranks of an MPI job, into a file. Each makes the text of every n-th slice of
 * time. They tell each other how long it is, so each can write its own where it belongs. Where not
 * all have that file, the first one writes for all.
 */
#ifndef PRINT_JOB_H
#define PRINT_JOB_H

#include <otf2/otf2.h>

/* Whether there is such a job, and this is work for it: else the first rank prints alone. */
bool job_is_of_use(void);

/*
 * Prints all events, as workers_print() does, and leaves the job: only the first rank comes back.
 */
OTF2_ErrorCode job_print(OTF2_GlobalEvtReader *events, uint64_t *n);

#endif
