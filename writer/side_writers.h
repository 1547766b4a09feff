/* SPDX-License-Identifier: BSD-3-Clause */
/* The public API of snapshots, markers and thumbnails, as far as it writes. */
#ifndef WRITER_SIDE_WRITERS_H
#define WRITER_SIDE_WRITERS_H

#include <otf2/otf2.h>
#include <otf2/otf2_records.h>

typedef struct OTF2_SnapWriter_struct OTF2_SnapWriter;
typedef struct OTF2_MarkerWriter_struct OTF2_MarkerWriter;
typedef struct OTF2_ThumbWriter_struct OTF2_ThumbWriter;

#define SNAP(Name, NAME, id, major, minor, ...)                                                    \
    OTF2_API OTF2_ErrorCode                                                                        \
        OTF2_SnapWriter_##Name(OTF2_SnapWriter *writer, OTF2_AttributeList *attributeList,         \
                               OTF2_TimeStamp snapTime OTF2_SEQ(OTF2_PARAM, Name, __VA_ARGS__));
#include <otf2/otf2_snaps.def>
#undef SNAP

#define MARKER(Name, NAME, id, major, minor, ...)                                                  \
    OTF2_API OTF2_ErrorCode OTF2_MarkerWriter_Write##Name(                                         \
        OTF2_MarkerWriter *writerHandle OTF2_SEQ(OTF2_PARAM, Name, __VA_ARGS__));
#define THUMB(...)
#include <otf2/otf2_markers.def>
#undef MARKER
#undef THUMB

OTF2_API OTF2_ErrorCode OTF2_SnapWriter_GetLocationID(const OTF2_SnapWriter *writer,
                                                      OTF2_LocationRef *locationID);
OTF2_API OTF2_ErrorCode OTF2_ThumbWriter_WriteSample(OTF2_ThumbWriter *writer, uint64_t baseline,
                                                     uint32_t numberOfMetrics,
                                                     const uint64_t *metricSamples);

OTF2_API OTF2_SnapWriter *OTF2_Archive_GetSnapWriter(OTF2_Archive *archive,
                                                     OTF2_LocationRef location);
OTF2_API OTF2_ThumbWriter *
OTF2_Archive_GetThumbWriter(OTF2_Archive *archive, const char *name, const char *description,
                            OTF2_ThumbnailType type, uint32_t numberOfSamples,
                            uint32_t numberOfMetrics, const uint64_t *refsToDefs);
OTF2_API OTF2_MarkerWriter *OTF2_Archive_GetMarkerWriter(OTF2_Archive *archive);
OTF2_API OTF2_ErrorCode OTF2_Archive_CloseSnapWriter(OTF2_Archive *archive,
                                                     OTF2_SnapWriter *writer);
OTF2_API OTF2_ErrorCode OTF2_Archive_CloseMarkerWriter(OTF2_Archive *archive,
                                                       OTF2_MarkerWriter *writer);

#endif
