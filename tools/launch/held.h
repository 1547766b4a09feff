/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The directory of the session, held from when a process has begun to record there: it may get
 * another name while the program runs, or go.
 */
#ifndef TOOLS_HELD_H
#define TOOLS_HELD_H

#include <stdbool.h>

/* Take hold of DIR if it is a session's by now; a process says so if `is_told`. */
void held_look(const char *dir, bool is_told);

/* HELD_LOST: it was there, and was gone before this process could take hold of it. */
enum held { HELD_NOT, HELD_LOST, HELD_IN_PLACE, HELD_MOVED, HELD_REMOVED };

/* What became of it; *place is what it is called now, when it has another name. */
enum held held_find(const char *dir, char **place);

#endif
