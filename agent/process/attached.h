/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings of a process that was not started with the agent; see agent/spur_attached.h. */
#ifndef SPUR_PROCESS_ATTACHED_H
#define SPUR_PROCESS_ATTACHED_H

#include <stdbool.h>

/* The settings in place of the environment; NULL: the agent was preloaded, and has it. */
char *const *spur_attached_environment(void);

/* Until it records, and when that ends, the command hears what is said. */
void spur_attached_start(void);

/* Nothing is to be recorded here: only the settings are looked at. */
bool spur_attached_only_judges(void);

#endif
