/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The events of a global reader in slices of time. Several threads, each with its own reader, share
 * the events of an archive: each thread reads a part of the slices and goes over all other slices,
 * which is several times faster. Behind a slice all readers are at the same place.
 */
#ifndef READER_EVT_SLICES_H
#define READER_EVT_SLICES_H

#include <stdbool.h>

#include <otf2/otf2.h>

/* The time of the next event, 0 if only an error is left. False: the end of the events. */
bool otf2_global_evt_next(OTF2_GlobalEvtReader *g, OTF2_TimeStamp *time);

/*
 * Delivers the next events up to time `last`, including events whose time is already over when
 * their turn comes. *n: the number of events. Otherwise as OTF2_GlobalEvtReader_ReadEvents().
 */
OTF2_ErrorCode otf2_global_evt_read_to(OTF2_GlobalEvtReader *g, OTF2_TimeStamp last, uint64_t *n);

/* Goes over the same events. Errors within an event may go unnoticed. */
OTF2_ErrorCode otf2_global_evt_skip_to(OTF2_GlobalEvtReader *g, OTF2_TimeStamp last, uint64_t *n);

#endif
