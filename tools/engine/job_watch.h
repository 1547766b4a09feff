/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A launcher kills all ranks when one of them has died, and not all launchers say a word on
 * standard error. A small process beside rank 0, in a session of its own, lives longer and says it.
 */
#ifndef TOOLS_ENGINE_JOB_WATCH_H
#define TOOLS_ENGINE_JOB_WATCH_H

/* By rank 0, before it has threads. `launcher`: the process whose standard error gets the line,
 * also when it has ended; 0: not known. */
void job_watch(long launcher);

/* This process has ended its work, or has said why it could not. */
void job_watch_end(void);

#endif
