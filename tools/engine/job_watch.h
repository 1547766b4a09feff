/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A launcher kills all ranks when one of them has died, and not all launchers say a word on
 * standard error. A small process beside rank 0, in a session of its own, lives longer and says it.
 */
#ifndef TOOLS_ENGINE_JOB_WATCH_H
#define TOOLS_ENGINE_JOB_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* By rank 0, before it has threads. `launcher`: the process whose standard error gets the line,
 * also when it has ended; 0: not known. */
void job_watch(long launcher);

/* A file that is removed when this process ends before its work. */
void job_watch_file(const char *path);

/* This process has ended its work: what it has written stays. */
void job_watch_end(void);

/* It says itself why it could not. */
void job_watch_said(void);

/* Where another rank finds the watcher: a process on a host. */
struct job_watcher {
    uint64_t process; /* 0: there is none */
    uint64_t host;
};

struct job_watcher job_watcher(void);

/* Whether there is one that no signal of this process reaches. */
bool job_watcher_is_far(struct job_watcher other);

/* By another rank, which has said why it ends all; if the watcher is on its host. */
void job_watcher_told(struct job_watcher other);

#endif
