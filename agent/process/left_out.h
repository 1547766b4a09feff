/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs and children that run as another user than the session, for example after `su` or
 * `setpriv`. Only the first user can access the directory, so they have no files. The process that
 * makes them counts them in its mapped segment, and the line at the end names the first. If that
 * process is not recorded, the program itself prints a line; the programs that it starts do not.
 */
#ifndef SPUR_LEFT_OUT_H
#define SPUR_LEFT_OUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define SPUR_LEFT_OUT_IS "SPUR_LEFT_OUT="

/* Before main(): which user it begins as. */
void spur_left_out_start(void);

/*
 * The program at `path` is about to be started, in place of this one or by it. Where to take it
 * back if that fails; NULL: it is not left out, or nobody can count it.
 */
_Atomic uint32_t *spur_left_out_program(const char *path);

/* In a child of fork(), as long as it has its parent's segment. */
void spur_left_out_child(void);

/* There are no files for `err`, a negative errno. True: it is for the user, and has been told. */
bool spur_left_out_failed(int err);

/* Is what this process starts left out, and has been told? Any thread, in children of vfork(). */
bool spur_left_out_is_told(void);

#endif
