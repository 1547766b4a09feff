/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing the snapshots of a location: the state of the location at chosen times, so that a reader
 * can start in the middle of the events. A writer comes from OTF2_Archive_GetSnapWriter and ends
 * with OTF2_Archive_CloseSnapWriter or the archive. A writer may be used by one thread at a time.
 * Names and signatures are those of OTF2 3.2.
 */
#ifndef OTF2_SNAP_WRITER_H
#define OTF2_SNAP_WRITER_H

#include <stdint.h>

#include <otf2/OTF2_AttributeList.h>
#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/OTF2_Events.h>
#include <otf2/otf2_records.h>

#include <otf2/otf2_tables_begin.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OTF2_SnapWriter_struct OTF2_SnapWriter;

/*
 * Stores the id of the writer's location. Errors: OTF2_ERROR_INTEGRITY_FAULT for a NULL writer,
 * OTF2_ERROR_INVALID_ARGUMENT for no place to store.
 */
OTF2_API OTF2_ErrorCode OTF2_SnapWriter_GetLocationID(const OTF2_SnapWriter *writer,
                                                      OTF2_LocationRef *locationID);

/*
 * For each row of otf2_snaps.def, which documents the record:
 *
 *     OTF2_SnapWriter_Enter(writer, attributeList, snapTime, origEventTime, region)
 *
 *   attributeList  the list of the event repeated by the record, or NULL; empty afterwards.
 *   snapTime       of the snapshot, in ticks; the same for all records of the snapshot.
 *   ...            the attributes of the record. Arrays are borrowed during the call.
 *
 * Errors as in OTF2_EvtWriter_Enter.
 */
#define SNAP(Name, NAME, id, major, minor, ...)                                                    \
    OTF2_API OTF2_ErrorCode OTF2_SnapWriter_##Name(                                                \
        OTF2_SnapWriter *writer, OTF2_AttributeList *attributeList,                                \
        OTF2_TimeStamp snapTime OTF2_SEQ(OTF2_PARAM, OTF2_##Name, __VA_ARGS__));
#include <otf2/otf2_snaps.def>
#undef SNAP

#ifdef __cplusplus
}
#endif

#include <otf2/otf2_tables_end.h>

#endif
