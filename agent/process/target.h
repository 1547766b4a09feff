/* SPDX-License-Identifier: BSD-3-Clause */
/* What becomes of LD_PRELOAD in a program that is about to be started. */
#ifndef SPUR_TARGET_H
#define SPUR_TARGET_H

enum spur_target {
    TARGET_UNKNOWN,
    TARGET_TRACED,
    TARGET_UNTRACED, /* static, or with rights of its own: its loader ignores it */
    TARGET_FOREIGN,  /* of another C library, or an older glibc: it dies of ours */
};

/*
 * Looks into the file at `path`, with `dir` as for spur_exec_begin(). Of a script, what
 * interprets it counts. Children of vfork() and signal handlers may call it.
 */
enum spur_target spur_target(int dir, const char *path);

#endif
