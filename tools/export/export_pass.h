/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events to calls. What is known of a location is in its struct lane alone, and of the messages
 * between locations what waits for its other half, by envelope: lanes can be dealt to workers, and
 * what waits be offered again where they meet.
 */
#ifndef TOOLS_EXPORT_PASS_H
#define TOOLS_EXPORT_PASS_H

#include <otf2/OTF2_GlobalEvtReaderCallbacks.h>

#include "tools/export/export_formats.h"

void pass_init(struct export *x);
OTF2_GlobalEvtReaderCallbacks *pass_callbacks(void);
void pass_finish(struct export *x); /* closes what is open, and tells `last` */

/* The lane of an event. Times never decrease on it: `time` is corrected. */
struct lane *pass_at(struct export *x, uint64_t location, uint64_t *time);

/* The id of the innermost open call, 0: none. */
uint64_t pass_call(const struct lane *lane);

/* Whether what happens there and then was asked for. */
static inline bool pass_has(const struct export *x, const struct lane *lane, uint64_t time)
{
    return lane->is_chosen && time >= x->from && time <= x->to;
}

void halves_register(OTF2_GlobalEvtReaderCallbacks *c);
void halves_finish(struct export *x); /* tells those that have one end only */

#endif
