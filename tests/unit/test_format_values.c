/* SPDX-License-Identifier: BSD-3-Clause */
/* links: format format-mem-libc */
/* Attribute lists, typed values and id maps: the API's answers and the bytes. */
#include <criterion/criterion.h>
#include <float.h>

#include "format/attributes.h"
#include "format/idmap.h"

static OTF2_ErrorCode quiet(void *user, const char *file, uint64_t line, const char *function,
                            OTF2_ErrorCode code, const char *format, va_list va)
{
    (void)file;
    (void)line;
    (void)function;
    (void)format;
    (void)va;
    ++*(int *)user;
    return code;
}

static int errors;

static void be_quiet(void)
{
    OTF2_Error_RegisterCallback(quiet, &errors);
}

TestSuite(format_values, .init = be_quiet);

/* The codes of the tables were taken from the reference, function by function. */
Test(format_values, wrong_use_of_lists)
{
    OTF2_AttributeList *l = OTF2_AttributeList_New();
    OTF2_AttributeValue v = {.uint64 = 5};
    OTF2_AttributeRef r;
    OTF2_Type t;
    uint8_t u8;
    uint16_t u16;
    OTF2_AttributeList_AddUint8(l, 3, 7);
    OTF2_AttributeList_AddAttribute(l, 4, 77, v);
    const struct {
        OTF2_ErrorCode is;
        OTF2_ErrorCode expected;
    } answers[] = {
        {OTF2_AttributeList_Delete(NULL), OTF2_SUCCESS},
        {OTF2_AttributeList_AddUint8(l, 3, 7), OTF2_ERROR_INVALID_ARGUMENT},
        {OTF2_AttributeList_AddUint8(NULL, 3, 7), OTF2_ERROR_INVALID_ARGUMENT},
        {OTF2_AttributeList_AddAttribute(l, OTF2_UNDEFINED_ATTRIBUTE, 1, v), OTF2_SUCCESS},
        {OTF2_AttributeList_GetUint8(l, 3, &u8), OTF2_SUCCESS},
        {OTF2_AttributeList_GetUint8(l, 99, &u8), OTF2_ERROR_INVALID_ARGUMENT},
        {OTF2_AttributeList_GetUint8(l, 4, &u8), OTF2_ERROR_INVALID_DATA},
        {OTF2_AttributeList_GetUint16(l, 3, &u16), OTF2_ERROR_INVALID_DATA},
        {OTF2_AttributeList_GetUint8(NULL, 3, &u8), OTF2_ERROR_INVALID_ARGUMENT},
        {OTF2_AttributeList_GetUint8(l, 3, NULL), OTF2_ERROR_INVALID_ARGUMENT},
        {OTF2_AttributeList_GetAttributeByID(l, 99, &t, &v), OTF2_ERROR_INVALID_ARGUMENT},
        {OTF2_AttributeList_GetAttributeByID(l, 3, NULL, &v), OTF2_ERROR_INVALID_ARGUMENT},
        {OTF2_AttributeList_GetAttributeByID(NULL, 3, &t, &v), OTF2_ERROR_INVALID_ARGUMENT},
        {OTF2_AttributeList_GetAttributeByIndex(l, 99, &r, &t, &v), OTF2_ERROR_INDEX_OUT_OF_BOUNDS},
        {OTF2_AttributeList_GetAttributeByIndex(l, 0, NULL, &t, &v), OTF2_ERROR_INVALID_ARGUMENT},
        {OTF2_AttributeList_GetAttributeByIndex(NULL, 0, &r, &t, &v), OTF2_ERROR_INVALID_ARGUMENT},
        {OTF2_AttributeList_RemoveAttribute(l, 1111), OTF2_ERROR_INVALID_ARGUMENT},
        {OTF2_AttributeList_RemoveAttribute(NULL, 3), OTF2_ERROR_INVALID_ARGUMENT},
        {OTF2_AttributeList_RemoveAllAttributes(NULL), OTF2_ERROR_INVALID_ARGUMENT},
        {OTF2_AttributeList_PopAttribute(NULL, &r, &t, &v), OTF2_ERROR_INVALID_ARGUMENT},
        {OTF2_AttributeList_PopAttribute(l, NULL, &t, &v), OTF2_ERROR_INVALID_ARGUMENT},
        {OTF2_AttributeList_RemoveAllAttributes(l), OTF2_SUCCESS},
        {OTF2_AttributeList_PopAttribute(l, &r, &t, &v), OTF2_ERROR_INVALID_ARGUMENT},
        {OTF2_AttributeList_GetAttributeByIndex(l, 0, &r, &t, &v), OTF2_ERROR_INDEX_OUT_OF_BOUNDS},
    };
    int failed = 0;
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        cr_assert_eq(answers[i].is, answers[i].expected, "answer %zu is %d", i, answers[i].is);
        failed += answers[i].expected != OTF2_SUCCESS;
    }
    cr_assert_eq(errors, failed, "each error is reported once");
    cr_assert_not(OTF2_AttributeList_TestAttributeByID(NULL, 3));
    cr_assert_eq(OTF2_AttributeList_GetNumberOfElements(NULL), 0);
    OTF2_AttributeList_Delete(l);
}

