/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs and children that run as another user than the session, after `su` or `setpriv`, say:
 * the directory is the first user's alone, so they have no files. Who makes them counts them in its
 * segment, which is mapped, and the line at the end names the first; one whose maker is not
 * recorded says so itself. Then those that it makes in turn keep silent.
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
