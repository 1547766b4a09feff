/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process that `spur attach` leaves behind. What is recorded makes its archive itself when it
 * ends in order; this one does when nobody else can: the processes were killed, or execute other
 * programs. It is the command once more, without a terminal, and ends when the archive is there.
 */
#ifndef TOOLS_ATTACH_WATCH_H
#define TOOLS_ATTACH_WATCH_H

#define WATCH_WORD "watch" /* the command's first word there */

/* Of processes that record to `directory`: their /proc/PID/mem. */
void watch_begin(const char *directory, const int *memory, int n);

/* In that process: its words behind WATCH_WORD. Ends it. */
_Noreturn void watch_here(char **words);

#endif
