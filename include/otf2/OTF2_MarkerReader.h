/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the markers of a trace: remarks of tools about it. The reader comes from
 * OTF2_Reader_GetMarkerReader and ends with OTF2_Reader_CloseMarkerReader or the OTF2_Reader. It
 * may be used by one thread at a time. Names and signatures are those of OTF2 3.2.
 */
#ifndef OTF2_MARKER_READER_H
#define OTF2_MARKER_READER_H

#include <stdint.h>

#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <otf2/OTF2_Marker.h>
#include <otf2/OTF2_MarkerReaderCallbacks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads up to recordsToRead records, as OTF2_GlobalDefReader_ReadDefinitions reads definitions. */
OTF2_API OTF2_ErrorCode OTF2_MarkerReader_ReadMarkers(OTF2_MarkerReader *reader,
                                                      uint64_t recordsToRead,
                                                      uint64_t *recordsRead);

/*
 * Sets the callbacks for markers.
 *   callbacks  copied; replaces earlier ones.
 *   userData   passed to every callback.
 * OTF2_ERROR_INTEGRITY_FAULT for a NULL reader, OTF2_ERROR_INVALID_ARGUMENT for NULL callbacks.
 */
OTF2_API OTF2_ErrorCode OTF2_MarkerReader_SetCallbacks(OTF2_MarkerReader *reader,
                                                       const OTF2_MarkerReaderCallbacks *callbacks,
                                                       void *userData);

#ifdef __cplusplus
}
#endif

#endif
