/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Are the settings of an order right? The agent says so itself: the words that a family of calls
 * knows are known to nobody else. It is loaded into a process of its own, the command once more.
 */
#ifndef TOOLS_ATTACH_JUDGE_H
#define TOOLS_ATTACH_JUDGE_H

#include <stdbool.h>

#define JUDGE_WORD "judge" /* the command's first word there */

/* False: they are not, and a line has said why. */
bool judge_settings(void);

/*
 * In that process, which ends by it without a handler: the agent is to make nothing of it.
 * `settings` are NAME=VALUE, ..., each zero-terminated; `library` is libspur-attach.so, which the
 * agent lies beside.
 */
_Noreturn void judge_here(char *settings, const char *library);

#endif
