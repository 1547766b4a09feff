/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a process ended, as seen by the process that waited for it: a killed process cannot say this
 * itself. A recording process makes itself known by a second name of its segment,
 *
 *     DIR/.spur/pids/HOST.PIDSPACE.PID
 *
 * by which its parent, traced like itself, finds where to leave the note DIR/.spur/NAME/death.
 * Where files have one name only it is a symbolic link to PPID/NAME. That takes an inode, and ext4
 * is slow to give new ones while others have just been freed, as one for each process would be.
 *
 * All functions are async-signal-safe, since programs wait in handlers of SIGCHLD, take little
 * stack for the same reason, and keep errno. Nothing is a cancellation point.
 */
#ifndef SPUR_DEATH_H
#define SPUR_DEATH_H

/* Make this process known, which has its place in DIR/.spur/NAME. */
void spur_death_announce(const char *dir, const char *name);
/* It has said itself how it ends. */
void spur_death_withdraw(const char *dir);

#endif
