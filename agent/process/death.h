/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a process ended, as seen by the waiting process: a killed process cannot tell its own end. A
 * recording process makes itself known by a second name of its segment,
 *
 *     DIR/.spur/pids/HOST.PIDSPACE.PID
 *
 * The parent, if traced too, finds by this name where to leave the note DIR/.spur/NAME/death. On
 * file systems without hard links, the second name is a symbolic link to PPID/NAME. A symbolic link
 * takes an inode. ext4 is slow to give new inodes while others have just been freed, as would
 * happen with an inode for each process.
 *
 * All functions are async-signal-safe and take little stack, since programs wait in handlers of
 * SIGCHLD. All keep errno. Nothing is a cancellation point.
 */
#ifndef SPUR_DEATH_H
#define SPUR_DEATH_H

/* Make this process known. The process has its place in DIR/.spur/NAME. */
void spur_death_announce(const char *dir, const char *name);
/* The process itself has noted how it ends. */
void spur_death_withdraw(const char *dir);

#endif
