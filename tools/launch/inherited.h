/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the caller has made for the command: signal dispositions, timers, preloaded libraries.
 * Nothing of it acts on spur-launch itself.
 */
#ifndef TOOLS_INHERITED_H
#define TOOLS_INHERITED_H

/*
 * Called first. `signals`: those that were ignored, and those that a library in the shell caught
 * before the script began, "BITS:BITS" in decimal, or ":" where that is not known. `entry`:
 * "LD_PRELOAD=..." as the caller has set it, or "".
 */
void inherited_note(const char *signals, const char *entry);

/* The caller's value of LD_PRELOAD, NULL: none. */
const char *inherited_preload(void);

/* Before a fork(): the caller's timers are for the child, which does not inherit them. */
void inherited_take_timers(void);

/* For what this process becomes next. `library`: the agent, preloaded behind the others; or NULL.
 */
void inherited_give_back(const char *library);

#endif
