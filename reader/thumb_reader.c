/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format/memory.h"
#include "reader/record_reader.h"

struct OTF2_ThumbReader_struct {
    struct otf2_records records;
    char *name;
    char *description;
    uint64_t *refs; /* n_metrics of them */
    uint32_t n_metrics;
    uint32_t n_samples; /* announced */
    uint32_t n_read;
    OTF2_ThumbnailType type;
};

/* A copy that the program may free(); NULL without memory. */
static void *copy_of(const void *data, size_t bytes)
{
    void *copy = malloc(bytes ? bytes : 1);
    if (copy && bytes)
        memcpy(copy, data, bytes);
    return copy;
}

/* The next record that this version knows. */
static OTF2_ErrorCode next_known(OTF2_ThumbReader *t, struct otf2_read *read)
{
    OTF2_ErrorCode error;
    do
        error = otf2_records_next(&t->records, read);
    while (!error && read->is_any && !read->rec);
    return error;
}

static OTF2_ErrorCode read_header(OTF2_ThumbReader *t)
{
    struct otf2_read read;
    OTF2_ErrorCode error = next_known(t, &read);
    if (error)
        return error;
    if (!read.is_any || read.rec != &otf2_thumbs[OTF2_THUMB_ThumbnailHeader])
        return otf2_records_fault(&t->records, OTF2_ERROR_INVALID_DATA,
                                  "a thumbnail begins with its header");
    const struct otf2_thumb_ThumbnailHeader *header = &read.data.thumb_ThumbnailHeader;
    t->type = header->type;
    t->n_samples = header->numberOfSamples;
    t->n_metrics = header->numberOfMetrics;
    t->name = copy_of(header->name, strlen(header->name) + 1);
    t->description = copy_of(header->description, strlen(header->description) + 1);
    t->refs = copy_of(header->refsToDefs, t->n_metrics * sizeof *t->refs);
    if (!t->name || !t->description || !t->refs)
        return otf2_records_fault(&t->records, OTF2_ERROR_MEM_ALLOC_FAILED,
                                  "no memory for a thumbnail's header");
    return OTF2_SUCCESS;
}

OTF2_ThumbReader *otf2_thumb_reader_open(OTF2_Reader *r, uint32_t number)
{
    OTF2_ThumbReader *t = otf2_mem_new(sizeof *t);
    if (!t) {
        OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "%s: no memory for a reader", r->path);
        return NULL;
    }
    if (otf2_records_open_file(&t->records, r, OTF2_FILETYPE_THUMBNAIL, number)) {
        otf2_mem_free(t);
        return NULL;
    }
    if (read_header(t)) {
        otf2_thumb_reader_close(t);
        return NULL;
    }
    return t;
}

void otf2_thumb_reader_close(OTF2_ThumbReader *t)
{
    otf2_records_close(&t->records);
    free(t->name);
    free(t->description);
    free(t->refs);
    otf2_mem_free(t);
}

OTF2_ErrorCode OTF2_ThumbReader_GetHeader(OTF2_ThumbReader *reader, char **const name,
                                          char **const description, OTF2_ThumbnailType *type,
                                          uint32_t *numberOfSamples, uint32_t *numberOfMetrics,
                                          uint64_t **refsToDefs)
{
    if (!reader || !name || !description || !type || !numberOfSamples || !numberOfMetrics ||
        !refsToDefs)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no thumbnail reader, or a place is NULL");
    char *name_copy = copy_of(reader->name, strlen(reader->name) + 1);
    char *description_copy = copy_of(reader->description, strlen(reader->description) + 1);
    uint64_t *refs = copy_of(reader->refs, reader->n_metrics * sizeof *refs);
    if (!name_copy || !description_copy || !refs) {
        free(name_copy);
        free(description_copy);
        free(refs);
        return OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for a thumbnail's header");
    }
    *name = name_copy;
    *description = description_copy;
    *type = reader->type;
    *numberOfSamples = reader->n_samples;
    *numberOfMetrics = reader->n_metrics;
    *refsToDefs = refs;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_ThumbReader_ReadSample(OTF2_ThumbReader *reader, uint64_t *baseline,
                                           uint32_t numberOfMetrics, uint64_t *metricSamples)
{
    if (!reader || !baseline || !metricSamples)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no thumbnail reader, or a place is NULL");
    if (numberOfMetrics < reader->n_metrics)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "room for %" PRIu32 " values, not %" PRIu32,
                          numberOfMetrics, reader->n_metrics);
    if (reader->n_read == reader->n_samples)
        return OTF2_ERROR(OTF2_ERROR_INDEX_OUT_OF_BOUNDS, "%s: all %" PRIu32 " samples were read",
                          reader->records.file.path, reader->n_samples);
    struct otf2_read read;
    OTF2_ErrorCode error = next_known(reader, &read);
    if (error)
        return error;
    const struct otf2_thumb_ThumbnailSample *sample = &read.data.thumb_ThumbnailSample;
    if (!read.is_any || read.rec != &otf2_thumbs[OTF2_THUMB_ThumbnailSample])
        return otf2_records_fault(&reader->records, OTF2_ERROR_INVALID_DATA,
                                  "%" PRIu32 " of %" PRIu32 " samples are missing",
                                  reader->n_samples - reader->n_read, reader->n_samples);
    if (sample->numberOfMetrics != reader->n_metrics)
        return otf2_records_fault(&reader->records, OTF2_ERROR_INVALID_DATA,
                                  "a sample of %" PRIu32 " values, not %" PRIu32,
                                  sample->numberOfMetrics, reader->n_metrics);
    reader->n_read++;
    *baseline = sample->baseline;
    memcpy(metricSamples, sample->metricSamples, sample->numberOfMetrics * sizeof *metricSamples);
    return OTF2_SUCCESS;
}
