/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Leads the calls of all loaded objects to the agent, as if it had been preloaded: the slots of
 * their relocations get the agent's functions in place of those that were found. The names are
 * those that the agent exports. For one thread at a time; other threads may call meanwhile.
 *
 * The caller holds the loader's lock: an object that is just being loaded has slots that are not
 * written yet, and pages that are not read-only yet.
 */
#ifndef ATTACH_SLOTS_H
#define ATTACH_SLOTS_H

#include "attach/loaded.h"

/* For all objects that are there now. True: some slot has changed, so look again. */
bool attach_slots_lead(const struct attach_object *agent);

/* Each slot gets back what it had, unless that has changed, or its object has gone. */
void attach_slots_give_back(void);

#endif
