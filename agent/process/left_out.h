/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs and children that run as another user than the session, for example after `su` or
 * `setpriv`. Only the first user can access the directory, so such processes have no files. The
 * parent counts them in its mapped segment, and the line at the end names the first. If the parent
 * is not recorded, the program itself prints a line; the programs that the program starts do not.
 */
#ifndef SPUR_LEFT_OUT_H
#define SPUR_LEFT_OUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define SPUR_LEFT_OUT_IS "SPUR_LEFT_OUT="

/* Before main(): note the user as whom the process begins. */
void spur_left_out_start(void);

/*
 * The program at `path` is about to be started, in place of this process or by this process. If the
 * program is left out, the program is counted: the result is the counter, to be decremented if the
 * start fails. NULL: the program is not left out, or nobody can count the program.
 */
_Atomic uint32_t *spur_left_out_program(const char *path);

/* In a child of fork(), as long as the child has the segment of its parent. */
void spur_left_out_child(void);

/* There are no files for `err`, a negative errno. True: the user is the reason; a line was
 * printed. */
bool spur_left_out_failed(int err);

/* Are programs of this process left out, and was a line printed? Any thread, in children of
 * vfork(). */
bool spur_left_out_is_told(void);

#endif
