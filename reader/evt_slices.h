/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The events of a global reader in slices of time, for several threads that each have a reader of
 * their own and share the events of an archive: each reads some slices and goes over the others,
 * which is several times faster. Behind a slice all readers are at the same place.
 */
#ifndef READER_EVT_SLICES_H
#define READER_EVT_SLICES_H

#include <stdbool.h>

#include <otf2/otf2.h>

/* The time of the next event, 0 if only an error is left. False: there is nothing more. */
bool otf2_global_evt_next(OTF2_GlobalEvtReader *g, OTF2_TimeStamp *time);

/*
 * Delivers events up to a time, and those that only come next when it is over. *n: how many.
 * Otherwise as OTF2_GlobalEvtReader_ReadEvents().
 */
OTF2_ErrorCode otf2_global_evt_read_to(OTF2_GlobalEvtReader *g, OTF2_TimeStamp last, uint64_t *n);

/* Goes over the same events. What is wrong within one of them may go unnoticed. */
OTF2_ErrorCode otf2_global_evt_skip_to(OTF2_GlobalEvtReader *g, OTF2_TimeStamp last, uint64_t *n);

#endif
