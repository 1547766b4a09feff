/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the snapshots of all selected locations, merged by time. The reader comes from
 * OTF2_Reader_GetGlobalSnapReader and ends with OTF2_Reader_CloseGlobalSnapReader or the
 * OTF2_Reader. It may be used by one thread at a time. Names and signatures are those of OTF2 3.2.
 *
 * Every function returns OTF2_ERROR_INVALID_ARGUMENT or OTF2_ERROR_INTEGRITY_FAULT for a NULL
 * pointer.
 */
#ifndef OTF2_GLOBAL_SNAP_READER_H
#define OTF2_GLOBAL_SNAP_READER_H

#include <stdint.h>

#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/OTF2_Events.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <otf2/OTF2_GlobalSnapReaderCallbacks.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Sets the callbacks for records.
 *   callbacks  copied; replaces earlier ones.
 *   userData   passed to every callback.
 */
OTF2_API OTF2_ErrorCode OTF2_GlobalSnapReader_SetCallbacks(
    OTF2_GlobalSnapReader *reader, const OTF2_GlobalSnapReaderCallbacks *callbacks, void *userData);

/*
 * Reads up to recordsToRead records and calls back for each; recordsRead, and errors, as with
 * OTF2_GlobalEvtReader_ReadEvents.
 */
OTF2_API OTF2_ErrorCode OTF2_GlobalSnapReader_ReadSnapshots(OTF2_GlobalSnapReader *reader,
                                                            uint64_t recordsToRead,
                                                            uint64_t *recordsRead);

#ifdef __cplusplus
}
#endif

#endif
