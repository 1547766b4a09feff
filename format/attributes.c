/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/attributes.h"

#include "format/error.h"
#include "format/memory.h"
#include "format/value_form.h"

static const char no_list[] = "no attribute list";

OTF2_AttributeList *OTF2_AttributeList_New(void)
{
    OTF2_AttributeList *list = otf2_mem_new(sizeof *list);
    if (!list)
        OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for an attribute list");
    return list;
}

OTF2_ErrorCode OTF2_AttributeList_Delete(OTF2_AttributeList *attributeList)
{
    if (attributeList)
        otf2_mem_free(attributeList->entries);
    otf2_mem_free(attributeList);
    return OTF2_SUCCESS;
}

/* ---- values ---- */

/*
 * The masks of a form stand here, so the form is a constant if the type is a constant, see add().
 */
#define FORM_MASK(c_type) (UINT64_MAX >> (64 - 8 * sizeof(c_type)))
#define FORM_RAW(wire)                                                                             \
    ((wire) >= OTF2_WIRE_VAR32 && (wire) <= OTF2_WIRE_IVAR64 ? 0 : OTF2_WIRE_MAX(wire))
#define FORM_SPECIAL(wire)                                                                         \
    (FORM_RAW(wire) ? 0 : (wire) == OTF2_WIRE_VAR32 ? UINT32_MAX : UINT64_C(1) << 63)
#define FORM(c_type, wire)                                                                         \
    {                                                                                              \
        FORM_MASK(c_type), FORM_SPECIAL(wire), wire, FORM_RAW(wire),                               \
            (wire) != OTF2_WIRE_VAR32 && (wire) != OTF2_WIRE_VAR64                                 \
    }

