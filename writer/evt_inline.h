/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The event writer's hot path: one inline function per event record, straight-line code from
 * otf2_events.def.
 *
 *     OTF2_ErrorCode otf2_evt_put_MpiSend(struct otf2_evt_cursor *c,
 *                                         OTF2_AttributeList *attributes, OTF2_TimeStamp time,
 *                                         uint32_t receiver, OTF2_CommRef communicator, ...);
 *
 * `attributes` may be NULL; a list that was written is empty afterwards. Times of a cursor never
 * decrease. Errors are those of OTF2_EvtWriter_*, which are these functions plus a check of the
 * handle; nothing is written then. One thread at a time uses a cursor.
 *
 * This is the only header of writer/ that agent/ may include.
 */
#ifndef WRITER_EVT_INLINE_H
#define WRITER_EVT_INLINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <otf2/otf2.h>
#include <otf2x/otf2x.h>

#include "format/record.h"

/*
 * The state of an event writer that changes with each record. It may lie in memory shared with
 * another process (OTF2X_EvtWriter_SetCursor): `pos` is stored last, with release order, when a
 * record is whole, so that after the death of the writing process everything in [chunk, pos) is
 * complete. While the writer moves on to another chunk `pos` is NULL: then all chunks of the
 * location are sealed. `time` and `events` may be one record ahead of `pos`.
 */
struct otf2_evt_cursor {
    uint8_t *pos;           /* end of the complete records, NULL before the first */
    uint8_t *end;           /* end of the chunk */
    uint8_t *chunk;         /* start of the chunk (its 18-byte header), NULL before the first */
    OTF2_TimeStamp time;    /* last timestamp written; 0 at the start */
    uint64_t events;        /* records of this location so far, those of earlier chunks included */
    OTF2_EvtWriter *writer; /* whose it is; meaningless to another process */
};

/*
 * Everything but the common case: no chunk yet or no room for `need` bytes, an attribute list, a
 * time that is zero or runs backwards. Leaves *p where the record's id byte goes.
 */
OTF2_ErrorCode otf2_evt_prepare(struct otf2_evt_cursor *c, OTF2_AttributeList *attributes,
                                OTF2_TimeStamp time, uint64_t need, uint8_t **p);

enum { OTF2_EVT_TIME_MARK = 5, OTF2_EVT_TIME_BYTES = 9 };

/*
 * As otf2_wire_put(), but all stores lie inside the value's bound: records fill a chunk up to its
 * last byte.
 */
static inline uint8_t *otf2_evt_put_value(uint8_t *p, enum otf2_wire wire, uint64_t v)
{
    if (wire == OTF2_WIRE_U8) {
        *p = (uint8_t)v;
        return p + 1;
    }
    if (wire == OTF2_WIRE_FIXED64) {
        memcpy(p, &v, sizeof v);
        return p + sizeof v;
    }
    if (wire == OTF2_WIRE_VAR32) {
        if (__builtin_expect(v == UINT32_MAX, 0)) {
            *p = OTF2_WIRE_UNDEFINED;
            return p + 1;
        }
        /* Of the double plus one, 0 needs no case: its bits count from 1. */
        unsigned n = (unsigned)(63 - __builtin_clzll(2 * v + 1) + 7) / 8;
        uint64_t left = otf2_wire_left(v, n);
        uint32_t word;
        memcpy(&word, &left, sizeof word);
        *p = (uint8_t)n;
        memcpy(p + 1, &word, sizeof word);
        return p + 1 + n;
    }
    if (wire == OTF2_WIRE_VAR64 && __builtin_expect(v == UINT64_MAX, 0)) {
        *p = OTF2_WIRE_UNDEFINED;
        return p + 1;
    }
    unsigned n = (unsigned)(63 - __builtin_clzll(v | 1) + 8) / 8 - (v == 0);
    v = otf2_wire_left(v, n);
    *p = (uint8_t)n;
    memcpy(p + 1, &v, sizeof v);
    return p + 1 + n;
}

/* Element i of an array that was passed as a parameter, cast to an integer by the row macros. */
static inline uint64_t otf2_evt_element(uint64_t array, enum otf2_wire wire, uint64_t i)
{
    if (wire == OTF2_WIRE_U8)
        return ((const uint8_t *)(uintptr_t)array)[i];
    if (wire == OTF2_WIRE_VAR32)
        return ((const uint32_t *)(uintptr_t)array)[i];
    uint64_t v;
    memcpy(&v, (const char *)(uintptr_t)array + i * sizeof v, sizeof v);
    return v;
}

/* A record that is being written; folds away where the bound is a constant. */
struct otf2_evt_place {
    uint64_t bound;      /* most bytes the attributes can take */
    bool framed;         /* has a length field */
    uint8_t *attributes; /* where they go */
};

