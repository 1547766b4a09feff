/* SPDX-License-Identifier: BSD-3-Clause */
/* The public writers of snapshots, markers and thumbnails. */
#include "format/error.h"
#include "writer/archive_state.h"
#include "writer/record_writer.h"

#define ARGUMENT(Row, kind, name_) .name_ = name_,

/* ---- snapshots ---- */

#define SNAP(Name, NAME, id, major, minor, ...)                                                    \
    OTF2_ErrorCode OTF2_SnapWriter_##Name(OTF2_SnapWriter *writer,                                 \
                                          OTF2_AttributeList *attributeList,                       \
                                          OTF2_TimeStamp snapTime OTF2_SEQ(OTF2_PARAM, Name,       \
                                                                           __VA_ARGS__))           \
    {                                                                                              \
        const struct otf2_snap_##Name data = {OTF2_SEQ(ARGUMENT, Name, __VA_ARGS__)};              \
        return otf2_record_put_at(writer ? &writer->base : NULL, &otf2_snaps[OTF2_SNAP_##Name],    \
                                  &data, attributeList, snapTime);                                 \
    }
#include <otf2/otf2_snaps.def>
#undef SNAP

OTF2_ErrorCode OTF2_SnapWriter_GetLocationID(const OTF2_SnapWriter *writer,
                                             OTF2_LocationRef *locationID)
{
    if (!writer)
        return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, "no snapshot writer");
    if (!locationID)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no place for the location");
    *locationID = writer->base.stream.location;
    return OTF2_SUCCESS;
}

/* ---- markers ---- */

#define MARKER(Name, NAME, id, major, minor, ...)                                                  \
    OTF2_ErrorCode OTF2_MarkerWriter_Write##Name(                                                  \
        OTF2_MarkerWriter *writerHandle OTF2_SEQ(OTF2_PARAM, Name, __VA_ARGS__))                   \
    {                                                                                              \
        const struct otf2_marker_##Name data = {OTF2_SEQ(ARGUMENT, Name, __VA_ARGS__)};            \
        return otf2_record_put(writerHandle ? &writerHandle->base : NULL,                          \
                               &otf2_markers[OTF2_MARK_##Name], &data);                            \
    }
#define THUMB(...)
#include <otf2/otf2_markers.def>
#undef MARKER
#undef THUMB

/* ---- thumbnails ---- */

OTF2_ErrorCode OTF2_ThumbWriter_WriteSample(OTF2_ThumbWriter *writer, uint64_t baseline,
                                            uint32_t numberOfMetrics, const uint64_t *metricSamples)
{
    const struct otf2_thumb_ThumbnailSample data = {.baseline = baseline,
                                                    .numberOfMetrics = numberOfMetrics,
                                                    .metricSamples = metricSamples};
    return otf2_record_put(writer ? &writer->base : NULL, &otf2_thumbs[OTF2_THUMB_ThumbnailSample],
                           &data);
}
