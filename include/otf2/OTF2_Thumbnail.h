/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thumbnails: a trace at a glance, as a table of samples. The writer comes from
 * OTF2_Archive_GetThumbWriter, which writes the header, and ends with the archive. A reader comes
 * from OTF2_Reader_GetThumbReader and ends with OTF2_Reader_CloseThumbReader or the OTF2_Reader.
 * Each may be used by one thread at a time. Names and signatures are those of OTF2 3.2.
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
typedef struct OTF2_ThumbReader_struct OTF2_ThumbReader;

/*
 * Adds a sample.
 *   baseline         the sum that the values of this sample are parts of; 0: their own sum,
 *                    OTF2_UNDEFINED_UINT64: there is none.
 *   numberOfMetrics  values that follow, as announced by the header.
 *   metricSamples    one for each metric of the header; borrowed during the call.
 * Errors: OTF2_ERROR_INVALID_ARGUMENT for a NULL pointer, OTF2_ERROR_INVALID_SIZE_GIVEN when the
 * record does not fit into a chunk.
 */
OTF2_API OTF2_ErrorCode OTF2_ThumbWriter_WriteSample(OTF2_ThumbWriter *writer, uint64_t baseline,
                                                     uint32_t numberOfMetrics,
                                                     const uint64_t *metricSamples);

/*
 * Stores what the header says; each place is required.
 *   name, description  texts, to be released by free().
 *   type               what the refs mean, an OTF2_THUMBNAIL_TYPE_....
 *   numberOfSamples    that OTF2_ThumbReader_ReadSample can read.
 *   numberOfMetrics    values in each sample, and references in *refsToDefs.
 *   refsToDefs         references to definitions, to be released by free().
 * Errors: OTF2_ERROR_INVALID_ARGUMENT for a NULL pointer, OTF2_ERROR_MEM_ALLOC_FAILED. On error
 * nothing is stored.
 */
OTF2_API OTF2_ErrorCode OTF2_ThumbReader_GetHeader(
    OTF2_ThumbReader *reader, char **const name, char **const description, OTF2_ThumbnailType *type,
    uint32_t *numberOfSamples, uint32_t *numberOfMetrics, uint64_t **refsToDefs);

/*
 * Reads the next sample.
 *   baseline         where to store the sum that the values of this sample are parts of.
 *   numberOfMetrics  room in metricSamples, in values: at least that of the header.
 *   metricSamples    where to store one value for each metric.
 * Errors: OTF2_ERROR_INVALID_ARGUMENT for a NULL pointer or too little room,
 * OTF2_ERROR_INDEX_OUT_OF_BOUNDS when all samples have been read, OTF2_ERROR_INVALID_DATA and the
 * like for a file that is damaged.
 */
OTF2_API OTF2_ErrorCode OTF2_ThumbReader_ReadSample(OTF2_ThumbReader *reader, uint64_t *baseline,
                                                    uint32_t numberOfMetrics,
                                                    uint64_t *metricSamples);

#ifdef __cplusplus
}
#endif

#endif
