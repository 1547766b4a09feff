/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing the events of one location. OTF2_Archive_GetEvtWriter returns a writer;
 * OTF2_Archive_CloseEvtWriter, or closing the archive, ends it. One thread at a time may use a
 * writer. Names and signatures are those of OTF2 3.2, bytes those of trace format 2.
 */
#ifndef OTF2_EVT_WRITER_H
#define OTF2_EVT_WRITER_H

#include <stdint.h>

#include <otf2/OTF2_AttributeList.h>
#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/OTF2_Events.h>
#include <otf2/otf2_records.h>

#include <otf2/otf2_tables_begin.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OTF2_EvtWriter_struct OTF2_EvtWriter;

/*
 * One function for each event, a row of otf2_events.def, which says what the event means:
 *
 *     OTF2_EvtWriter_Enter(writer, attributeList, time, region)
 *
 *   attributeList  more values for this event, or NULL; it is empty afterwards.
 *   time           in ticks; not smaller than the time of the event before.
 *   ...            the attributes of the event. Arrays are borrowed during the call.
 * Errors: OTF2_ERROR_INVALID_ARGUMENT: a NULL writer or a smaller time. OTF2_ERROR_INVALID_CALL:
 * the archive has no flush callbacks. OTF2_ERROR_INVALID_SIZE_GIVEN: the record does not fit into a
 * chunk. OTF2_ERROR_MEM_FAULT: there is no memory, and no flush was allowed. Others: a full buffer
 * could not be written to its file. Values of enumerations are not checked.
 */
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    OTF2_API OTF2_ErrorCode                                                                        \
        OTF2_EvtWriter_##Name(OTF2_EvtWriter *writer, OTF2_AttributeList *attributeList,           \
                              OTF2_TimeStamp time OTF2_SEQ(OTF2_PARAM, OTF2_##Name, __VA_ARGS__))  \
            OTF2_IF_OLD_(OTF2_OLD_##Name, , );
#include <otf2/otf2_events.def>
#undef EVENT

/*
 * Stores the id of the writer's location. Errors: OTF2_ERROR_INTEGRITY_FAULT for a NULL writer,
 * OTF2_ERROR_INVALID_ARGUMENT for no place to store.
 */
OTF2_API OTF2_ErrorCode OTF2_EvtWriter_GetLocationID(const OTF2_EvtWriter *writer,
                                                     OTF2_LocationRef *locationID);

/* Stores a pointer of the program in the writer. OTF2_ERROR_INVALID_ARGUMENT for a NULL writer. */
OTF2_API OTF2_ErrorCode OTF2_EvtWriter_SetUserData(OTF2_EvtWriter *writer, void *userData);

/* Stores the pointer of OTF2_EvtWriter_SetUserData, NULL at first, in *userData. */
OTF2_API OTF2_ErrorCode OTF2_EvtWriter_GetUserData(const OTF2_EvtWriter *writer, void **userData);

/*
 * Sets the location of a writer that was made for OTF2_UNDEFINED_LOCATION; at the latest inside the
 * pre-flush callback. Errors: OTF2_ERROR_INVALID_ARGUMENT for an undefined location,
 * OTF2_ERROR_INTEGRITY_FAULT for a NULL writer and if it already has another location.
 */
OTF2_API OTF2_ErrorCode OTF2_EvtWriter_SetLocationID(OTF2_EvtWriter *writer,
                                                     OTF2_LocationRef location);

/* Stores the number of events written so far, including those that the library added. */
OTF2_API OTF2_ErrorCode OTF2_EvtWriter_GetNumberOfEvents(OTF2_EvtWriter *writer,
                                                         uint64_t *numberOfEvents);

/*
 * Remembers the current position under a number chosen by the program, and replaces an older point
 * with that number. A flush of the buffer forgets all points.
 */
OTF2_API OTF2_ErrorCode OTF2_EvtWriter_StoreRewindPoint(OTF2_EvtWriter *writer, uint32_t rewindId);

/*
 * Removes all events since the point was stored; the point stays. OTF2_ERROR_INVALID_ARGUMENT if
 * there is no such point or its events are already in the file.
 */
OTF2_API OTF2_ErrorCode OTF2_EvtWriter_Rewind(OTF2_EvtWriter *writer, uint32_t rewindId);

/* Forgets the point with that number, if there is one. */
OTF2_API OTF2_ErrorCode OTF2_EvtWriter_ClearRewindPoint(OTF2_EvtWriter *writer, uint32_t rewindId);

#ifdef __cplusplus
}
#endif

#include <otf2/otf2_tables_end.h>

#endif
