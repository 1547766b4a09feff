/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kill -USR2: a process that keeps only its newest events (SPUR_FLUSH=ring) answers with a
 * snapshot, which a separate program makes while the process continues. This happens only if the
 * program has no handler when the first event is recorded. A handler that the program sets later
 * replaces ours.
 */
#ifndef SPUR_SNAPSHOT_SIGNAL_H
#define SPUR_SNAPSHOT_SIGNAL_H

void spur_snapshot_signal(void);

#endif
