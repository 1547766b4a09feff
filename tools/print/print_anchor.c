/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/print/print_anchor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/base/complaint.h"
#include "tools/base/say.h"
#include "tools/print/print_columns.h"
#include "tools/print/print_definitions.h"
#include "tools/print/print_enums.h"
#include "tools/print/print_options.h"

enum { LABEL_WIDTH = 30, NUMBER_WIDTH = 12 };

/* ---- steps ---- */

__attribute__((noreturn)) static void end_in_failure(void)
{
    output_close();
    exit(EXIT_FAILURE);
}

/* In the text, as otf2-print has it; but a file has the archive's only. And in a line, unless the
 * library had one. `name`: "", or of an error. */
static void complain(const char *name, const char *text)
{
    if (!options.output)
        put_format("==ERROR== %s%s%s\n", name, *name ? " " : "", text);
    output_flush();
    if (!complaint_was_said())
        say("%s: %s" COMPLAINT_REMEDY, options.path, text, options.path);
}

void check_status(OTF2_ErrorCode code, const char *step, ...)
{
    char text[256];
    va_list va;
    va_start(va, step);
    vsnprintf(text, sizeof text, step, va);
    va_end(va);
    if (!code) {
        debug("%s", text);
        return;
    }
    complain(OTF2_Error_GetName(code), text);
    end_in_failure();
}

void check_pointer(const void *pointer, const char *step, ...)
{
    char text[256];
    va_list va;
    va_start(va, step);
    vsnprintf(text, sizeof text, step, va);
    va_end(va);
    if (pointer) {
        debug("%s", text);
        return;
    }
    complain("", text);
    end_in_failure();
}

void check_condition(bool is_good, const char *step)
{
    if (is_good) {
        debug("%s", step);
        return;
    }
    output_flush();
    fprintf(stderr, "==ERROR== %s\n", step);
    end_in_failure();
}

/* ---- the anchor file ---- */

static void put_label(const char *label)
{
    put_format("%-*s ", LABEL_WIDTH, label);
}

static void put_number_row(const char *label, uint64_t number)
{
    put_label(label);
    put_unsigned(number);
    put_char('\n');
}

/* Takes the text over. */
static void put_text_row(const char *label, char *text)
{
    put_label(label);
    put_string(text);
    put_char('\n');
    free(text);
}

static void put_enum_row(const char *label, enum otf2_enum which, uint32_t value)
{
    put_label(label);
    put_enum(which, value);
    put_char('\n');
}

static void print_properties(OTF2_Reader *reader)
{
    uint32_t n = 0;
    char **names = NULL;
    check_status(OTF2_Reader_GetPropertyNames(reader, &n, &names), "Read names of properties.");
    put_number_row("Number of properties", n);
    for (uint32_t i = 0; i < n; i++) {
        char *value = NULL;
        put_label("Property name");
        put_string(names[i]);
        put_char('\n');
        check_status(OTF2_Reader_GetProperty(reader, names[i], &value), "Read value of property.");
        put_text_row("Property value", value);
    }
    free(names);
}

static void print_texts(OTF2_Reader *reader)
{
    static const struct {
        const char *label, *step;
        OTF2_ErrorCode (*get)(OTF2_Reader *, char **);
    } texts[] = {
        {"Machine name", "Read machine name.", OTF2_Reader_GetMachineName},
        {"Creator", "Read creator.", OTF2_Reader_GetCreator},
        {"Description", "Read description.", OTF2_Reader_GetDescription},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char *text = NULL;
        check_status(texts[i].get(reader, &text), "%s", texts[i].step);
        put_text_row(texts[i].label, text);
    }
}

