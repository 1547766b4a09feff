/* SPDX-License-Identifier: BSD-3-Clause */
/* What this process hands down to the programs that it becomes or starts. */
#ifndef SPUR_ENVIRONMENT_H
#define SPUR_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/state/identity.h"

/*
 * At the start, once the session is announced: keep a copy of its variables and of LD_PRELOAD.
 * Hosts overwrite and clear their environment.
 */
void spur_environment_keep(char *const *env);

/*
 * The processes that started this process, as in SPUR_CREATOR: their names in DIR/.spur, separated
 * by ':', the nearest first, whether they have recorded anything or not. `list` is cut after a
 * whole name to fit.
 */
void spur_environment_creators(const struct spur_process *process, char *list, size_t size);

/* Where the agent was preloaded from, not zero-terminated; NULL: it was not. */
const char *spur_environment_library(size_t *length);
/* Is it in this list of libraries, with blanks or colons between them? */
bool spur_environment_lists(const char *list);
/* Is it, or what counts memory? */
bool spur_environment_lists_any(const char *list);

/*
 * For a program that is not to be traced: `envp` without the agent in the variables that
 * spur_environment_name() has put it into; `is_foreign`: and without all of spur's in LD_PRELOAD.
 * `room` has so many bytes; 0: it is not in them. Children of vfork() and signal handlers may call
 * both.
 */
size_t spur_environment_unnamed_room(char *const *envp, bool is_foreign);
char **spur_environment_unname(void *room, char *const *envp, bool is_foreign);

#endif
