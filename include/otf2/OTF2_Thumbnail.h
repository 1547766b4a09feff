/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thumbnails: a trace at a glance, as a table of samples. The writer comes from
 * OTF2_Archive_GetThumbWriter, which writes the header, and ends with the archive. It may be used
 * by one thread at a time. Names and signatures are those of OTF2 3.0.
 */
#ifndef OTF2_THUMBNAIL_H
#define OTF2_THUMBNAIL_H

#include <stdint.h>

#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/OTF2_GeneralDefinitions.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OTF2_ThumbWriter_struct OTF2_ThumbWriter;

/*
 * Adds a sample.
 *   baseline         the sum that the values of this sample are parts of.
 *   numberOfMetrics  values that follow, as announced by the header.
 *   metricSamples    one for each metric of the header; borrowed during the call.
 * Errors: OTF2_ERROR_INVALID_ARGUMENT for a NULL pointer, OTF2_ERROR_INVALID_SIZE_GIVEN when the
 * record does not fit into a chunk.
 */
OTF2_API OTF2_ErrorCode OTF2_ThumbWriter_WriteSample(OTF2_ThumbWriter *writer, uint64_t baseline,
                                                     uint32_t numberOfMetrics,
                                                     const uint64_t *metricSamples);

#ifdef __cplusplus
}
#endif

#endif