const struct otf2_value_form otf2_value_forms[] = {
    [OTF2_TYPE_NONE] = FORM(OTF2_AttributeValue, OTF2_WIRE_VAR64),
#define VALUE_TYPE(NAME, Name, c_type, member, wire, ref)                                          \
    [OTF2_TYPE_##NAME] = FORM(c_type, OTF2_WIRE_##wire),
#include <otf2/otf2_types.def>
#undef VALUE_TYPE
};

enum otf2_wire otf2_value_wire(OTF2_Type type)
{
    return (enum otf2_wire)otf2_value_form_of(type)->wire;
}

uint8_t *otf2_value_encode(uint8_t *p, OTF2_Type type, OTF2_AttributeValue value)
{
    const struct otf2_value_form *form = otf2_value_form_of(type);
    return otf2_wire_put_tight(p, (enum otf2_wire)form->wire, otf2_value_bits(value, form));
}

bool otf2_value_decode(struct otf2_wire_source *s, OTF2_Type type, OTF2_AttributeValue *value)
{
    const struct otf2_value_form *form = otf2_value_form_of(type);
    uint64_t v;
    if (!otf2_wire_get(s, (enum otf2_wire)form->wire, &v))
        return false;
    *value = otf2_value_of(v, form);
    return true;
}

/*
 * Writes the number of bytes, then the bytes, for numbers without the highest bit: the double of
 * the number exists.
 */
static inline uint8_t *put_counted(uint8_t *p, uint64_t v)
{
    unsigned bytes = ((unsigned)(63 ^ __builtin_clzll(2 * v + 1)) + 7) / 8;
    v = otf2_wire_left(v, bytes);
    *p = (uint8_t)bytes;
    memcpy(p + 1, &v, sizeof v);
    return p + 1 + bytes;
}

/* ---- both forms ---- */

/* Reads the entry at *p of a list kept as bytes. */
static struct otf2_attribute unpack(const OTF2_AttributeList *list, const uint8_t **p)
{
    struct otf2_wire_source s = {*p, list->end, false};
    struct otf2_attribute entry = {0};
    uint64_t attribute = 0;
    uint64_t type = 0;
    otf2_wire_get(&s, OTF2_WIRE_VAR32, &attribute);
    otf2_wire_get(&s, OTF2_WIRE_U8, &type);
    entry.attribute = (OTF2_AttributeRef)attribute;
    entry.type = (OTF2_Type)type;
    otf2_value_decode(&s, entry.type, &entry.value);
    *p = s.at;
    return entry;
}

struct otf2_attribute otf2_attributes_at(const OTF2_AttributeList *list, uint32_t i)
{
    if (!list->room)
        return list->entries[i];
    const uint8_t *p = list->bytes;
    struct otf2_attribute entry;
    do
        entry = unpack(list, &p);
    while (i--);
    return entry;
}

/*
 * The index of an attribute, n when the attribute is missing; *entry is the attribute's entry.
 * Lists are short: a search from end to end beats any index.
 */
static uint32_t find(const OTF2_AttributeList *list, OTF2_AttributeRef attribute,
                     struct otf2_attribute *entry)
{
    const uint8_t *p = list->bytes;
    for (uint32_t i = 0; i < list->n; i++) {
        *entry = list->room ? unpack(list, &p) : list->entries[i];
        if (entry->attribute == attribute)
            return i;
    }
    return list->n;
}

static bool has(const OTF2_AttributeList *list, OTF2_AttributeRef attribute)
{
    struct otf2_attribute entry;
    return find(list, attribute, &entry) < list->n;
}

/* Keeps the list as entries from now on. */
static void loosen(OTF2_AttributeList *list)
{
    const uint8_t *p = list->bytes;
    for (uint32_t i = 0; i < list->n && list->room; i++)
        list->entries[i] = unpack(list, &p);
    list->room = 0;
}

bool otf2_attributes_make_room(OTF2_AttributeList *list, uint32_t n)
{
    enum { FIRST = 8, BYTES = 15, WORD = 8 }; /* an entry, and bytes stored behind the last */
    if (n <= list->capacity)
        return true;
    uint64_t capacity = list->capacity ? list->capacity : FIRST;
    while (capacity < n)
        capacity *= 2;
    if (capacity > UINT32_MAX)
        return false;
    struct otf2_attribute *entries =
        otf2_mem_new((size_t)capacity * (sizeof *entries + BYTES) + WORD);
    if (!entries)
        return false;
    if (list->n)
        memcpy(entries, list->entries, list->n * sizeof *entries);
    otf2_mem_free(list->entries);
    list->entries = entries;
    list->bytes = (uint8_t *)(entries + capacity);
    list->capacity = (uint32_t)capacity;
    return true;
}

/* ---- adding ---- */

/* Adds in all but the common case. The function lies apart, so the common case needs no frame. */
static __attribute__((noinline)) OTF2_ErrorCode add_rare(OTF2_AttributeList *list,
                                                         OTF2_AttributeRef attribute,
                                                         OTF2_Type type, OTF2_AttributeValue value)
{
    if (!list)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_list);
    if (has(list, attribute))
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "the list has attribute %u already",
                          attribute);
    loosen(list);
    if (list->n == list->capacity && !otf2_attributes_make_room(list, list->n + 1))
        return OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for one more attribute");
    list->entries[list->n++] = (struct otf2_attribute){attribute, type, value};
    return OTF2_SUCCESS;
}

/*
 * A narrow number of up to 31 bits, or another number of up to 63 bits, is written as a number of
 * bytes and the bytes.
 */
static inline bool is_counted(enum otf2_wire wire, uint64_t v)
{
    return v >> (otf2_wire_is_narrow(wire) ? 31 : 63) == 0;
}

