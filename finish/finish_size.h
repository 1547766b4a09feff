/* SPDX-License-Identifier: BSD-3-Clause */
/* How much a run has left, for the last line. Part of finish/. */
#ifndef SPUR_FINISH_SIZE_H
#define SPUR_FINISH_SIZE_H

#include "finish/state/finish_state.h"

enum { FINISH_SIZE_BYTES = 128 };

/*
 * " in 12.3 MB (1.2 MB/s per process)": the event files, and how fast they grew on average. A run
 * of less than a tenth of a second has no rate. "" without events.
 */
const char *finish_size_say(const struct finish *f, char text[FINISH_SIZE_BYTES]);

#endif
