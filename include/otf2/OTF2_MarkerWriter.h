/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing markers: remarks of tools about a trace, in a file of their own. The writer comes from
 * OTF2_Archive_GetMarkerWriter, of an archive opened for writing or for OTF2_FILEMODE_MODIFY, and
 * ends with OTF2_Archive_CloseMarkerWriter or the archive. It may be used by one thread at a time.
 * Names and signatures are those of OTF2 3.2.
 */
#ifndef OTF2_MARKER_WRITER_H
#define OTF2_MARKER_WRITER_H

#include <stdint.h>

#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/OTF2_Marker.h>
#include <otf2/otf2_records.h>

#include <otf2/otf2_tables_begin.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OTF2_MarkerWriter_struct OTF2_MarkerWriter;

/*
 * For each MARKER row of otf2_markers.def, which tells what the record means:
 *
 *     OTF2_MarkerWriter_WriteDefMarker(writerHandle, self, markerGroup, markerCategory, severity)
 *     OTF2_MarkerWriter_WriteMarker(writerHandle, timestamp, duration, marker, markerScope, scope,
 *                                   text)
 * Times are in ticks, texts are borrowed during the call. Errors: OTF2_ERROR_INVALID_ARGUMENT for a
 * NULL writer or text, OTF2_ERROR_INVALID_SIZE_GIVEN when the record does not fit into a chunk.
 */
#define MARKER(Name, NAME, id, major, minor, ...)                                                  \
    OTF2_API OTF2_ErrorCode OTF2_MarkerWriter_Write##Name(                                         \
        OTF2_MarkerWriter *writerHandle OTF2_SEQ(OTF2_PARAM, OTF2_##Name, __VA_ARGS__));
#define THUMB(...)
#include <otf2/otf2_markers.def>
#undef MARKER
#undef THUMB

#ifdef __cplusplus
}
#endif

#include <otf2/otf2_tables_end.h>

#endif