/* Room, timestamp, attribute list, id and length field. */
static inline __attribute__((always_inline)) OTF2_ErrorCode
otf2_evt_begin(struct otf2_evt_cursor *c, OTF2_AttributeList *attributes, OTF2_TimeStamp time,
               uint8_t id, struct otf2_evt_place *at)
{
    const uint64_t length = !at->framed ? 0 : otf2_wire_length_bytes(at->bound);
    /*
     * Room for a timestamp is always asked for, needed or not: where a chunk ends in a file follows
     * from this sum alone, and all writers of the format must agree to give the same bytes.
     */
    const uint64_t need = 1 + length + at->bound + OTF2_EVT_TIME_BYTES;
    uint8_t *p = c->pos;
    if (__builtin_expect(attributes || need >= (uint64_t)(c->end - p) || time < c->time || !time,
                         0)) {
        uint8_t *prepared;
        OTF2_ErrorCode error = otf2_evt_prepare(c, attributes, time, need, &prepared);
        if (error)
            return error;
        p = prepared;
    } else if (time != c->time) {
        *p = OTF2_EVT_TIME_MARK;
        memcpy(p + 1, &time, sizeof time);
        p += OTF2_EVT_TIME_BYTES;
        c->time = time;
    }
    *p = id;
    at->attributes = p + 1 + length;
    return OTF2_SUCCESS;
}

/* The length, whose width was chosen by the bound, and the publication of the whole record. */
static inline __attribute__((always_inline)) OTF2_ErrorCode
otf2_evt_end(struct otf2_evt_cursor *c, const struct otf2_evt_place *at, uint8_t *p)
{
    if (at->framed)
        otf2_wire_set_length(at->attributes, otf2_wire_length_bytes(at->bound),
                             (uint64_t)(p - at->attributes));
    c->events++;
    __atomic_store_n(&c->pos, p, __ATOMIC_RELEASE);
    return OTF2_SUCCESS;
}

#define OTF2_EVT_WIRE_(kind) ((enum otf2_wire)OTF2_WIRE_OF_##kind)
/* The cell before the arrays counts them, so the last scalar cell of a row with arrays. */
#define OTF2_EVT_TAKE_COUNT_(Row, kind, name)                                                      \
    if (!OTF2_IS_ARRAY_##kind)                                                                     \
        count = (uint64_t)(name);
#define OTF2_EVT_PUT_SCALAR_(Row, kind, name)                                                      \
    if (!OTF2_IS_ARRAY_##kind)                                                                     \
        p = otf2_evt_put_value(p, OTF2_EVT_WIRE_(kind), (uint64_t)(name));
#define OTF2_EVT_PUT_ELEMENT_(Row, kind, name)                                                     \
    if (OTF2_IS_ARRAY_##kind)                                                                      \
        p = otf2_evt_put_value(p, OTF2_EVT_WIRE_(kind),                                            \
                               otf2_evt_element((uint64_t)(name), OTF2_EVT_WIRE_(kind), i));

#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    static inline OTF2_ErrorCode otf2_evt_put_##Name(                                              \
        struct otf2_evt_cursor *c, OTF2_AttributeList *attributes,                                 \
        OTF2_TimeStamp time OTF2_SEQ(OTF2_PARAM, Name, __VA_ARGS__))                               \
    {                                                                                              \
        uint64_t count = 0;                                                                        \
        if (OTF2_ROW_HAS_ARRAYS(Name, __VA_ARGS__)) {                                              \
            OTF2_SEQ(OTF2_EVT_TAKE_COUNT_, Name, __VA_ARGS__)                                      \
        }                                                                                          \
        struct otf2_evt_place at = {.bound = OTF2_ROW_BOUND(Name, __VA_ARGS__) +                   \
                                             count * OTF2_ROW_ELEMENT_BOUND(Name, __VA_ARGS__),    \
                                    .framed =                                                      \
                                        !OTF2_ROW_IS_SINGLETON(Name, major, minor, __VA_ARGS__)};  \
        OTF2_ErrorCode error = otf2_evt_begin(c, attributes, time, id, &at);                       \
        if (__builtin_expect(error != OTF2_SUCCESS, 0))                                            \
            return error;                                                                          \
        uint8_t *p = at.attributes;                                                                \
        OTF2_SEQ(OTF2_EVT_PUT_SCALAR_, Name, __VA_ARGS__)                                          \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            OTF2_SEQ(OTF2_EVT_PUT_ELEMENT_, Name, __VA_ARGS__)                                     \
        }                                                                                          \
        return otf2_evt_end(c, &at, p);                                                            \
    }
#include <otf2/otf2_events.def>
#undef EVENT

#endif
