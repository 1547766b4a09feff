/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The watcher of an MPI job: a small process beside rank 0, in a session of its own. A launcher
 * kills all ranks when a rank has died, and not all launchers say a word on standard error. The
 * watcher lives longer than the ranks and prints the line.
 */
#ifndef TOOLS_ENGINE_JOB_WATCH_H
#define TOOLS_ENGINE_JOB_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Called by rank 0, before rank 0 has threads. `launcher`: the process whose standard error gets
 * the line, even after the end of the launcher; 0: not known.
 */
void job_watch(long launcher);

/* Names a file to be removed when the calling process ends before its work. */
void job_watch_file(const char *path);

/* The calling process has ended its work: its files stay. */
void job_watch_end(void);

/* The calling process says the reason itself: the watcher says nothing. */
void job_watch_said(void);

/* Address of the watcher for another rank: a process on a host. */
struct job_watcher {
    uint64_t process; /* 0: no watcher */
    uint64_t host;
};

struct job_watcher job_watcher(void);

/* Whether the watcher exists, but on another host: no signal of the calling process reaches it. */
bool job_watcher_is_far(struct job_watcher other);

/* By another rank, after it has said why it ends the job: tells a watcher on the same host. */
void job_watcher_told(struct job_watcher other);

#endif
