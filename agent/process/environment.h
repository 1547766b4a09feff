/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment for the programs into which this process turns, or which it starts. */
#ifndef SPUR_ENVIRONMENT_H
#define SPUR_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/state/identity.h"

/*
 * At the start, once the session is announced: keep a copy of the session's variables and of
 * LD_PRELOAD. Hosts overwrite and clear their environment.
 */
void spur_environment_keep(char *const *env);

/*
 * The processes that started this process, as in SPUR_CREATOR: their names in DIR/.spur, separated
 * by ':', the nearest first, whether they have recorded anything or not. `list` is cut after a
 * whole name to fit.
 */
void spur_environment_creators(const struct spur_process *process, char *list, size_t size);

/* The path from which the agent was preloaded, not zero-terminated; NULL: not preloaded. */
const char *spur_environment_library(size_t *length);
/* Is the agent in this list of libraries, with blanks or colons between the libraries? */
bool spur_environment_lists(const char *list);
/* Is the agent in the list, or the library that counts memory? */
bool spur_environment_lists_any(const char *list);

/*
 * For a program without tracing: `envp` without the agent in the variables into which
 * spur_environment_name() has put the agent; `is_foreign`: and without all libraries of spur in
 * LD_PRELOAD. `room` has as many bytes as spur_environment_unnamed_room() returns; 0: no variable
 * names the agent. Children of vfork() and signal handlers may call both.
 */
size_t spur_environment_unnamed_room(char *const *envp, bool is_foreign);
char **spur_environment_unname(void *room, char *const *envp, bool is_foreign);

#endif
