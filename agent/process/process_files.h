/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of a process that begins to record: its directory in DIR/.spur, with segment, journal
 * and the archive of its event files, and its part in those that the session shares. One thread at
 * a time, with the state of spur_process ARMED.
 */
#ifndef SPUR_PROCESS_FILES_H
#define SPUR_PROCESS_FILES_H

/* Make them, and set spur_process.archive. 0 or -errno. */
int spur_process_files_open(void);

/* Nothing is left behind by a process that could not begin. Only empty directories go. */
void spur_process_files_abandon(void);

#endif
