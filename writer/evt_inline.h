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
#include <otf2/otf2_foreach.h>
#include <otf2x/otf2x.h>

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

enum { OTF2_EVT_TIME_MARK = 5, OTF2_EVT_TIME_BYTES = 9, OTF2_EVT_LONG = 255 };

enum otf2_evt_wire {
    OTF2_EVT_WIRE_U8,
    OTF2_EVT_WIRE_VAR32,
    OTF2_EVT_WIRE_VAR64,
    OTF2_EVT_WIRE_IVAR64,
    OTF2_EVT_WIRE_FIXED64
};

#define OTF2_EVT_BYTES_U8 1
#define OTF2_EVT_BYTES_VAR32 5
#define OTF2_EVT_BYTES_VAR64 9
#define OTF2_EVT_BYTES_IVAR64 9
#define OTF2_EVT_BYTES_FIXED64 8

#define OTF2_EVT_SHOWN_NUMBER 0
#define OTF2_EVT_SHOWN_TIME 0
#define OTF2_EVT_SHOWN_ENUM 0
#define OTF2_EVT_SHOWN_REF 0
#define OTF2_EVT_SHOWN_COUNT 0
#define OTF2_EVT_SHOWN_ARRAY_ENUM 1
#define OTF2_EVT_SHOWN_ARRAY_NUMBER 1
#define OTF2_EVT_SHOWN_ARRAY_REF 1

/* The columns of the table of kinds as constants. */
enum {
#define KIND(NAME, c_type, wire, shown, detail)                                                    \
    OTF2_EVT_WIRE_##NAME##_ = OTF2_EVT_WIRE_##wire,                                                \
    OTF2_EVT_BYTES_OF_##NAME = OTF2_EVT_BYTES_##wire,                                              \
    OTF2_EVT_IS_ARRAY_##NAME = OTF2_EVT_SHOWN_##shown,
#include <otf2/otf2_kinds.def>
#undef KIND
    OTF2_EVT_KINDS_END_
};

/* A value in its bound of bytes: all stores lie inside, what is behind the result is undefined. */
static inline uint8_t *otf2_evt_put_value(uint8_t *p, enum otf2_evt_wire wire, uint64_t v)
{
    if (wire == OTF2_EVT_WIRE_U8) {
        *p = (uint8_t)v;
        return p + 1;
    }
    if (wire == OTF2_EVT_WIRE_FIXED64) {
        memcpy(p, &v, sizeof v);
        return p + sizeof v;
    }
    uint64_t undefined = wire == OTF2_EVT_WIRE_VAR32 ? UINT32_MAX : UINT64_MAX;
    if (wire != OTF2_EVT_WIRE_IVAR64 && __builtin_expect(v == undefined, 0)) {
        *p = UINT8_MAX;
        return p + 1;
    }
    if (wire == OTF2_EVT_WIRE_VAR32) {
        /* Doubled plus one, 0 has 0 significant bits before the last and needs no case. */
        unsigned n = (unsigned)(63 - __builtin_clzll(2 * v + 1) + 7) / 8;
        uint32_t low = (uint32_t)v;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        low = n ? low << (32 - 8 * n) : 0;
#endif
        *p = (uint8_t)n;
        memcpy(p + 1, &low, sizeof low);
        return p + 1 + n;
    }
    unsigned n = (unsigned)(63 - __builtin_clzll(v | 1) + 8) / 8 - (v == 0);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = n ? v << (64 - 8 * n) : 0;
#endif
    *p = (uint8_t)n;
    memcpy(p + 1, &v, sizeof v);
    return p + 1 + n;
}

/* Element i of an array that was passed as a parameter, cast to an integer by the row macros. */
static inline uint64_t otf2_evt_element(uint64_t array, enum otf2_evt_wire wire, uint64_t i)
{
    if (wire == OTF2_EVT_WIRE_U8)
        return ((const uint8_t *)(uintptr_t)array)[i];
    if (wire == OTF2_EVT_WIRE_VAR32)
        return ((const uint32_t *)(uintptr_t)array)[i];
    uint64_t v;
    memcpy(&v, (const char *)(uintptr_t)array + i * sizeof v, sizeof v);
    return v;
}