/* Straight-line code for each type: `type` and `wire` are constants. */
static inline __attribute__((always_inline)) OTF2_ErrorCode add(OTF2_AttributeList *list,
                                                                OTF2_AttributeRef attribute,
                                                                OTF2_Type type, enum otf2_wire wire,
                                                                OTF2_AttributeValue value)
{
    const unsigned raw = otf2_wire_raw_bytes(wire);
    const uint64_t v = otf2_value_bits(value, otf2_value_form_of(type));
    if (__builtin_expect(!list || list->n >= list->room || list->seen >> attribute % 64 & 1 ||
                             !is_counted(OTF2_WIRE_VAR32, attribute) ||
                             (!raw && !is_counted(wire, v)),
                         0))
        return add_rare(list, attribute, type, value);
    uint8_t *p = put_counted(list->end, attribute);
    *p++ = type;
    if (raw) {
        uint64_t left = otf2_wire_left(v, raw);
        memcpy(p, &left, sizeof left);
        p += raw;
    } else {
        p = put_counted(p, v);
    }
    list->end = p;
    list->seen |= UINT64_C(1) << attribute % 64;
    list->n++;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_AttributeList_AddAttribute(OTF2_AttributeList *attributeList,
                                               OTF2_AttributeRef attribute, OTF2_Type type,
                                               OTF2_AttributeValue attributeValue)
{
    return add_rare(attributeList, attribute, type, attributeValue);
}

OTF2_ErrorCode OTF2_AttributeList_GetAttributeByID(const OTF2_AttributeList *attributeList,
                                                   OTF2_AttributeRef attribute, OTF2_Type *type,
                                                   OTF2_AttributeValue *attributeValue)
{
    if (!attributeList || !type || !attributeValue)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no attribute list or no place to store");
    struct otf2_attribute entry;
    if (find(attributeList, attribute, &entry) == attributeList->n)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "the list has no attribute %u", attribute);
    *type = entry.type;
    *attributeValue = entry.value;
    return OTF2_SUCCESS;
}

/* The entry that must have this type; errors are reported for `function`. */
static OTF2_ErrorCode get_typed(const char *function, const OTF2_AttributeList *list,
                                OTF2_AttributeRef attribute, OTF2_Type wanted,
                                struct otf2_attribute *entry)
{
    if (!list || find(list, attribute, entry) == list->n)
        return otf2_error(OTF2_ERROR_INVALID_ARGUMENT, __FILE__, __LINE__, function,
                          "no attribute list, or none with attribute %u", attribute);
    if (entry->type != wanted)
        return otf2_error(OTF2_ERROR_INVALID_DATA, __FILE__, __LINE__, function,
                          "attribute %u has type %u, not %u", attribute, entry->type, wanted);
    return OTF2_SUCCESS;
}

#define VALUE_TYPE(NAME, Name, c_type, member, wire, ref)                                          \
    OTF2_ErrorCode OTF2_AttributeList_Add##Name(OTF2_AttributeList *attributeList,                 \
                                                OTF2_AttributeRef attribute, c_type value)         \
    {                                                                                              \
        OTF2_AttributeValue any = {.uint64 = 0};                                                   \
        any.member = value;                                                                        \
        return add(attributeList, attribute, OTF2_TYPE_##NAME, OTF2_WIRE_##wire, any);             \
    }                                                                                              \
    OTF2_ErrorCode OTF2_AttributeList_Get##Name(const OTF2_AttributeList *attributeList,           \
                                                OTF2_AttributeRef attribute, c_type *value)        \
    {                                                                                              \
        struct otf2_attribute entry;                                                               \
        if (!value)                                                                                \
            return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no place to store");                   \
        OTF2_ErrorCode error =                                                                     \
            get_typed(__func__, attributeList, attribute, OTF2_TYPE_##NAME, &entry);               \
        if (!error)                                                                                \
            *value = entry.value.member;                                                           \
        return error;                                                                              \
    }
#include <otf2/otf2_types.def>
#undef VALUE_TYPE

static void remove_at(OTF2_AttributeList *list, uint32_t i)
{
    loosen(list);
    list->n--;
    memmove(list->entries + i, list->entries + i + 1, (list->n - i) * sizeof *list->entries);
}

OTF2_ErrorCode OTF2_AttributeList_RemoveAttribute(OTF2_AttributeList *attributeList,
                                                  OTF2_AttributeRef attribute)
{
    if (!attributeList)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_list);
    struct otf2_attribute entry;
    uint32_t i = find(attributeList, attribute, &entry);
    if (i == attributeList->n)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "the list has no attribute %u", attribute);
    remove_at(attributeList, i);
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_AttributeList_RemoveAllAttributes(OTF2_AttributeList *attributeList)
{
    if (!attributeList)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_list);
    otf2_attributes_clear(attributeList);
    return OTF2_SUCCESS;
}

