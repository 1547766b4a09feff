/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is open on a location at the end of its events, according to the events. The slot of a
 * process that was killed, or that still runs, may be behind its events or ahead of them: it tells
 * only what was open when a chunk began. Pure; nothing is trusted.
 */
#ifndef SPUR_FINISH_OPEN_H
#define SPUR_FINISH_OPEN_H

#include <stdint.h>

#include "session/segment.h"

/* How much is open in a slot, and the words of it. */
struct finish_open {
    uint32_t *region; /* [SPUR_SLOT_REGIONS]; deeper words are not known */
    uint32_t depth;
};

/* Go through the events of a chunk, of which `n` bytes count. */
void finish_open_follow(struct finish_open *open, const uint8_t *chunk, uint64_t n);

#endif
