/* SPDX-License-Identifier: BSD-3-Clause */
/* links: format format-mem-libc */
/* The anchor file: round trip, old formats, the other byte order, and everything malformed. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "format/anchor.h"
#include "format/wire.h"

static const struct otf2_property properties[] = {{"A::B", "x"}, {"SPUR::NUMBER_1", "two words"}};

static const struct otf2_anchor example = {
    .event_chunk_bytes = 1 << 20,
    .def_chunk_bytes = 4 << 20,
    .locations = 3,
    .global_definitions = 77,
    .trace_id = 0x1122334455667788,
    .machine = "machine",
    .creator = "spur",
    .description = "",
    .properties = properties,
    .nproperties = 2,
    .snapshots = 1,
    .thumbnails = 2,
    .version = {3, 0, 2},
    .substrate = OTF2_SUBSTRATE_POSIX,
    .compression = OTF2_COMPRESSION_NONE,
};

static size_t encode(const struct otf2_anchor *anchor, uint8_t *bytes)
{
    size_t n = otf2_anchor_bytes(anchor);
    bytes[n] = 0xaa;
    cr_assert_eq((size_t)(otf2_anchor_encode(bytes, anchor) - bytes), n);
    cr_assert_eq(bytes[n], 0xaa);
    return n;
}

static OTF2_ErrorCode decode(const uint8_t *bytes, size_t n)
{
    /* A copy of that size, so that the sanitizer sees a read behind the end. */
    uint8_t *copy = malloc(n + !n);
    struct otf2_anchor anchor;
    memcpy(copy, bytes, n);
    OTF2_ErrorCode err = otf2_anchor_decode(copy, n, &anchor);
    if (err == OTF2_SUCCESS)
        otf2_anchor_fini(&anchor);
    free(copy);
    return err;
}

Test(format_anchor, round_trip)
{
    uint8_t bytes[512];
    struct otf2_anchor out;
    size_t n = encode(&example, bytes);
    cr_assert_eq(otf2_anchor_decode(bytes, n, &out), OTF2_SUCCESS);
    cr_assert(out.event_chunk_bytes == example.event_chunk_bytes &&
              out.def_chunk_bytes == example.def_chunk_bytes &&
              out.locations == example.locations &&
              out.global_definitions == example.global_definitions &&
              out.trace_id == example.trace_id && out.snapshots == 1 && out.thumbnails == 2 &&
              out.anchor_format == 3 && out.trace_format == 2 && out.version[2] == 2);
    cr_assert_str_eq(out.machine, "machine");
    cr_assert_str_eq(out.description, "");
    cr_assert_eq(out.nproperties, 2);
    cr_assert_str_eq(out.properties[1].name, "SPUR::NUMBER_1");
    cr_assert_str_eq(out.properties[1].value, "two words");
    otf2_anchor_fini(&out);
    for (size_t cut = 0; cut < n - 2; cut++)
        cr_assert_eq(decode(bytes, cut), OTF2_ERROR_INVALID_DATA, "cut to %zu", cut);
}

Test(format_anchor, the_smallest_has_72_bytes)
{
    const struct otf2_anchor empty = {.version = {3, 0, 2}, .substrate = 1, .compression = 1};
    uint8_t bytes[128];
    cr_assert_eq(encode(&empty, bytes), 72);
    cr_assert_arr_eq(bytes + 2, "OTF2\0\3\2\3\0\2", 10);
    cr_assert_arr_eq(bytes + 69, "\2\1\0", 3);
    cr_assert_eq(decode(bytes, 72), OTF2_SUCCESS);
}

Test(format_anchor, older_formats_stop_earlier)
{
    static const uint8_t end[] = {2, 1, 0};
    const struct otf2_anchor empty = {.version = {1, 0, 0}, .substrate = 1, .compression = 1};
    uint8_t bytes[128];
    encode(&empty, bytes);
    bytes[7] = 1;
    memcpy(bytes + 49, end, sizeof end);
    cr_assert_eq(decode(bytes, 52), OTF2_SUCCESS);
    cr_assert_eq(decode(bytes, 49), OTF2_ERROR_INVALID_DATA);
    encode(&empty, bytes);
    bytes[7] = 2;
    memcpy(bytes + 61, end, sizeof end);
    cr_assert_eq(decode(bytes, 64), OTF2_SUCCESS);
    encode(&empty, bytes);
    bytes[7] = 9; /* later ones may add what they like */
    bytes[69] = 7;
    cr_assert_eq(decode(bytes, 72), OTF2_SUCCESS);
}

