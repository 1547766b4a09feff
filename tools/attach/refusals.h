/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said of a process that is refused, and what can be known of it by /proc alone. */
#ifndef TOOLS_ATTACH_REFUSALS_H
#define TOOLS_ATTACH_REFUSALS_H

#define REFUSAL(NAME, text) extern const char REFUSAL_##NAME[];
#include "tools/attach/refusals.def"
#undef REFUSAL

/* The line of a /proc/PID/status with this name, as in "\nUid:", behind it; "": there is none. */
const char *status_line(const char *status, const char *name);

/* Who else traces a thread, by what the kernel says now: a command as this one, or a debugger. */
enum tracer { TRACER_NONE, TRACER_SPUR, TRACER_OTHER };
enum tracer tracer_of(int tid);

/* NULL: nothing speaks against it so far. */
const char *refusal_of_process(int pid);
/* After a failed look into the process. */
const char *refusal_of_errno(int pid, int error);

#endif
