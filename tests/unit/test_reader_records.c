/* SPDX-License-Identifier: BSD-3-Clause */
/* links: reader writer format format-zlib */
/* The parts of files without times, whole and broken: chunks, frames, byte orders, ends. */
#include <criterion/criterion.h>
#include <signal.h>

#include "reader/record_reader.h"
#include "tests/unit/records_build.h"

static char path[] = "/tmp/records-XXXXXX";

static void begin(void)
{
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    count_errors();
}

static void end(void)
{
    unlink(path);
}

TestSuite(reader_records, .init = begin, .fini = end);

/* String definition `id`, below 2^16, in the way of trace format 2. */
static void build_string(struct build *b, uint32_t id, const char *text)
{
    unsigned width = id == 0 ? 0 : id < 256 ? 1 : 2;
    build_frame(b, 10, 1 + width + strlen(text) + 1, false);
    BUILD(b, (uint8_t)width);
    build_number(b, id, width);
    build_bytes(b, text, strlen(text) + 1);
}

/* The result of reading a whole file. */
struct result {
    OTF2_ErrorCode error;
    unsigned n;       /* records of any kind */
    unsigned strings; /* records with the ids 0, 1, 2, ... or as in `ids` */
    uint32_t ids[16];
    char texts[16][32];
};

static struct result read_cut(const struct build *b, size_t n, enum otf2_place place)
{
    struct result result = {0};
    struct otf2_records c;
    struct otf2_read read;
    build_save(b, n, path);
    reported.n = 0;
    result.error = otf2_records_open(&c, path, BUILD_CHUNK_BYTES, OTF2_COMPRESSION_NONE, place);
    if (result.error)
        return result;
    while ((result.error = otf2_records_next(&c, &read)) == OTF2_SUCCESS && read.is_any) {
        result.n++;
        if (read.rec == &otf2_defs[OTF2_DEF_MappingTable])
            OTF2_IdMap_Free((OTF2_IdMap *)(uintptr_t)read.data.def_MappingTable.idMap);
        if (read.rec != &otf2_defs[OTF2_DEF_String] || result.strings == 16)
            continue;
        result.ids[result.strings] = read.data.def_String.self;
        snprintf(result.texts[result.strings++], 32, "%s", read.data.def_String.string);
    }
    if (!result.error) {
        cr_assert_eq(otf2_records_next(&c, &read), OTF2_SUCCESS, "the end stays the end");
        cr_assert_not(read.is_any);
    }
    otf2_records_close(&c);
    return result;
}

static struct result read_all(const struct build *b)
{
    return read_cut(b, b->n, OTF2_PLACE_GLOBAL_DEFS);
}

/* An error with that code, reported once, with the names of the file and the byte. */
static void check_fault(const struct result *result, OTF2_ErrorCode code, unsigned n, long long at)
{
    char where[64];
    cr_expect_eq(result->error, code, "%s", OTF2_Error_GetName(result->error));
    cr_expect_eq(result->n, n, "%u records in front of it", result->n);
    cr_expect_eq(reported.n, 1, "reported %u times", reported.n);
    cr_expect(strstr(reported.text, path), "%s", reported.text);
    snprintf(where, sizeof where, "byte %lld:", at);
    cr_expect(strstr(reported.text, where), "%s, not at %s", reported.text, where);
}

static void check_strings(const struct result *result, unsigned n)
{
    cr_expect_eq(result->error, OTF2_SUCCESS, "%s", reported.text);
    cr_expect_eq(result->strings, n);
    for (unsigned i = 0; i < result->strings; i++) {
        char text[32];
        snprintf(text, sizeof text, "text %u", result->ids[i]);
        cr_expect_str_eq(result->texts[i], text);
    }
}

Test(reader_records, empty_file_of_records)
{
    struct build b = {0};
    build_header(&b);
    build_end(&b);
    check_strings(&(struct result){0}, 0);
    struct result result = read_all(&b);
    check_strings(&result, 0);
    cr_expect_eq(result.n, 0);
    build_free(&b);
}

