/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Leads the calls of all loaded objects to the agent, as if the agent had been preloaded. The slots
 * of the objects' relocations get the agent's functions in place of the functions that the loader
 * found. The names are the names that the agent exports. For one thread at a time; all threads may
 * call meanwhile.
 *
 * The caller holds the loader's lock: an object that is just being loaded has slots without an
 * address yet, and pages that will be read-only later.
 */
#ifndef ATTACH_SLOTS_H
#define ATTACH_SLOTS_H

#include "attach/loaded.h"

/* For all objects loaded now. True: a slot has changed, so look again. */
bool attach_slots_lead(const struct attach_object *agent);

/* Each slot gets its former address back, unless the slot has changed since, or the object has
 * gone. */
void attach_slots_give_back(void);

#endif
