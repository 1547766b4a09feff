/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/attributes.h"
#include "format/value_form.h"

/* Sorts n numbers by one of their bytes, and keeps the order of numbers with equal bytes. */
static void sort_by_byte(const uint32_t *from, uint32_t *to, uint32_t n, unsigned shift)
{
    uint32_t at[257] = {0};
    for (uint32_t i = 0; i < n; i++)
        at[(from[i] >> shift & 0xff) + 1]++;
    for (unsigned i = 1; i < 256; i++)
        at[i] += at[i - 1];
    for (uint32_t i = 0; i < n; i++)
        to[at[from[i] >> shift & 0xff]++] = from[i];
}

/* The numbers are sorted in the other half of the list's memory, unused by entries. */
static bool are_different_when_sorted(OTF2_AttributeList *list)
{
    const uint32_t n = list->n;
    uint32_t *numbers = (void *)list->bytes;
    uint32_t *others = numbers + n;
    for (uint32_t i = 0; i < n; i++)
        numbers[i] = list->entries[i].attribute;
    for (unsigned shift = 0; shift < 32; shift += 16) {
        sort_by_byte(numbers, others, n, shift);
        sort_by_byte(others, numbers, n, shift + 8);
    }
    for (uint32_t i = 1; i < n; i++)
        if (numbers[i - 1] == numbers[i])
            return false;
    return true;
}

/* Are all attributes different? Most lists ascend, or are short; a file may have any list. */
static bool are_different(OTF2_AttributeList *list)
{
    enum { SHORT = 32 };
    const struct otf2_attribute *entries = list->entries;
    uint32_t i = 1;
    while (i < list->n && entries[i - 1].attribute < entries[i].attribute)
        i++;
    if (i < list->n && list->n > SHORT)
        return are_different_when_sorted(list);
    for (; i < list->n; i++)
        for (uint32_t j = 0; j < i; j++)
            if (entries[i].attribute == entries[j].attribute)
                return false;
    return true;
}

OTF2_ErrorCode otf2_attributes_decode(struct otf2_wire_source *s, OTF2_AttributeList *list)
{
    enum { LEAST = 3 }; /* bytes of an entry */
    uint64_t n;
    list->n = 0;
    list->room = 0;
    if (!otf2_wire_get(s, OTF2_WIRE_VAR32, &n) || n > otf2_wire_left_over(s) / LEAST)
        return OTF2_ERROR_INVALID_DATA;
    if (!otf2_attributes_make_room(list, (uint32_t)n))
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t attribute;
        uint64_t type;
        struct otf2_attribute *entry = &list->entries[i];
        if (!otf2_wire_get(s, OTF2_WIRE_VAR32, &attribute) ||
            !otf2_wire_get(s, OTF2_WIRE_U8, &type) ||
            !otf2_value_decode(s, (OTF2_Type)type, &entry->value))
            return OTF2_ERROR_INVALID_DATA;
        entry->attribute = (OTF2_AttributeRef)attribute;
        entry->type = (OTF2_Type)type;
        list->n++;
    }
    return are_different(list) ? OTF2_SUCCESS : OTF2_ERROR_INVALID_DATA;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static const uint64_t masks[9] = {0,          0xff,         0xffff,         0xffffff,
                                  0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff,
                                  UINT64_MAX};
#endif

/*
 * A value of up to `most` bytes behind the number of bytes, or UNDEFINED. *is_value is false for
 * anything else.
 */
static inline uint64_t get_counted(const uint8_t **p, unsigned most, bool *is_value)
{
    const uint8_t *at = *p;
    unsigned bytes = *at++;
    uint64_t v;
    if (__builtin_expect(bytes > most, 0)) {
        *is_value &= bytes == OTF2_WIRE_UNDEFINED;
        *p = at;
        return UINT64_MAX;
    }
    memcpy(&v, at, sizeof v);
    *p = at + bytes;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return v & masks[bytes];
#else
    return otf2_wire_right(v, bytes);
#endif
}

/* An entry has at most 15 bytes, so 16 entries are within the bound. */
const uint8_t *otf2_attributes_decode_short(const uint8_t *p, OTF2_AttributeList *list)
{
    enum { MOST = 16, WIDE = 8, NARROW = 4 };
    const unsigned length = p[1];
    const unsigned n = p[3];
    const uint8_t *begin = p + 2;
    uint64_t seen = 0;
    bool is_fine = length != OTF2_WIRE_LONG && p[2] == 1 && n <= MOST && n <= list->capacity;
    p += 4;
    list->n = 0;
    list->room = 0;
    for (unsigned i = 0; is_fine && i < n; i++) {
        struct otf2_attribute *entry = &list->entries[i];
        entry->attribute = (OTF2_AttributeRef)get_counted(&p, NARROW, &is_fine);
        entry->type = *p++;
        const struct otf2_value_form *form = otf2_value_form_of(entry->type);
        uint64_t v;
        if (form->raw_bytes) {
            memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
            v = otf2_wire_right(v, form->raw_bytes);
#endif
            p += form->raw_bytes;
        } else {
            v = get_counted(&p, otf2_wire_is_narrow(form->wire) ? NARROW : WIDE, &is_fine);
        }
        entry->value = otf2_value_of(v, form);
        /*
         * Two attributes may share a bit; then only a closer look can show that all attributes
         * differ.
         */
        uint64_t bit = UINT64_C(1) << entry->attribute % 64;
        is_fine &= !(seen & bit);
        seen |= bit;
    }
    if (!is_fine || p != begin + length)
        return NULL;
    list->n = n;
    return p;
}