#define OTF2_EVT_WIRE_OF_(kind) ((enum otf2_evt_wire)OTF2_EVT_WIRE_##kind##_)
#define OTF2_EVT_PARAM_(Row, kind, name) , otf2_t_##kind name
#define OTF2_EVT_ADD_CELL_(Row, kind, name) +1
#define OTF2_EVT_ADD_SCALAR_(Row, kind, name)                                                      \
    +(OTF2_EVT_IS_ARRAY_##kind ? 0 : OTF2_EVT_BYTES_OF_##kind)
#define OTF2_EVT_ADD_ELEMENT_(Row, kind, name)                                                     \
    +(OTF2_EVT_IS_ARRAY_##kind ? OTF2_EVT_BYTES_OF_##kind : 0)
#define OTF2_EVT_AND_VAR_(Row, kind, name)                                                         \
    &&(OTF2_EVT_WIRE_OF_(kind) == OTF2_EVT_WIRE_VAR32 ||                                           \
       OTF2_EVT_WIRE_OF_(kind) == OTF2_EVT_WIRE_VAR64)
/* The cell before the arrays counts them, so the last scalar cell of a row with arrays. */
#define OTF2_EVT_TAKE_COUNT_(Row, kind, name)                                                      \
    if (!OTF2_EVT_IS_ARRAY_##kind)                                                                 \
        count = (uint64_t)(name);
#define OTF2_EVT_PUT_SCALAR_(Row, kind, name)                                                      \
    if (!OTF2_EVT_IS_ARRAY_##kind)                                                                 \
        p = otf2_evt_put_value(p, OTF2_EVT_WIRE_OF_(kind), (uint64_t)(name));
#define OTF2_EVT_PUT_ELEMENT_(Row, kind, name)                                                     \
    if (OTF2_EVT_IS_ARRAY_##kind)                                                                  \
        p = otf2_evt_put_value(p, OTF2_EVT_WIRE_OF_(kind),                                         \
                               otf2_evt_element((uint64_t)(name), OTF2_EVT_WIRE_OF_(kind), i));

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
    const uint64_t length = !at->framed ? 0 : at->bound < OTF2_EVT_LONG ? 1 : 9;
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
    uint64_t length = (uint64_t)(p - at->attributes);
    if (at->framed && at->bound < OTF2_EVT_LONG) {
        at->attributes[-1] = (uint8_t)length;
    } else if (at->framed) {
        at->attributes[-9] = UINT8_MAX;
        memcpy(at->attributes - 8, &length, sizeof length);
    }
    c->events++;
    __atomic_store_n(&c->pos, p, __ATOMIC_RELEASE);
    return OTF2_SUCCESS;
}

/* The row's properties, constants all but the bound of a row with arrays. */
#define OTF2_EVT_CELLS_(Row, ...) (0 OTF2_SEQ(OTF2_EVT_ADD_CELL_, Row, __VA_ARGS__))
#define OTF2_EVT_SCALARS_(Row, ...) (0u OTF2_SEQ(OTF2_EVT_ADD_SCALAR_, Row, __VA_ARGS__))
#define OTF2_EVT_ELEMENTS_(Row, ...) (0u OTF2_SEQ(OTF2_EVT_ADD_ELEMENT_, Row, __VA_ARGS__))
/*
 * Records of OTF2 <= 1.1 with a single compressed attribute carry no length. Later ones do, since
 * an undefined value (0xff) would look like a long length to a reader that must skip the record.
 */
#define OTF2_EVT_SINGLETON_(Row, major, minor, ...)                                                \
    ((major)*100 + (minor) <= 101 &&                                                               \
     OTF2_EVT_CELLS_(Row, __VA_ARGS__) == 1 OTF2_SEQ(OTF2_EVT_AND_VAR_, Row, __VA_ARGS__))

#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    static inline OTF2_ErrorCode otf2_evt_put_##Name(                                              \
        struct otf2_evt_cursor *c, OTF2_AttributeList *attributes,                                 \
        OTF2_TimeStamp time OTF2_SEQ(OTF2_EVT_PARAM_, Name, __VA_ARGS__))                          \
    {                                                                                              \
        uint64_t count = 0;                                                                        \
        OTF2_SEQ(OTF2_EVT_TAKE_COUNT_, Name, __VA_ARGS__)                                          \
        count = OTF2_EVT_ELEMENTS_(Name, __VA_ARGS__) ? count : 0;                                 \
        struct otf2_evt_place at = {.bound = OTF2_EVT_SCALARS_(Name, __VA_ARGS__) +                \
                                             OTF2_EVT_ELEMENTS_(Name, __VA_ARGS__) * count,        \
                                    .framed =                                                      \
                                        !OTF2_EVT_SINGLETON_(Name, major, minor, __VA_ARGS__)};    \
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