void print_anchor(OTF2_Reader *reader)
{
    uint8_t major = 0;
    uint8_t minor = 0;
    uint8_t bugfix = 0;
    uint64_t n = 0;
    uint64_t more = 0;
    uint32_t count = 0;
    OTF2_FileSubstrate substrate = OTF2_SUBSTRATE_UNDEFINED;
    OTF2_Compression compression = OTF2_COMPRESSION_UNDEFINED;

    check_status(OTF2_Reader_GetVersion(reader, &major, &minor, &bugfix), "Read version.");
    put_string("\nContent of OTF2 anchor file:\n");
    put_format("%-*s %u.%u.%u\n", LABEL_WIDTH, "Version", major, minor, bugfix);
    check_status(OTF2_Reader_GetChunkSize(reader, &n, &more), "Read chunk size.");
    put_number_row("Chunk size events", n);
    put_number_row("Chunk size definitions", more);
    check_status(OTF2_Reader_GetFileSubstrate(reader, &substrate), "Read file substrate.");
    put_enum_row("File substrate", OTF2_ENUM_FileSubstrate, substrate);
    check_status(OTF2_Reader_GetCompression(reader, &compression), "Read compression mode.");
    put_enum_row("Compression", OTF2_ENUM_Compression, compression);
    check_status(OTF2_Reader_GetNumberOfLocations(reader, &n), "Read number of locations.");
    put_number_row("Number of locations", n);
    check_status(OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &n),
                 "Read number of global definitions.");
    put_number_row("Number of global definitions", n);
    print_texts(reader);
    print_properties(reader);
    check_status(OTF2_Reader_GetTraceId(reader, &n), "Read trace identifier.");
    put_format("%-*s %llx\n", LABEL_WIDTH, "Trace identifier", (unsigned long long)n);
    check_status(OTF2_Reader_GetNumberOfSnapshots(reader, &count), "Read number of snapshots.");
    put_number_row("Number of snapshots", count);
    check_status(OTF2_Reader_GetNumberOfThumbnails(reader, &count), "Read Number of thumbnails.");
    put_number_row("Number of thumbnails", count);
}

/* ---- thumbnails ---- */

static void put_list(const uint64_t *numbers, uint32_t n)
{
    put_string(n == 1 ? "Metric: " : "Metrics: ");
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            put_string(", ");
        put_unsigned(numbers[i]);
    }
    put_char('\n');
}

static void print_samples(OTF2_ThumbReader *thumb, uint32_t n, uint32_t width)
{
    uint64_t *values = need_memory((width ? width : 1) * sizeof *values);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t baseline = 0;
        check_status(OTF2_ThumbReader_ReadSample(thumb, &baseline, width, values),
                     "Reading thumbnail sample.");
        put_format("THUMBNAIL_SAMPLE %*u  Baseline: ", NUMBER_WIDTH, i);
        if (baseline == OTF2_UNDEFINED_UINT64)
            put_string("UNDEFINED");
        else
            put_unsigned(baseline);
        put_string(", ");
        put_list(values, width);
    }
    free(values);
}

static void print_thumbnail(OTF2_ThumbReader *thumb, uint32_t number)
{
    char *name = NULL;
    char *description = NULL;
    OTF2_ThumbnailType type = OTF2_THUMBNAIL_TYPE_REGION;
    uint32_t nsamples = 0;
    uint32_t nmetrics = 0;
    uint64_t *references = NULL;
    check_status(OTF2_ThumbReader_GetHeader(thumb, &name, &description, &type, &nsamples, &nmetrics,
                                            &references),
                 "Reading thumbnail header.");
    put_format("THUMBNAIL_HEADER %*u  Name: \"", NUMBER_WIDTH, number);
    put_string(name);
    put_string("\", Description: \"");
    put_string(description);
    put_string("\", Type: ");
    put_enum(OTF2_ENUM_ThumbnailType, type);
    put_format(", Samples: %u, %u ", nsamples, nmetrics);
    put_list(references, nmetrics);
    if (options.samples)
        print_samples(thumb, nsamples, nmetrics);
    free(name);
    free(description);
    free(references);
}

void print_thumbnails(OTF2_Reader *reader)
{
    uint32_t n = 0;
    if (OTF2_Reader_GetNumberOfThumbnails(reader, &n) || !n)
        return;
    put_string("\nThumbnail headers:\n");
    /* otf2-print 3.0 could read none. */
    for (uint32_t i = 0; i < n && !options.as_3_0; i++) {
        OTF2_ThumbReader *thumb = OTF2_Reader_GetThumbReader(reader, i);
        if (!thumb) { /* one that cannot be read is left out */
            complaint_go_on();
            continue;
        }
        print_thumbnail(thumb, i);
        OTF2_Reader_CloseThumbReader(reader, thumb);
    }
}