Test(format_anchor, the_other_byte_order)
{
    uint8_t bytes[512];
    struct otf2_anchor out;
    const struct otf2_anchor empty = {.event_chunk_bytes = 0x0102030405060708,
                                      .substrate = 1,
                                      .compression = 1,
                                      .trace_id = 5};
    size_t n = encode(&empty, bytes);
    bytes[1] = OTF2_WIRE_HOST == OTF2_WIRE_LITTLE ? OTF2_WIRE_BIG : OTF2_WIRE_LITTLE;
    cr_assert_eq(otf2_anchor_decode(bytes, n, &out), OTF2_SUCCESS);
    cr_assert_eq(out.event_chunk_bytes, 0x0807060504030201);
    cr_assert_eq(out.trace_id, __builtin_bswap64(5));
    otf2_anchor_fini(&out);
}

Test(format_anchor, malformed_bytes)
{
    static const struct {
        size_t at;
        uint8_t byte;
        OTF2_ErrorCode err;
    } faults[] = {
        {0, 2, OTF2_ERROR_INVALID_DATA},      {1, 0, OTF2_ERROR_INVALID_DATA},
        {2, 'o', OTF2_ERROR_INVALID_DATA},    {7, 0, OTF2_ERROR_INVALID_DATA},
        {8, 3, OTF2_ERROR_INVALID_ARGUMENT},  {28, 0, OTF2_ERROR_INVALID_ARGUMENT},
        {28, 4, OTF2_ERROR_INVALID_ARGUMENT}, {29, 0, OTF2_ERROR_INVALID_ARGUMENT},
        {29, 3, OTF2_ERROR_INVALID_ARGUMENT}, {52, 0xff, OTF2_ERROR_INVALID_DATA},
        {69, 1, OTF2_ERROR_INVALID_DATA},
    };
    const struct otf2_anchor empty = {.version = {3, 0, 2}, .substrate = 1, .compression = 1};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        uint8_t bytes[128];
        size_t n = encode(&empty, bytes);
        bytes[faults[i].at] = faults[i].byte;
        cr_assert_eq(decode(bytes, n), faults[i].err, "fault %zu", i);
    }
}

Test(format_anchor, bad_properties_make_it_unreadable)
{
    static const struct {
        struct otf2_property pair[2];
        OTF2_ErrorCode err;
    } faults[] = {
        {{{"A::B", "x"}, {"C::D", "y"}}, OTF2_SUCCESS},
        {{{"A::B", "x"}, {"a::b", "y"}}, OTF2_ERROR_PROPERTY_EXISTS},
        {{{"A::B", "x"}, {"C::D", ""}}, OTF2_ERROR_PROPERTY_VALUE_INVALID},
        {{{"A::B", "x"}, {"CXXXD", "y"}}, OTF2_ERROR_PROPERTY_NAME_INVALID},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        uint8_t bytes[256];
        struct otf2_anchor anchor = {.substrate = 1,
                                     .compression = 1,
                                     .properties = faults[i].pair,
                                     .nproperties = 2};
        size_t n = encode(&anchor, bytes);
        cr_assert_eq(decode(bytes, n), faults[i].err, "fault %zu", i);
    }
}

Test(format_anchor, property_names)
{
    static const char *const good[] = {"A::B", "a_1::B::c", "_::_", "A::B-c", "-::-"};
    static const char *const bad[] = {"",      "A",   "A::",    "::B",   "A:B",     "A:::B",
                                      "A::B ", "A-B", "A::B.c", "A::B+", "A::\xc3", "A::B::"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        cr_assert(otf2_property_name_is_valid(good[i]), "%s", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_assert_not(otf2_property_name_is_valid(bad[i]), "%s", bad[i]);
}
