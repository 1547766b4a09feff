/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the events of one location, forward, backward, or from a position. A reader comes from
 * OTF2_Reader_GetEvtReader and ends with OTF2_Reader_CloseEvtReader or the OTF2_Reader. It may be
 * used by one thread at a time. Names and signatures are those of OTF2 3.2.
 *
 * Every function returns OTF2_ERROR_INVALID_ARGUMENT or OTF2_ERROR_INTEGRITY_FAULT for a NULL
 * pointer. Positions count the location's events from 1. While a global reader reads the location,
 * its own reader cannot be moved: OTF2_ERROR_INVALID_CALL.
 */
#ifndef OTF2_EVT_READER_H
#define OTF2_EVT_READER_H

#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/OTF2_Events.h>
#include <otf2/OTF2_EvtReaderCallbacks.h>
#include <otf2/OTF2_GeneralDefinitions.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Stores the id of the reader's location. */
OTF2_API OTF2_ErrorCode OTF2_EvtReader_GetLocationID(const OTF2_EvtReader *reader,
                                                     OTF2_LocationRef *location);

/*
 * Stores the position of the event that was read last; 0 before the first. While a global reader
 * reads the location: of the event that is being delivered, or will be next.
 */
OTF2_API OTF2_ErrorCode OTF2_EvtReader_GetPos(OTF2_EvtReader *reader, uint64_t *position);

/*
 * Sets the callbacks for events. A global reader of the same events does not use them.
 *   callbacks  copied; replaces earlier ones.
 *   userData   passed to every callback.
 */
OTF2_API OTF2_ErrorCode OTF2_EvtReader_SetCallbacks(OTF2_EvtReader *reader,
                                                    const OTF2_EvtReaderCallbacks *callbacks,
                                                    void *userData);

/* Goes to a position: the event that is read next. An error for one that does not exist. */
OTF2_API OTF2_ErrorCode OTF2_EvtReader_Seek(OTF2_EvtReader *reader, uint64_t position);

/*
 * Reads up to recordsToRead events and calls back for each.
 *   recordsRead  receives the number of events; it is smaller than requested only at the end of
 *                the file, at an error and after an interruption.
 * Errors: OTF2_ERROR_INTERRUPTED_BY_CALLBACK, OTF2_ERROR_INVALID_DATA and similar errors for a
 * damaged file.
 */
OTF2_API OTF2_ErrorCode OTF2_EvtReader_ReadEvents(OTF2_EvtReader *reader, uint64_t recordsToRead,
                                                  uint64_t *recordsRead);

/*
 * Replaces the time of the event that was read last, and of events that share its timestamp record;
 * in ticks, uncorrected. Only the reader changes, not the file.
 */
OTF2_API OTF2_ErrorCode OTF2_EvtReader_TimeStampRewrite(OTF2_EvtReader *reader,
                                                        OTF2_TimeStamp time);

/*
 * The same as OTF2_EvtReader_ReadEvents, backward: first the event that was read last. Afterwards
 * reading forward begins with the event that was delivered last. OTF2_ERROR_INVALID_CALL if there
 * is no event.
 */
OTF2_API OTF2_ErrorCode OTF2_EvtReader_ReadEventsBackward(OTF2_EvtReader *reader,
                                                          uint64_t recordsToRead,
                                                          uint64_t *recordsRead);

/*
 * Switch on and off the translation of references, and the correction of times, that the location's
 * own definitions contain. Both are on at first. They have an effect after the local definitions
 * were read, see OTF2_Reader_ReadAllLocalDefinitions.
 */
OTF2_API OTF2_ErrorCode OTF2_EvtReader_ApplyMappingTables(OTF2_EvtReader *reader, bool action);
OTF2_API OTF2_ErrorCode OTF2_EvtReader_ApplyClockOffsets(OTF2_EvtReader *reader, bool action);

#ifdef __cplusplus
}
#endif

#endif
