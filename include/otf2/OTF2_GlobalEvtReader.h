/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the events of all selected locations, merged: by time, at equal times the location with
 * the smaller id first. The reader comes from OTF2_Reader_GetGlobalEvtReader and ends with
 * OTF2_Reader_CloseGlobalEvtReader or the OTF2_Reader. It may be used by one thread at a time.
 * Names and signatures are those of OTF2 3.2.
 *
 * Every function returns OTF2_ERROR_INVALID_ARGUMENT or OTF2_ERROR_INTEGRITY_FAULT for a NULL
 * pointer.
 */
#ifndef OTF2_GLOBAL_EVT_READER_H
#define OTF2_GLOBAL_EVT_READER_H

#include <stdint.h>

#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/OTF2_Events.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <otf2/OTF2_GlobalEvtReaderCallbacks.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Sets the callbacks for events.
 *   callbacks  copied; replaces earlier ones.
 *   userData   passed to every callback.
 */
OTF2_API OTF2_ErrorCode OTF2_GlobalEvtReader_SetCallbacks(
    OTF2_GlobalEvtReader *reader, const OTF2_GlobalEvtReaderCallbacks *callbacks, void *userData);

/* Reads the next event and calls back for it. */
OTF2_API OTF2_ErrorCode OTF2_GlobalEvtReader_ReadEvent(OTF2_GlobalEvtReader *reader);

/* Stores 1 while there is an event to read, else 0. */
OTF2_API OTF2_ErrorCode OTF2_GlobalEvtReader_HasEvent(OTF2_GlobalEvtReader *reader, int *flag);

/*
 * Reads up to recordsToRead events and calls back for each.
 *   recordsRead  where to store how many there were; fewer than asked for only at the end, at an
 *                error and after an interruption.
 * Errors: OTF2_ERROR_INTERRUPTED_BY_CALLBACK, OTF2_ERROR_INVALID_DATA and the like for a file that
 * is damaged.
 */
OTF2_API OTF2_ErrorCode OTF2_GlobalEvtReader_ReadEvents(OTF2_GlobalEvtReader *reader,
                                                        uint64_t recordsToRead,
                                                        uint64_t *recordsRead);

#ifdef __cplusplus
}
#endif

#endif