bool OTF2_AttributeList_TestAttributeByID(const OTF2_AttributeList *attributeList,
                                          OTF2_AttributeRef attribute)
{
    return attributeList && has(attributeList, attribute);
}

OTF2_ErrorCode OTF2_AttributeList_GetAttributeByIndex(const OTF2_AttributeList *attributeList,
                                                      uint32_t index, OTF2_AttributeRef *attribute,
                                                      OTF2_Type *type,
                                                      OTF2_AttributeValue *attributeValue)
{
    if (!attributeList || !attribute || !type || !attributeValue)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no attribute list or no place to store");
    if (index >= attributeList->n)
        return OTF2_ERROR(OTF2_ERROR_INDEX_OUT_OF_BOUNDS, "the list has %u attributes",
                          attributeList->n);
    struct otf2_attribute entry = otf2_attributes_at(attributeList, index);
    *attribute = entry.attribute;
    *type = entry.type;
    *attributeValue = entry.value;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_AttributeList_PopAttribute(OTF2_AttributeList *attributeList,
                                               OTF2_AttributeRef *attribute, OTF2_Type *type,
                                               OTF2_AttributeValue *attributeValue)
{
    if (!attributeList || !attribute || !type || !attributeValue || !attributeList->n)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no attribute or no place to store");
    struct otf2_attribute entry = otf2_attributes_at(attributeList, 0);
    *attribute = entry.attribute;
    *type = entry.type;
    *attributeValue = entry.value;
    remove_at(attributeList, 0);
    return OTF2_SUCCESS;
}

uint32_t OTF2_AttributeList_GetNumberOfElements(const OTF2_AttributeList *attributeList)
{
    if (!attributeList) {
        OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_list);
        return 0;
    }
    return attributeList->n;
}

/* ---- the record ---- */

/*
 * Writes an entry. There are 15 bytes of room: whole words are stored, and the rest of a word
 * behind a value is inside of the room. otf2_wire_put does the same, but the events' attributes are
 * written often enough to look at a type only once.
 */
static inline uint8_t *put_entry(uint8_t *p, const struct otf2_attribute *entry)
{
    const struct otf2_value_form *form = otf2_value_form_of(entry->type);
    uint64_t v = otf2_value_bits(entry->value, form);
    if (__builtin_expect(entry->attribute == UINT32_MAX, 0))
        *p++ = OTF2_WIRE_UNDEFINED;
    else
        p = put_counted(p, entry->attribute);
    *p++ = entry->type;
    if (v < form->special)
        return put_counted(p, v);
    unsigned bytes = form->raw_bytes;
    if (!bytes) {
        bool is_short = v == form->mask && !form->no_short;
        bytes = is_short ? 0 : sizeof v;
        *p++ = is_short ? OTF2_WIRE_UNDEFINED : sizeof v;
    }
    v = otf2_wire_left(v, bytes);
    memcpy(p, &v, sizeof v);
    return p + bytes;
}

/* Written out for each width of the length field: so the width is a constant. */
static inline __attribute__((always_inline)) uint8_t *
put_list(uint8_t *p, const OTF2_AttributeList *list, unsigned field)
{
    *p = OTF2_FRAME_ATTRIBUTES;
    uint8_t *begin = p + 1 + field;
    p = put_counted(begin, list->n);
    if (list->room) {
        size_t n = (size_t)(list->end - list->bytes);
        memcpy(p, list->bytes, n);
        p += n;
    } else {
        for (uint32_t i = 0; i < list->n; i++)
            p = put_entry(p, &list->entries[i]);
    }
    otf2_wire_set_length(begin, field, (uint64_t)(p - begin));
    return p;
}

uint8_t *otf2_attributes_encode(uint8_t *p, const OTF2_AttributeList *list)
{
    unsigned field = otf2_wire_length_bytes(otf2_attributes_estimate(list));
    return __builtin_expect(field == 1, 1) ? put_list(p, list, 1) : put_list(p, list, field);
}
