/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recording stops before the process does: there is no room for events any more, or as much is
 * recorded as was asked for. What is open is still closed when the program gets there.
 */
#ifndef SPUR_STOP_H
#define SPUR_STOP_H

#include "session/segment.h"

/*
 * Record no more. The first reason counts. It stands in the segment for finishing, and one process
 * of the session says it, with a remedy. `error` is the errno of
 * SPUR_STOP_DISK, or 0; `detail` then says what went wrong, or the kind of SPUR_STOP_DEFINITIONS.
 * Thread-safe.
 */
void spur_stop(enum spur_stop why, int error, const char *detail);

/* The same for a record that could not be written. */
void spur_stop_failed(OTF2_ErrorCode error);

/* There is no room: what to do about it. */
const char *spur_stop_remedy(int error);

#endif
