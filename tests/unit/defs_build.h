/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests of what is read besides events: a reader of a directory, and files in it. */
#ifndef TESTS_DEFS_BUILD_H
#define TESTS_DEFS_BUILD_H

#include <criterion/criterion.h>
#include <sys/stat.h>

#include "reader/callbacks.h"
#include "reader/reader.h"
#include "tests/unit/records_build.h"

static char dir[] = "/tmp/defs-XXXXXX";
static char archive[] = "traces";
static OTF2_Reader reader; /* as if opened */

static void begin(void)
{
    char path[64];
    cr_assert_not_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/traces", dir);
    cr_assert_eq(mkdir(path, 0700), 0);
    reader = (OTF2_Reader){.path = dir, .name = archive};
    reader.anchor.def_chunk_bytes = BUILD_CHUNK_BYTES;
    reader.anchor.compression = OTF2_COMPRESSION_NONE;
    count_errors();
}

static void end(void)
{
    static const char *const files[] = {"traces/7.def",   "traces.def", "traces.marker",
                                        "traces.0.thumb", "traces",     ""};
    otf2_locations_fini(&reader.locations);
    otf2_context_regions_fini(&reader.context_regions);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s", dir, files[i]);
        remove(path);
    }
}

static void save(const struct build *b, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    build_save(b, b->n, path);
}

static void build_record(struct build *b, const struct otf2_record *rec, const void *data)
{
    uint8_t bytes[512];
    size_t n = (size_t)(otf2_record_encode(bytes, rec, data) - bytes);
    build_frame(b, rec->id, n, false);
    build_bytes(b, bytes, n);
}

#endif
