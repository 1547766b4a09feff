/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attribute lists as bytes, and typed values. A list may be used by one thread at a time.
 *
 * The record in an event file is the id byte 6, a length field, the number of entries, and for each
 * entry the attribute, the type and the value. The record belongs to the event behind the record.
 */
#ifndef FORMAT_ATTRIBUTES_H
#define FORMAT_ATTRIBUTES_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/OTF2_AttributeList.h>

#include "format/frame.h"
#include "format/wire.h"

struct otf2_attribute {
    OTF2_AttributeRef attribute;
    OTF2_Type type;
    OTF2_AttributeValue value;
};

/*
 * Values added by the program one by one are kept as the bytes of the record, ready for writing. A
 * list is kept as entries if the list was read, or if an unusual value was added.
 */
struct OTF2_AttributeList_struct {
    struct otf2_attribute *entries; /* in the order of insertion, when room is 0 */
    uint32_t n;
    uint32_t capacity; /* of both forms */
    uint32_t room;     /* capacity while the list is kept as bytes, else 0 */
    uint8_t *bytes;
    uint8_t *end;
    uint64_t seen; /* bit i: there may be an attribute whose remainder by 64 is i */
};

/* The estimate of the list without id and length field; decides the form of the length field. */
static inline uint64_t otf2_attributes_estimate(const OTF2_AttributeList *list)
{
    return UINT64_C(15) * list->n + 5;
}

/* Bytes to reserve for the whole record; 0 for NULL and the empty list, which are not written. */
static inline uint64_t otf2_attributes_need(const OTF2_AttributeList *list)
{
    if (!list || !list->n)
        return 0;
    uint64_t estimate = otf2_attributes_estimate(list);
    return 1 + otf2_wire_length_bytes(estimate) + estimate;
}

/* Removes all attributes. */
static inline void otf2_attributes_clear(OTF2_AttributeList *list)
{
    list->n = 0;
    list->room = list->capacity;
    list->end = list->bytes;
    list->seen = 0;
}

/* Entry i < n. */
struct otf2_attribute otf2_attributes_at(const OTF2_AttributeList *list, uint32_t i);

/* Room for n entries in both forms; the present list must be kept as entries. False: no memory. */
bool otf2_attributes_make_room(OTF2_AttributeList *list, uint32_t n);

/*
 * Writes the whole record, and returns the record's end; the list must not be empty and stays
 * unchanged. Touches at most otf2_attributes_need() bytes.
 */
uint8_t *otf2_attributes_encode(uint8_t *p, const OTF2_AttributeList *list);

/*
 * The same, in the few instructions of the common case: bytes that are ready, and short forms of
 * length and count. Whole words are copied. The last word may reach behind the list, but only with
 * one or two entries, and then the word's bytes are inside the reserved room.
 */
static inline uint8_t *otf2_attributes_put(uint8_t *p, const OTF2_AttributeList *list)
{
    enum { SHORT = 16 }; /* entries */
    if (__builtin_expect(!list->room || list->n > SHORT, 0))
        return otf2_attributes_encode(p, list);
    size_t n = (size_t)(list->end - list->bytes);
    uint64_t word;
    p[0] = OTF2_FRAME_ATTRIBUTES;
    p[1] = (uint8_t)(n + 2);
    p[2] = 1;
    p[3] = (uint8_t)list->n;
    p += 4;
    for (size_t at = 0; at + sizeof word < n; at += sizeof word) {
        memcpy(&word, list->bytes + at, sizeof word);
        memcpy(p + at, &word, sizeof word);
    }
    size_t last = n < sizeof word ? 0 : n - sizeof word;
    memcpy(&word, list->bytes + last, sizeof word);
    memcpy(p + last, &word, sizeof word);
    return p + n;
}

/*
 * Replaces the list by the list of a record, kept as entries. The record's length field is read
 * already: the source holds the entries and nothing else.
 *   OTF2_ERROR_INVALID_DATA      the bytes do not form a list, or have an attribute twice.
 *   OTF2_ERROR_MEM_ALLOC_FAILED
 *
 * Nothing is reported; the caller knows the file and the place.
 */
OTF2_ErrorCode otf2_attributes_decode(struct otf2_wire_source *s, OTF2_AttributeList *list);

/*
 * The same for a whole record of a short length in the byte order of the host, the least
 * significant byte first, without checks: OTF2_ATTRIBUTES_SHORT bytes from the id byte on must be
 * readable. Returns the record's end, or NULL for a list that is in any way unusual; an unusual
 * list may well be right.
 */
enum { OTF2_ATTRIBUTES_SHORT = 264 };
const uint8_t *otf2_attributes_decode_short(const uint8_t *p, OTF2_AttributeList *list);

/* The encoding of a type; VAR64 of the union for types without a row in otf2_types.def. */
enum otf2_wire otf2_value_wire(OTF2_Type type);

/* Writes a typed value without its type. At most 9 bytes, no byte touched behind the result. */
uint8_t *otf2_value_encode(uint8_t *p, OTF2_Type type, OTF2_AttributeValue value);

/* Reads a typed value; the rest of the union is zero. False when the value is cut or malformed. */
bool otf2_value_decode(struct otf2_wire_source *s, OTF2_Type type, OTF2_AttributeValue *value);

#endif