Test(reader_records, end_mark_is_all_that_is_looked_at)
{
    struct build b = {0};
    build_header(&b);
    build_string(&b, 0, "text 0");
    BUILD(&b, 2); /* without 01 */
    struct result result = read_all(&b);
    check_strings(&result, 1);
    BUILD(&b, 1, 0, 0, 0, 0, 9, 9); /* padding, and junk behind */
    result = read_all(&b);
    check_strings(&result, 1);
    build_free(&b);
}

Test(reader_records, byte_order_is_that_of_the_chunk)
{
    struct build b = {0};
    for (unsigned chunk = 0; chunk < 4; chunk++) {
        b.is_big = chunk % 2;
        if (chunk)
            build_next_chunk(&b);
        else
            build_header(&b);
        build_string(&b, 300 + chunk,
                     (char[]){'t', 'e', 'x', 't', ' ', '3', '0', (char)('0' + chunk), 0});
        build_frame(&b, 200, 3, true); /* unknown, long length */
        BUILD(&b, 1, 2, 3);
    }
    build_end(&b);
    struct result result = read_all(&b);
    check_strings(&result, 4);
    cr_expect_eq(result.n, 8);
    cr_expect_eq(result.ids[3], 303);
    build_free(&b);
}

Test(reader_records, numbers_of_trace_format_1)
{
    struct build b = {0};
    build_header(&b);
    build_frame(&b, 10, 9, false); /* no short forms of 0 and of undefined */
    BUILD(&b, 1, 0);
    build_bytes(&b, "text 0", 7);
    build_frame(&b, 12, 6 * 4 + 2, false); /* SystemTreeNode without a parent */
    BUILD(&b, 1, 0, 4, 0, 0, 0, 1, 4, 1, 0, 0, 0, 4, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0,
          0);
    build_end(&b);
    struct result result = read_all(&b);
    check_strings(&result, 1);
    cr_expect_eq(result.n, 2);
    build_free(&b);
}

Test(reader_records, unknown_kinds_and_attributes_are_skipped)
{
    struct build b = {0};
    build_header(&b);
    for (unsigned id = 0; id < 256; id++) {
        /* Control bytes of the place, or known and therefore malformed. */
        if (id == 0 || id == 2 || otf2_record_by_id(OTF2_PLACE_GLOBAL_DEFS, (uint8_t)id))
            continue;
        build_frame(&b, (uint8_t)id, 2, id % 2);
        BUILD(&b, 0xff, 0xff);
    }
    build_frame(&b, 10, 12, false); /* attributes of a later version */
    BUILD(&b, 0);
    build_bytes(&b, "text 0", 7);
    BUILD(&b, 9, 9, 9, 9);
    build_string(&b, 1, "text 1");
    build_end(&b);
    struct result result = read_all(&b);
    check_strings(&result, 2);
    cr_expect_eq(result.n, 256 - OTF2_DEFS + 2 /* local records */);
    build_free(&b);
}

/* A file that was cut anywhere gives its whole records, and an error with the place. */
Test(reader_records, cut_at_every_byte)
{
    struct build b = {0};
    size_t ends[20];
    unsigned n = 0;
    build_header(&b);
    for (unsigned i = 0; i < 8; i++) {
        build_string(&b, i, (char[]){'t', 'e', 'x', 't', ' ', (char)('0' + i), 0});
        ends[n++] = b.n;
    }
    build_frame(&b, 18, 27, true); /* Group */
    BUILD(&b, 0, 0, 2, 1, 3, 1, 7, 1, 8, 2, 1, 1, 4, 5, 0, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9);
    ends[n++] = b.n;
    build_frame(&b, 77, 5, false);
    BUILD(&b, 1, 2, 3, 4, 5);
    ends[n++] = b.n;
    build_end(&b);
    for (size_t cut = 0; cut <= b.n; cut++) {
        struct result result = read_cut(&b, cut, OTF2_PLACE_GLOBAL_DEFS);
        unsigned whole = 0;
        while (whole < n && ends[whole] <= cut)
            whole++;
        cr_expect_eq(result.n, whole, "cut at %zu: %u", cut, result.n);
        cr_expect_eq(result.error, cut > ends[n - 1] ? OTF2_SUCCESS : OTF2_ERROR_INVALID_DATA);
        cr_expect_eq(reported.n, cut > ends[n - 1] ? 0 : 1);
        cr_expect(!reported.n || strstr(reported.text, path), "%s", reported.text);
        cr_expect(cut < 18 || !reported.n || strstr(reported.text, "byte "), "%s", reported.text);
    }
    build_free(&b);
}

