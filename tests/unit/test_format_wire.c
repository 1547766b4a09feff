/* SPDX-License-Identifier: BSD-3-Clause */
/* links: format format-mem-libc */
/* Single values: the bytes of the format's examples, both byte orders, and everything malformed. */
#include <criterion/criterion.h>

#include "format/wire.h"

static const struct {
    enum otf2_wire wire;
    uint32_t n;
    uint64_t value;
    uint8_t little[9];
    uint8_t big[9];
} examples[] = {
    {OTF2_WIRE_U8, 1, 0, {0}, {0}},
    {OTF2_WIRE_U8, 1, 0xff, {0xff}, {0xff}},
    {OTF2_WIRE_U16, 2, 0x1234, {0x34, 0x12}, {0x12, 0x34}},
    {OTF2_WIRE_I8, 1, (uint64_t)-2, {0xfe}, {0xfe}},
    {OTF2_WIRE_I16, 2, (uint64_t)-2, {0xfe, 0xff}, {0xff, 0xfe}},
    {OTF2_WIRE_VAR32, 1, 0, {0}, {0}},
    {OTF2_WIRE_VAR32, 2, 1, {1, 1}, {1, 1}},
    {OTF2_WIRE_VAR32, 2, 255, {1, 0xff}, {1, 0xff}},
    {OTF2_WIRE_VAR32, 3, 256, {2, 0, 1}, {2, 1, 0}},
    {OTF2_WIRE_VAR32, 3, 300, {2, 0x2c, 1}, {2, 1, 0x2c}},
    {OTF2_WIRE_VAR32, 5, 0x01000000, {4, 0, 0, 0, 1}, {4, 1, 0, 0, 0}},
    {OTF2_WIRE_VAR32, 5, UINT32_MAX - 1, {4, 0xfe, 0xff, 0xff, 0xff}, {4, 0xff, 0xff, 0xff, 0xfe}},
    {OTF2_WIRE_VAR32, 1, UINT32_MAX, {0xff}, {0xff}},
    {OTF2_WIRE_VAR64, 5, UINT32_MAX, {4, 0xff, 0xff, 0xff, 0xff}, {4, 0xff, 0xff, 0xff, 0xff}},
    {OTF2_WIRE_VAR64,
     9,
     0x0102030405060708,
     {8, 8, 7, 6, 5, 4, 3, 2, 1},
     {8, 1, 2, 3, 4, 5, 6, 7, 8}},
    {OTF2_WIRE_VAR64, 1, UINT64_MAX, {0xff}, {0xff}},
    {OTF2_WIRE_IVAR32, 2, 5, {1, 5}, {1, 5}},
    {OTF2_WIRE_IVAR32, 5, (uint64_t)-2, {4, 0xfe, 0xff, 0xff, 0xff}, {4, 0xff, 0xff, 0xff, 0xfe}},
    {OTF2_WIRE_IVAR64,
     9,
     (uint64_t)-2,
     {8, 0xfe, 255, 255, 255, 255, 255, 255, 255},
     {8, 255, 255, 255, 255, 255, 255, 255, 0xfe}},
    {OTF2_WIRE_IVAR64,
     9,
     UINT64_MAX,
     {8, 255, 255, 255, 255, 255, 255, 255, 255},
     {8, 255, 255, 255, 255, 255, 255, 255, 255}},
    {OTF2_WIRE_FIXED64, 8, 1000, {0xe8, 3}, {0, 0, 0, 0, 0, 0, 3, 0xe8}},
    {OTF2_WIRE_FLOAT, 4, 0x3f800000, {0, 0, 0x80, 0x3f}, {0x3f, 0x80, 0, 0}},
    {OTF2_WIRE_DOUBLE, 8, 0x3ff0000000000000, {0, 0, 0, 0, 0, 0, 0xf0, 0x3f}, {0x3f, 0xf0}},
};

#define EACH_EXAMPLE(i)                                                                            \
    size_t i = 0;                                                                                  \
    i < sizeof examples / sizeof examples[0];                                                      \
    i++

