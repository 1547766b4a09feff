/* SPDX-License-Identifier: BSD-3-Clause */
/* links: reader writer format format-zlib */
/* Readers of thumbnails. */
#include "tests/unit/defs_build.h"

TestSuite(reader_thumbs, .init = begin, .fini = end);

enum { METRICS = 2, SAMPLES = 4 };

static void build_thumbnail(struct build *b, unsigned samples, unsigned metrics)
{
    static const uint64_t refs[] = {300, 7};
    build_header(b);
    BUILD(b, 99, 1, 0);
    build_record(b, &otf2_thumbs[OTF2_THUMB_ThumbnailHeader],
                 &(struct otf2_thumb_ThumbnailHeader){"name", "text", OTF2_THUMBNAIL_TYPE_METRIC,
                                                      SAMPLES, METRICS, refs, 0});
    for (uint64_t i = 0; i < samples; i++) {
        const uint64_t values[METRICS + 1] = {i, 1000 * i, 1};
        build_record(b, &otf2_thumbs[OTF2_THUMB_ThumbnailSample],
                     &(struct otf2_thumb_ThumbnailSample){10 * i, metrics, values, 0});
        BUILD(b, 99, 1, 0);
    }
    build_end(b);
    save(b, "traces.0.thumb");
    build_free(b);
}

Test(reader_thumbs, whole)
{
    struct build b = {0};
    char *name;
    char *description;
    OTF2_ThumbnailType type;
    uint32_t samples;
    uint32_t metrics;
    uint64_t *refs;
    uint64_t baseline;
    uint64_t values[METRICS];
    build_thumbnail(&b, SAMPLES, METRICS);
    OTF2_ThumbReader *t = otf2_thumb_reader_open(&reader, 0);
    cr_assert_not_null(t, "%s", reported.text);
    for (unsigned twice = 0; twice < 2; twice++) {
        cr_assert_eq(OTF2_ThumbReader_GetHeader(t, &name, &description, &type, &samples, &metrics,
                                                &refs),
                     OTF2_SUCCESS);
        cr_expect_str_eq(name, "name");
        cr_expect_str_eq(description, "text");
        cr_expect_eq(type, OTF2_THUMBNAIL_TYPE_METRIC);
        cr_expect_eq(samples, SAMPLES);
        cr_assert_eq(metrics, METRICS);
        cr_expect(refs[0] == 300 && refs[1] == 7);
        free(name);
        free(description);
        free(refs);
    }
    cr_expect_eq(OTF2_ThumbReader_ReadSample(t, &baseline, METRICS - 1, values),
                 OTF2_ERROR_INVALID_ARGUMENT);
    for (uint64_t i = 0; i < SAMPLES; i++) {
        cr_assert_eq(OTF2_ThumbReader_ReadSample(t, &baseline, METRICS, values), OTF2_SUCCESS);
        cr_expect(baseline == 10 * i && values[0] == i && values[1] == 1000 * i);
    }
    cr_expect_eq(OTF2_ThumbReader_ReadSample(t, &baseline, METRICS, values),
                 OTF2_ERROR_INDEX_OUT_OF_BOUNDS);
    cr_expect_eq(OTF2_ThumbReader_ReadSample(t, NULL, METRICS, values),
                 OTF2_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(OTF2_ThumbReader_ReadSample(NULL, &baseline, METRICS, values),
                 OTF2_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(OTF2_ThumbReader_GetHeader(t, NULL, &description, &type, &samples, &metrics,
                                            &refs),
                 OTF2_ERROR_INVALID_ARGUMENT);
    otf2_thumb_reader_close(t);
}

Test(reader_thumbs, broken)
{
    struct build b = {0};
    uint64_t baseline;
    uint64_t values[METRICS] = {0};
    build_thumbnail(&b, 1, METRICS); /* fewer samples than announced */
    OTF2_ThumbReader *t = otf2_thumb_reader_open(&reader, 0);
    cr_assert_eq(OTF2_ThumbReader_ReadSample(t, &baseline, METRICS, values), OTF2_SUCCESS);
    cr_expect_eq(OTF2_ThumbReader_ReadSample(t, &baseline, METRICS, values),
                 OTF2_ERROR_INVALID_DATA);
    otf2_thumb_reader_close(t);

    build_thumbnail(&b, 1, METRICS + 1); /* more values than announced */
    t = otf2_thumb_reader_open(&reader, 0);
    cr_expect_eq(OTF2_ThumbReader_ReadSample(t, &baseline, METRICS, values),
                 OTF2_ERROR_INVALID_DATA);
    otf2_thumb_reader_close(t);

    build_header(&b); /* a sample and no header */
    build_record(&b, &otf2_thumbs[OTF2_THUMB_ThumbnailSample],
                 &(struct otf2_thumb_ThumbnailSample){1, METRICS, values, 0});
    build_end(&b);
    save(&b, "traces.0.thumb");
    reported.n = 0;
    cr_expect_null(otf2_thumb_reader_open(&reader, 0));
    cr_expect_eq(reported.n, 1);
    cr_expect_eq(reported.code, OTF2_ERROR_INVALID_DATA);
    build_free(&b);
}