/* The same around the boundary of two chunks. */
Test(reader_records, cut_between_chunks)
{
    struct build b = {0};
    build_header(&b);
    build_string(&b, 0, "text 0");
    size_t first = b.n;
    build_next_chunk(&b);
    build_string(&b, 1, "text 1");
    size_t second = b.n;
    build_end(&b);
    for (size_t cut = first; cut <= b.n; cut++) {
        if (cut > first + 40 && cut < BUILD_CHUNK_BYTES - 4)
            cut = BUILD_CHUNK_BYTES - 4;
        struct result result = read_cut(&b, cut, OTF2_PLACE_GLOBAL_DEFS);
        cr_expect_eq(result.n, cut < second ? 1 : 2, "cut at %zu", cut);
        cr_expect_eq(result.error, cut > second ? OTF2_SUCCESS : OTF2_ERROR_INVALID_DATA);
        cr_expect_eq(reported.n, cut > second ? 0 : 1);
    }
    build_free(&b);
}

Test(reader_records, broken_headers)
{
    static const uint8_t bad[][2] = {{0, 0x42}, {2, 0x42}, {4, 0x42}, {3, 0}, {3, 0x32}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct build b = {0};
        build_header(&b);
        memcpy(b.bytes, bad[i], 2);
        build_end(&b);
        struct result result = read_all(&b);
        check_fault(&result, OTF2_ERROR_INVALID_DATA, 0, 0);
        memcpy(b.bytes, (const uint8_t[]){3, 0x42}, 2);
        b.n -= 2;
        build_string(&b, 0, "text 0");
        build_next_chunk(&b);
        memcpy(b.bytes + BUILD_CHUNK_BYTES, bad[i], 2);
        build_end(&b);
        result = read_all(&b);
        check_fault(&result, OTF2_ERROR_INVALID_DATA, 1, BUILD_CHUNK_BYTES);
        build_free(&b);
    }
}

/* A wrong length field, by all amounts there are. */
Test(reader_records, lengths_that_are_wrong)
{
    static const uint64_t huge[] = {UINT64_MAX, UINT64_MAX - 20, INT64_MAX, 1ull << 32, 1 << 20};
    for (unsigned length = 0; length < 255; length++) {
        struct build b = {0};
        build_header(&b);
        build_string(&b, 0, "text 0");
        build_frame(&b, 10, length, false);
        BUILD(&b, 1, 1);
        build_bytes(&b, "text 1", 7);
        build_end(&b);
        struct result result = read_all(&b);
        if (length == 9 || length == 10) /* the end mark counts as a later attribute */
            cr_expect_eq(result.n, 2);
        else
            cr_expect_eq(result.error, OTF2_ERROR_INVALID_DATA, "%u", length);
        build_free(&b);
    }
    for (size_t i = 0; i < sizeof huge / sizeof huge[0]; i++)
        for (unsigned id = 10; id < 250; id += 190) {
            struct build b = {0};
            build_header(&b);
            build_string(&b, 0, "text 0");
            build_frame(&b, (uint8_t)id, huge[i], true);
            BUILD(&b, 1, 1);
            build_end(&b);
            struct result result = read_all(&b);
            check_fault(&result, OTF2_ERROR_INVALID_DATA, 1, 18 + 10);
            build_free(&b);
        }
}