Test(format_values, lists_keep_their_order)
{
    enum { N = 100 };
    OTF2_AttributeList *l = OTF2_AttributeList_New();
    OTF2_AttributeValue v;
    OTF2_AttributeRef r;
    OTF2_Type t;
    for (uint32_t i = 0; i < N; i++)
        cr_assert_eq(OTF2_AttributeList_AddUint32(l, N - i, i), OTF2_SUCCESS);
    OTF2_AttributeList_RemoveAttribute(l, N - 1);
    cr_assert_eq(OTF2_AttributeList_GetNumberOfElements(l), N - 1);
    cr_assert_eq(OTF2_AttributeList_GetAttributeByIndex(l, 1, &r, &t, &v), OTF2_SUCCESS);
    cr_assert(r == N - 2 && t == OTF2_TYPE_UINT32 && v.uint32 == 2);
    cr_assert_eq(OTF2_AttributeList_PopAttribute(l, &r, &t, &v), OTF2_SUCCESS);
    cr_assert(r == N && v.uint32 == 0 && !OTF2_AttributeList_TestAttributeByID(l, N));
    OTF2_AttributeList_Delete(l);
}

/* Each typed door stores its value. */
Test(format_values, every_type_comes_back)
{
    OTF2_AttributeList *l = OTF2_AttributeList_New();
#define VALUE_TYPE(NAME, Name, c_type, member, wire, ref)                                          \
    {                                                                                              \
        c_type in = (c_type)-3, out = 0;                                                           \
        cr_assert_eq(OTF2_AttributeList_Add##Name(l, OTF2_TYPE_##NAME, in), OTF2_SUCCESS);         \
        cr_assert_eq(OTF2_AttributeList_Get##Name(l, OTF2_TYPE_##NAME, &out), OTF2_SUCCESS);       \
        cr_assert(memcmp(&in, &out, sizeof in) == 0, #NAME);                                       \
    }
#include <otf2/otf2_types.def>
#undef VALUE_TYPE
    OTF2_AttributeList_Delete(l);
}

Test(format_values, every_enumeration_is_a_value)
{
    OTF2_AttributeValue v = {.uint64 = UINT64_MAX};
    OTF2_Type t;
#define DOORS_CALLS(Name, c_type)
#define DOORS_RECORDED(Name, c_type)                                                               \
    {                                                                                              \
        OTF2_##Name out = 0;                                                                       \
        cr_assert_eq(OTF2_AttributeValue_Set##Name(200, &t, &v), OTF2_SUCCESS);                    \
        cr_assert_eq(t, sizeof out == 1 ? OTF2_TYPE_UINT8 : OTF2_TYPE_UINT32);                     \
        cr_assert_eq(OTF2_AttributeValue_Get##Name(t, v, &out), OTF2_SUCCESS);                     \
        cr_assert_eq(out, 200);                                                                    \
        cr_assert_eq(OTF2_AttributeValue_Get##Name(OTF2_TYPE_UINT64, v, &out),                     \
                     OTF2_ERROR_INVALID_ATTRIBUTE_TYPE);                                           \
        cr_assert_eq(OTF2_AttributeValue_Get##Name(t, v, NULL), OTF2_ERROR_INVALID_ARGUMENT);      \
        cr_assert_eq(OTF2_AttributeValue_Set##Name(1, NULL, &v), OTF2_ERROR_INVALID_ARGUMENT);     \
        cr_assert_eq(OTF2_AttributeValue_Set##Name(1, &t, NULL), OTF2_ERROR_INVALID_ARGUMENT);     \
    }
#define ENUM(Name, c_type, values, where, doc) DOORS_##where(Name, c_type)
#define VALUE(Name, CONSTANT, number, ...)
#define ALIAS(Name, CONSTANT, number)
#define ENUM_END(Name, c_type)
#include <otf2/otf2_enums.def>
#undef ENUM
#undef VALUE
#undef ALIAS
#undef ENUM_END
}

static void check_list_bytes(OTF2_AttributeList *list, const char *expected, size_t n)
{
    uint8_t bytes[4096];
    memset(bytes, 0xaa, sizeof bytes);
    uint64_t need = otf2_attributes_need(list);
    cr_assert_eq((size_t)(otf2_attributes_encode(bytes, list) - bytes), n);
    cr_assert_arr_eq(bytes, expected, n);
    cr_assert_leq(n, need);
    cr_assert_eq(bytes[need], 0xaa, "a byte behind the reserved ones");
}

Test(format_values, bytes_of_a_list)
{
    OTF2_AttributeList *l = OTF2_AttributeList_New();
    cr_assert_eq(otf2_attributes_need(l), 0);
    cr_assert_eq(otf2_attributes_need(NULL), 0);
    OTF2_AttributeList_AddUint8(l, 2, 200);
    check_list_bytes(l, "\6\6\1\1\1\2\1\xc8", 8);
    OTF2_AttributeList_AddInt16(l, 0, -2);
    OTF2_AttributeList_AddFloat(l, 300, 1.0f);
    OTF2_AttributeList_AddInt32(l, 4, -1);
    OTF2_AttributeList_AddStringRef(l, 5, OTF2_UNDEFINED_STRING);
    check_list_bytes(l,
                     "\6\x1e\1\5\1\2\1\xc8\0\6\xfe\xff\2\x2c\1\x9\0\0\x80\x3f"
                     "\1\4\7\4\xff\xff\xff\xff\1\5\xb\xff",
                     32);
    OTF2_AttributeList_Delete(l);
}

Test(format_values, long_lists_have_a_long_length)
{
    OTF2_AttributeList *l = OTF2_AttributeList_New();
    uint8_t bytes[4096];
    for (uint32_t i = 0; i < 17; i++) {
        cr_assert_eq(otf2_attributes_need(l), i ? 1 + 1 + 15 * i + 5 : 0);
        OTF2_AttributeList_AddUint64(l, i, UINT64_MAX - 1);
    }
    cr_assert_eq(otf2_attributes_need(l), 1 + 9 + 15 * 17 + 5);
    otf2_attributes_encode(bytes, l);
    cr_assert_eq(bytes[1], 0xff);
    OTF2_AttributeList_Delete(l);
}

Test(format_values, lists_are_decoded_or_rejected)
{
    OTF2_AttributeList *in = OTF2_AttributeList_New();
    OTF2_AttributeList *out = OTF2_AttributeList_New();
    uint8_t bytes[4096];
    for (uint32_t i = 0; i < 30; i++) {
        OTF2_AttributeValue v = {.uint64 = 0};
        v.uint8 = (uint8_t)(i + 1);
        OTF2_AttributeList_AddAttribute(in, 1000 * i, (OTF2_Type)i, v);
    }
    uint8_t *end = otf2_attributes_encode(bytes, in);
    struct otf2_wire_source s = {bytes + 10, end, false};
    cr_assert_eq(otf2_attributes_decode(&s, out), OTF2_SUCCESS);
    cr_assert_eq(s.at, end);
    cr_assert_eq(out->n, in->n);
    for (uint32_t i = 0; i < in->n; i++) {
        struct otf2_attribute was = otf2_attributes_at(in, i);
        cr_assert(out->entries[i].attribute == was.attribute && out->entries[i].type == was.type &&
                  out->entries[i].value.uint64 == was.value.uint64);
    }
    for (const uint8_t *cut = bytes + 10; cut < end; cut++) {
        s = (struct otf2_wire_source){bytes + 10, cut, false};
        cr_assert_neq(otf2_attributes_decode(&s, out), OTF2_SUCCESS);
    }
    static const uint8_t twice[] = {1, 2, 1, 5, 1, 0, 1, 5, 1, 0};
    static const uint8_t huge[] = {4, 0xfe, 0xff, 0xff, 0xff, 0, 0, 0};
    s = (struct otf2_wire_source){twice, twice + sizeof twice, false};
    cr_assert_eq(otf2_attributes_decode(&s, out), OTF2_ERROR_INVALID_DATA);
    s = (struct otf2_wire_source){huge, huge + sizeof huge, false};
    cr_assert_eq(otf2_attributes_decode(&s, out), OTF2_ERROR_INVALID_DATA);
    OTF2_AttributeList_Delete(in);
    OTF2_AttributeList_Delete(out);
}

/*
 * In any order, and with a repeated attribute; so many that a search for each would take for ever.
 */
Test(format_values, long_lists_are_decoded_or_rejected, .timeout = 60)
{
    enum { MOST = 300000, ENTRY = 8 };
    uint8_t *bytes = malloc(ENTRY * MOST + 5);
    cr_assert(bytes);
    static const uint32_t lengths[] = {2, 32, 33, 1000, MOST};
    static const uint32_t factors[] = {1, 2654435761, UINT32_MAX, 65536 + 256};
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0] * 8; k++) {
        const uint32_t n = lengths[k / 8];
        const bool has_twice = k & 1;
        uint8_t *p = otf2_wire_put_tight(bytes, OTF2_WIRE_VAR32, n);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t one = has_twice && i == n - 1 ? n / 3 : i;
            p = otf2_wire_put_tight(p, OTF2_WIRE_VAR32, factors[k / 2 % 4] * one);
            *p++ = OTF2_TYPE_UINT8;
            *p++ = (uint8_t)i;
        }
        OTF2_AttributeList *list = OTF2_AttributeList_New();
        struct otf2_wire_source s = {bytes, p, false};
        cr_assert_eq(otf2_attributes_decode(&s, list),
                     has_twice ? OTF2_ERROR_INVALID_DATA : OTF2_SUCCESS, "%u, %zu", n, k);
        for (uint32_t i = 0; i < n && !has_twice; i++)
            cr_assert(list->entries[i].attribute == factors[k / 2 % 4] * i &&
                      list->entries[i].value.uint8 == (uint8_t)i);
        OTF2_AttributeList_Delete(list);
    }
    free(bytes);
}

static const uint64_t edges[] = {0,
                                 1,
                                 0x7f,
                                 0xff,
                                 0x100,
                                 0xffff,
                                 0x7fffffff,
                                 0x80000000,
                                 UINT32_MAX,
                                 UINT64_MAX,
                                 (uint64_t)1 << 63,
                                 ((uint64_t)1 << 63) - 1};
enum { EDGES = sizeof edges / sizeof edges[0] };

/* Adds value v as an entry of the k-th type, by the function of the type. */
static void add_typed(OTF2_AttributeList *list, OTF2_AttributeRef attribute, unsigned k, uint64_t v)
{
    OTF2_AttributeValue value = {.uint64 = v};
    unsigned i = 0;
#define VALUE_TYPE(NAME, Name, c_type, member, wire, ref)                                          \
    if (i++ == k)                                                                                  \
        cr_assert_eq(OTF2_AttributeList_Add##Name(list, attribute, value.member), OTF2_SUCCESS);
#include <otf2/otf2_types.def>
#undef VALUE_TYPE
}

/* The same as a value of any type, narrowed as the type is. */
static void add_any(OTF2_AttributeList *list, OTF2_AttributeRef attribute, unsigned k, uint64_t v)
{
    OTF2_AttributeValue wide = {.uint64 = v};
    OTF2_AttributeValue value = {.uint64 = 0};
    unsigned i = 0;
#define VALUE_TYPE(NAME, Name, c_type, member, wire, ref)                                          \
    if (i++ == k) {                                                                                \
        value.member = wide.member;                                                                \
        cr_assert_eq(OTF2_AttributeList_AddAttribute(list, attribute, OTF2_TYPE_##NAME, value),    \
                     OTF2_SUCCESS);                                                                \
    }
#include <otf2/otf2_types.def>
#undef VALUE_TYPE
}

static void compare_lists(OTF2_AttributeList *typed, OTF2_AttributeList *any)
{
    /* Exactly the reserved size: a sanitizer sees a byte too many. */
    size_t need = otf2_attributes_need(any);
    uint8_t *a = malloc(need ? need : 1);
    uint8_t *b = malloc(need ? need : 1);
    size_t n = (size_t)(otf2_attributes_put(a, typed) - a);
    cr_assert_eq(otf2_attributes_need(typed), need);
    cr_assert_eq((size_t)(otf2_attributes_put(b, any) - b), n);
    cr_assert_arr_eq(a, b, n);
    cr_assert_eq((size_t)(otf2_attributes_encode(b, typed) - b), n);
    cr_assert_arr_eq(a, b, n);
    for (uint32_t i = 0; i < any->n; i++) {
        struct otf2_attribute is = otf2_attributes_at(typed, i);
        struct otf2_attribute other = otf2_attributes_at(any, i);
        cr_assert(is.attribute == other.attribute && is.type == other.type);
        cr_assert_eq(is.value.uint64, other.value.uint64);
        cr_assert(OTF2_AttributeList_TestAttributeByID(typed, other.attribute));
    }
    free(a);
    free(b);
}

Test(format_values, lists_mean_the_same_in_both_forms)
{
    enum { ROUNDS = 3000, TYPES = 25 };
    OTF2_AttributeList *typed = OTF2_AttributeList_New();
    OTF2_AttributeList *any = OTF2_AttributeList_New();
    uint32_t random = 1;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned n = 1 + round % 40;
        for (unsigned i = 0; i < n; i++) {
            random = random * 1664525 + 1013904223;
            /* Numbers that are equal modulo 64 now and then, and numbers that are not short. */
            OTF2_AttributeRef attribute = i % 7 == 3 ? UINT32_MAX - i : 63 * i;
            uint64_t v = edges[(random >> 8) % EDGES];
            add_typed(typed, attribute, (random >> 16) % TYPES, v);
            add_any(any, attribute, (random >> 16) % TYPES, v);
            cr_assert_neq(OTF2_AttributeList_AddUint32(typed, attribute, 1), OTF2_SUCCESS);
        }
        compare_lists(typed, any);
        if (n > 2 && round % 3 == 0) {
            cr_assert_eq(OTF2_AttributeList_RemoveAttribute(typed, 63), OTF2_SUCCESS);
            cr_assert_eq(OTF2_AttributeList_RemoveAttribute(any, 63), OTF2_SUCCESS);
            compare_lists(typed, any);
        }
        OTF2_AttributeList_RemoveAllAttributes(typed);
        OTF2_AttributeList_RemoveAllAttributes(any);
        cr_assert_eq(otf2_attributes_need(typed), 0);
    }
    OTF2_AttributeList_Delete(typed);
    OTF2_AttributeList_Delete(any);
}
