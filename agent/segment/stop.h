/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recording stops before the process does: there is no room for events any more, or as much is
 * recorded as was asked for. Open regions are still closed when the program gets to their ends.
 */
#ifndef SPUR_STOP_H
#define SPUR_STOP_H

#include "session/segment.h"

/*
 * Record no more. The first reason counts. The reason stands in the segment for finishing, and one
 * process of the session prints the reason, with a remedy. `error` is the errno of SPUR_STOP_DISK,
 * or 0; `detail` then describes the fault, or names the kind of SPUR_STOP_DEFINITIONS. Thread-safe.
 */
void spur_stop(enum spur_stop why, int error, const char *detail);

/* The same for a record that could not be written. */
void spur_stop_failed(OTF2_ErrorCode error);

/* There is no room: the remedy. */
const char *spur_stop_remedy(int error);

#endif