/* A chunk has a byte behind its last record, except in the last chunk of the file. */
Test(reader_records, records_up_to_the_end_of_a_chunk)
{
    for (unsigned left = 0; left < 3; left++) {
        struct build b = {0};
        build_header(&b);
        uint64_t length = BUILD_CHUNK_BYTES - 18 - 10 - left;
        build_frame(&b, 200, length, true);
        while (length--)
            BUILD(&b, 7);
        struct result result = read_all(&b);
        check_fault(&result, OTF2_ERROR_INVALID_DATA, 1, BUILD_CHUNK_BYTES - left);
        if (left)
            build_next_chunk(&b);
        else
            build_header(&b);
        build_string(&b, 0, "text 0");
        build_end(&b);
        result = read_all(&b);
        if (left) {
            check_strings(&result, 1);
            cr_expect_eq(result.n, 2);
        } else {
            check_fault(&result, OTF2_ERROR_INVALID_DATA, 0, 18);
        }
        build_free(&b);
    }
}

/* Arrays need memory that grows with their length, by one element as by thousands. */
Test(reader_records, arrays_of_all_lengths)
{
    struct otf2_records c;
    struct otf2_read read;
    struct build b = {0};
    unsigned n = 0;
    build_header(&b);
    for (uint32_t members = 0; members < 2000; members += members < 300 ? 1 : 331) {
        build_frame(&b, 18, 3 + 3 + 3 * members + 3, true); /* Group */
        BUILD(&b, 0, 0, 0, 2);
        build_number(&b, members, 2);
        for (uint32_t i = 0; i < members; i++) {
            BUILD(&b, 2);
            build_number(&b, 1000 + i, 2);
        }
        BUILD(&b, 0, 0, 0);
        n++;
    }
    build_end(&b);
    build_save(&b, b.n, path);
    cr_assert_eq(otf2_records_open(&c, path, BUILD_CHUNK_BYTES, OTF2_COMPRESSION_NONE,
                                   OTF2_PLACE_GLOBAL_DEFS),
                 OTF2_SUCCESS);
    for (; n; n--) {
        cr_assert_eq(otf2_records_next(&c, &read), OTF2_SUCCESS, "%s", reported.text);
        cr_assert(read.is_any);
        const struct otf2_def_Group *group = &read.data.def_Group;
        for (uint32_t i = 0; i < group->numberOfMembers; i++)
            cr_assert_eq(group->members[i], 1000 + i);
    }
    cr_expect_eq(otf2_records_next(&c, &read), OTF2_SUCCESS);
    cr_expect_not(read.is_any);
    otf2_records_close(&c);
    build_free(&b);
}

/* Behind a record whose content is at fault reading goes on, a broken structure stays an error. */
Test(reader_records, what_an_error_leaves)
{
    struct otf2_records c;
    struct otf2_read read;
    struct build b = {0};
    build_header(&b);
    build_frame(&b, 10, 3, false);
    BUILD(&b, 7, 1, 0); /* no number has seven bytes here */
    build_string(&b, 1, "text 1");
    size_t at = b.n;
    build_frame(&b, 10, 99, false);
    build_save(&b, b.n, path);
    cr_assert_eq(otf2_records_open(&c, path, BUILD_CHUNK_BYTES, OTF2_COMPRESSION_NONE,
                                   OTF2_PLACE_GLOBAL_DEFS),
                 OTF2_SUCCESS);
    cr_expect_eq(otf2_records_next(&c, &read), OTF2_ERROR_INVALID_DATA);
    cr_expect_eq(otf2_records_next(&c, &read), OTF2_SUCCESS);
    cr_expect(read.is_any && read.data.def_String.self == 1);
    for (unsigned i = 0; i < 3; i++) {
        struct result result = {.error = otf2_records_next(&c, &read)};
        reported.n = 1;
        check_fault(&result, OTF2_ERROR_INVALID_DATA, 0, (long long)at);
    }
    otf2_records_close(&c);
    build_free(&b);
}