Test(format_wire, puts_the_bytes_of_the_examples)
{
    for (EACH_EXAMPLE(i)) {
        uint8_t bytes[24];
        const uint8_t *expected =
            OTF2_WIRE_HOST == OTF2_WIRE_LITTLE ? examples[i].little : examples[i].big;
        memset(bytes, 0xaa, sizeof bytes);
        uint8_t *end = otf2_wire_put(bytes, examples[i].wire, examples[i].value);
        cr_assert_eq((size_t)(end - bytes), examples[i].n, "example %zu", i);
        cr_assert_arr_eq(bytes, expected, examples[i].n, "example %zu", i);
        cr_assert_eq(otf2_wire_size(examples[i].wire, examples[i].value), examples[i].n);
        cr_assert_leq(examples[i].n, (size_t)OTF2_WIRE_MAX(examples[i].wire));

        memset(bytes, 0xaa, sizeof bytes);
        end = otf2_wire_put_tight(bytes, examples[i].wire, examples[i].value);
        cr_assert_arr_eq(bytes, expected, examples[i].n);
        cr_assert_eq(*end, 0xaa, "a byte behind example %zu", i);
    }
}

static void check_get(const uint8_t *bytes, size_t i, bool is_big)
{
    bool is_swapped = is_big != (OTF2_WIRE_HOST == OTF2_WIRE_BIG);
    uint64_t v;
    for (size_t n = 0; n < examples[i].n; n++) {
        struct otf2_wire_source cut = {bytes, bytes + n, is_swapped};
        cr_assert_not(otf2_wire_get(&cut, examples[i].wire, &v), "example %zu cut to %zu", i, n);
        cr_assert_eq(cut.at, bytes);
    }
    struct otf2_wire_source s = {bytes, bytes + examples[i].n, is_swapped};
    cr_assert(otf2_wire_get(&s, examples[i].wire, &v));
    cr_assert_eq(v, examples[i].value, "example %zu: %llx", i, (unsigned long long)v);
    cr_assert_eq(s.at, s.end);
}

Test(format_wire, gets_them_in_both_byte_orders)
{
    for (EACH_EXAMPLE(i)) {
        check_get(examples[i].little, i, false);
        check_get(examples[i].big, i, true);
    }
}

Test(format_wire, rejects_impossible_counts)
{
    static const enum otf2_wire wires[] = {OTF2_WIRE_VAR32, OTF2_WIRE_IVAR32, OTF2_WIRE_VAR64,
                                           OTF2_WIRE_IVAR64};
    for (size_t w = 0; w < 4; w++) {
        for (unsigned count = w < 2 ? 5 : 9; count < 0xff; count++) {
            uint8_t bytes[256] = {(uint8_t)count};
            struct otf2_wire_source s = {bytes, bytes + sizeof bytes, false};
            uint64_t v;
            cr_assert_not(otf2_wire_get(&s, wires[w], &v));
        }
    }
}

Test(format_wire, accepts_leading_zeros_of_old_writers)
{
    static const uint8_t zero[] = {1, 0};
    static const uint8_t undefined[] = {4, 0xff, 0xff, 0xff, 0xff};
    struct otf2_wire_source s = {zero, zero + sizeof zero, false};
    uint64_t v = 1;
    cr_assert(otf2_wire_get(&s, OTF2_WIRE_VAR32, &v));
    cr_assert_eq(v, 0);
    s = (struct otf2_wire_source){undefined, undefined + sizeof undefined, false};
    cr_assert(otf2_wire_get(&s, OTF2_WIRE_VAR32, &v));
    cr_assert_eq(v, UINT32_MAX);
}

Test(format_wire, length_fields)
{
    static const struct {
        uint64_t estimate;
        unsigned field;
    } forms[] = {{0, 1}, {254, 1}, {255, 9}, {100000, 9}};
    for (size_t i = 0; i < 4; i++) {
        uint8_t bytes[16] = {0};
        uint64_t length = forms[i].estimate / 2;
        cr_assert_eq(otf2_wire_length_bytes(forms[i].estimate), forms[i].field);
        otf2_wire_set_length(bytes + forms[i].field, forms[i].field, length);
        for (unsigned cut = 0; cut <= forms[i].field; cut++) {
            struct otf2_wire_source s = {bytes, bytes + cut, false};
            uint64_t v;
            bool ok = otf2_wire_get_length(&s, &v);
            cr_assert_eq(ok, cut == forms[i].field);
            cr_assert(!ok || (v == length && s.at == s.end));
        }
    }
}
