/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the program makes its calls (SPUR_SITES). A site is a calling context of one frame, since
 * that has all that can be known of an address once the session is finished: the function, file and
 * line, and what the function is inlined into (agent/stacks/context.h).
 */
#ifndef SPUR_SITE_H
#define SPUR_SITE_H

#include "agent/record/call_site.h"

/* At the start of the process. */
void spur_site_start(bool is_wanted);

/* A new location, by its thread; the location goes. */
void spur_site_opened(struct spur_loc *loc);
void spur_site_freed(struct spur_loc *loc);

/* What a location does not know yet. Never NULL; borrowed until the next call. Keeps errno. */
const struct spur_site *spur_site_find(struct spur_loc *loc, struct spur_caller caller);

#endif