/* Each record of each kind of file, filled with each byte and cut: nothing worse than an error. */
Test(reader_records, any_content)
{
    static const enum otf2_place places[] = {OTF2_PLACE_GLOBAL_DEFS, OTF2_PLACE_LOCAL_DEFS,
                                             OTF2_PLACE_MARKERS, OTF2_PLACE_THUMBNAILS};
    enum { LENGTH = 40 };
    struct build b = {0};
    build_header(&b);
    build_frame(&b, 0, LENGTH, false);
    for (unsigned i = 0; i < LENGTH; i++)
        BUILD(&b, 0);
    build_end(&b);
    for (unsigned place = 0; place < 4; place++)
        for (unsigned id = 1; id < 50; id++)
            for (unsigned fill = 0; fill < 256; fill += fill < 16 || fill > 250 ? 1 : 31) {
                if (!otf2_record_by_id(places[place], (uint8_t)id))
                    continue;
                b.bytes[18] = (uint8_t)id;
                memset(b.bytes + 20, (int)fill, LENGTH);
                struct result result = read_cut(&b, b.n, places[place]);
                cr_assert(result.error == OTF2_SUCCESS || result.error == OTF2_ERROR_INVALID_DATA ||
                          result.error == OTF2_ERROR_INTEGRITY_FAULT);
                cr_assert_eq(reported.n, result.error ? 1 : 0);
            }
    build_free(&b);
}

Test(reader_records, empty_maps_are_an_error_of_their_own)
{
    static const uint8_t maps[][6] = {{1, 0, 0}, {1, 1, 1, 2, 1, 1}, {1, 1, 3, 0, 0, 0}};
    static const OTF2_ErrorCode codes[] = {OTF2_ERROR_INTEGRITY_FAULT, OTF2_ERROR_INTEGRITY_FAULT,
                                           OTF2_ERROR_INVALID_DATA};
    for (unsigned i = 0; i < 3; i++) {
        struct build b = {0};
        build_header(&b);
        build_frame(&b, 5, 6, false);
        build_bytes(&b, maps[i], 6);
        build_end(&b);
        struct result result = read_cut(&b, b.n, OTF2_PLACE_LOCAL_DEFS);
        check_fault(&result, codes[i], 0, 18);
        build_free(&b);
    }
}

__attribute__((format(printf, 6, 0))) static OTF2_ErrorCode
forgive(void *data, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
        const char *format, va_list va)
{
    on_error(data, file, line, function, code, format, va);
    return OTF2_SUCCESS;
}

Test(reader_records, errors_that_the_program_forgives_are_errors)
{
    struct build b = {0};
    build_header(&b);
    build_frame(&b, 10, 3, false);
    BUILD(&b, 7, 1, 0);
    OTF2_Error_RegisterCallback(forgive, NULL);
    struct result result = read_all(&b);
    check_fault(&result, OTF2_ERROR_INVALID_DATA, 0, 18);
    result = read_cut(&b, 18, OTF2_PLACE_GLOBAL_DEFS);
    check_fault(&result, OTF2_ERROR_INVALID_DATA, 0, 18);
    result = read_cut(&b, 7, OTF2_PLACE_GLOBAL_DEFS);
    check_fault(&result, OTF2_ERROR_INVALID_DATA, 0, 0);
    build_free(&b);
}

Test(reader_records, no_file)
{
    struct otf2_records c;
    cr_expect_eq(otf2_records_open(&c, "/nonexistent/a.def", BUILD_CHUNK_BYTES,
                                   OTF2_COMPRESSION_NONE, OTF2_PLACE_GLOBAL_DEFS),
                 OTF2_ERROR_ENOENT);
    cr_expect_eq(reported.n, 1);
    cr_expect(strstr(reported.text, "/nonexistent/a.def"));
}
