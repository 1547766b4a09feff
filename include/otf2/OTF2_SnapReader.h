/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the snapshots of one location: its state at chosen times. A reader comes from
 * OTF2_Reader_GetSnapReader and ends with OTF2_Reader_CloseSnapReader or the OTF2_Reader. It may be
 * used by one thread at a time. Names and signatures are those of OTF2 3.2.
 *
 * Every function returns OTF2_ERROR_INVALID_ARGUMENT or OTF2_ERROR_INTEGRITY_FAULT for a NULL
 * pointer.
 */
#ifndef OTF2_SNAP_READER_H
#define OTF2_SNAP_READER_H

#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/OTF2_Events.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <otf2/OTF2_SnapReaderCallbacks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Stores the id of the reader's location. */
OTF2_API OTF2_ErrorCode OTF2_SnapReader_GetLocationID(const OTF2_SnapReader *reader,
                                                      OTF2_LocationRef *location);

/*
 * Goes to the latest snapshot of a time not later than `req_time`, in ticks.
 *   found  where to store whether there is one; if not, the first snapshot is read next.
 */
OTF2_API OTF2_ErrorCode OTF2_SnapReader_Seek(OTF2_SnapReader *reader, uint64_t req_time,
                                             bool *found);

/*
 * Sets the callbacks for records.
 *   callbacks  copied; replaces earlier ones.
 *   userData   passed to every callback.
 */
OTF2_API OTF2_ErrorCode OTF2_SnapReader_SetCallbacks(OTF2_SnapReader *reader,
                                                     const OTF2_SnapReaderCallbacks *callbacks,
                                                     void *userData);

/*
 * Reads up to recordsToRead records and calls back for each; recordsRead, and errors, as with
 * OTF2_EvtReader_ReadEvents.
 */
OTF2_API OTF2_ErrorCode OTF2_SnapReader_ReadSnapshots(OTF2_SnapReader *reader,
                                                      uint64_t recordsToRead,
                                                      uint64_t *recordsRead);

#ifdef __cplusplus
}
#endif

#endif
