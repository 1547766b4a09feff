/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kill -USR2: a process that keeps its newest events only (SPUR_FLUSH=ring) answers it with a
 * snapshot, made by a program of its own while it goes on. Only where the program has no handler of
 * its own when the first event is recorded; one that it sets later is the program's, and counts.
 */
#ifndef SPUR_SNAPSHOT_SIGNAL_H
#define SPUR_SNAPSHOT_SIGNAL_H

void spur_snapshot_signal(void);

#endif
