/* SPDX-License-Identifier: BSD-3-Clause */
/* What is not in the archive, and why: rings, ends of recording, killed processes. */
#ifndef TOOLS_VIEW_MARKS_H
#define TOOLS_VIEW_MARKS_H

#include "tools/view/view.h"

/* When all events have been read. */
void view_marks_make(struct view *v);

/* How a process ended: "ended", "killed" or "stopped" (it recorded nothing new to its end). */
const char *view_marks_state(const struct view *v, uint32_t process);

#endif
