/* SPDX-License-Identifier: BSD-3-Clause */
/* links: format */
/* Attribute lists that are read in a hurry are those that are read with care. */
#include <criterion/criterion.h>

#include "format/attributes.h"

enum { MOST = 20, BYTES = 1024 };

static uint64_t dice(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state >> 20;
}

/* Numbers of all widths, and undefined ones. */
static uint64_t number(void)
{
    uint64_t n = dice() << 30 ^ dice();
    return dice() % 8 ? n >> dice() % 64 : UINT64_MAX;
}

/* What the careful way makes of the record at `p`. */
static OTF2_ErrorCode decode(const uint8_t *p, OTF2_AttributeList *list)
{
    uint64_t length;
    struct otf2_wire_source s = {p + 1, p + BYTES, false};
    cr_assert(otf2_wire_get_length(&s, &length));
    s.end = s.at + length;
    return otf2_attributes_decode(&s, list);
}

static void compare(const OTF2_AttributeList *a, const OTF2_AttributeList *b)
{
    cr_assert_eq(a->n, b->n);
    for (uint32_t i = 0; i < a->n; i++) {
        struct otf2_attribute x = otf2_attributes_at(a, i);
        struct otf2_attribute y = otf2_attributes_at(b, i);
        cr_assert_eq(x.attribute, y.attribute);
        cr_assert_eq(x.type, y.type);
        cr_assert_eq(x.value.uint64, y.value.uint64, "type %u", x.type);
    }
}

Test(format_lists, both_ways_read_the_same)
{
    enum { ROUNDS = 20000, TYPES = 30 };
    unsigned n_short = 0;
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    OTF2_AttributeList *careful = OTF2_AttributeList_New();
    OTF2_AttributeList *quick = OTF2_AttributeList_New();
    for (uint32_t i = 0; i < MOST; i++)
        OTF2_AttributeList_AddUint8(quick, i, 0);
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint8_t bytes[BYTES] = {0};
        OTF2_AttributeList_RemoveAllAttributes(list);
        for (uint64_t i = 1 + dice() % MOST; i; i--) {
            OTF2_AttributeValue value = {.uint64 = number()};
            OTF2_AttributeRef attribute = (OTF2_AttributeRef)number();
            if (!OTF2_AttributeList_TestAttributeByID(list, attribute))
                OTF2_AttributeList_AddAttribute(list, attribute, (OTF2_Type)(dice() % TYPES),
                                                value);
        }
        const uint8_t *end = otf2_attributes_encode(bytes, list);
        cr_assert_eq(decode(bytes, careful), OTF2_SUCCESS);
        const uint8_t *quick_end = otf2_attributes_decode_short(bytes, quick);
        if (!quick_end)
            continue;
        n_short++;
        cr_assert_eq(quick_end, end);
        compare(quick, careful);
    }
    /* Longer ones, and those of which two attributes share a bit, are not for the quick way. */
    cr_assert_gt(n_short, ROUNDS / 4);
    OTF2_AttributeList_Delete(list);
    OTF2_AttributeList_Delete(careful);
    OTF2_AttributeList_Delete(quick);
}

Test(format_lists, what_is_unusual_is_left_to_the_other_way)
{
    static const struct {
        const char *what;
        uint8_t bytes[32];
    } rows[] = {
        {"long length", {6, 0xff, 10, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 7, 1, 1}},
        {"none", {6, 1, 0}},
        {"count of two bytes", {6, 7, 2, 1, 0, 1, 7, 1, 1}},
        {"attribute of five bytes", {6, 10, 1, 1, 5, 1, 1, 1, 1, 1, 1, 1}},
        {"value of nine bytes", {6, 14, 1, 1, 1, 7, 4, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
        {"twice the same", {6, 10, 1, 2, 1, 7, 1, 1, 1, 7, 1, 1}},
        {"too short", {6, 5, 1, 1, 1, 7, 1, 1}},
        {"too long", {6, 7, 1, 1, 1, 7, 1, 1}},
    };
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    for (uint32_t i = 0; i < MOST; i++)
        OTF2_AttributeList_AddUint8(list, i, 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t bytes[OTF2_ATTRIBUTES_SHORT] = {0};
        memcpy(bytes, rows[i].bytes, sizeof rows[i].bytes);
        cr_assert_null(otf2_attributes_decode_short(bytes, list), "%s", rows[i].what);
        cr_assert_eq(list->n, 0);
    }
    OTF2_AttributeList_Delete(list);
}
