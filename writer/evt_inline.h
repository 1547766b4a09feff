/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The event writer's hot path: an inline function for each event record, straight-line code from
 * otf2_events.def.
 *
 *     OTF2_ErrorCode otf2_evt_put_MpiSend(struct otf2_evt_cursor *c,
 *                                         OTF2_AttributeList *attributes, OTF2_TimeStamp time,
 *                                         uint32_t receiver, OTF2_CommRef communicator, ...);
 *
 * `attributes` may be NULL; a written list is empty afterwards. Times of a cursor never decrease.
 * Errors are those of OTF2_EvtWriter_*, which consist of these functions plus a check of the
 * handle. After an error nothing is written. One thread at a time uses a cursor.
 *
 * This header and writer/evt_cursor.h are the only headers of writer/ that agent/ may include.
 */
#ifndef WRITER_EVT_INLINE_H
#define WRITER_EVT_INLINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <otf2/otf2.h>
#include <otf2x/otf2x.h>

#include "format/frame.h"
#include "format/record.h"
#include "writer/evt_cursor.h"

/*
 * Everything but the common case: no chunk yet or no room for `need` bytes, an attribute list, a
 * time that is zero or runs backwards. Leaves *p at the place of the record's id byte.
 */
OTF2_ErrorCode otf2_evt_prepare(struct otf2_evt_cursor *c, OTF2_AttributeList *attributes,
                                OTF2_TimeStamp time, uint64_t need, uint8_t **p);

/* Reports that an array with members is NULL. */
OTF2_ErrorCode otf2_evt_no_array(void);

/*
 * Is the value stored in a special form? The plain form is a count and as many bytes. Special are
 * the undefined value and values with the highest bit set.
 */
static inline bool otf2_evt_is_special(enum otf2_wire wire, uint64_t v)
{
    if (wire == OTF2_WIRE_U8 || wire == OTF2_WIRE_FIXED64)
        return false;
    return wire == OTF2_WIRE_VAR32 ? (uint32_t)v >> 31 != 0 : v >> 63 != 0;
}

/*
 * Most values take no byte or a single byte; finding the highest bit is expensive on certain
 * processors.
 */
static inline bool otf2_evt_is_small(enum otf2_wire wire, uint64_t v)
{
    return wire != OTF2_WIRE_U8 && wire != OTF2_WIRE_FIXED64 && v <= UINT8_MAX;
}

static inline uint8_t *otf2_evt_put_small(uint8_t *p, uint64_t v)
{
    uint64_t n = (v + UINT8_MAX) >> 8; /* 0 for 0, and 1 */
    p[0] = (uint8_t)n;
    p[1] = (uint8_t)v;
    return p + 1 + n;
}

/*
 * As otf2_wire_put() for plain values, but all stores lie inside the value's bound: records fill a
 * chunk up to its last byte.
 */
static inline __attribute__((always_inline)) uint8_t *
otf2_evt_put_plain(uint8_t *p, enum otf2_wire wire, uint64_t v)
{
    if (wire == OTF2_WIRE_U8) {
        *p = (uint8_t)v;
        return p + 1;
    }
    if (wire == OTF2_WIRE_FIXED64) {
        memcpy(p, &v, sizeof v);
        return p + sizeof v;
    }
    if (__builtin_expect(otf2_evt_is_small(wire, v), 1))
        return otf2_evt_put_small(p, v);
    if (wire == OTF2_WIRE_VAR32) {
        size_t n = sizeof(uint16_t);
        n += (uint32_t)v > UINT16_MAX;
        n += (uint32_t)v > 0xffffff;
        uint64_t left = otf2_wire_left(v, (unsigned)n);
        uint32_t word;
        memcpy(&word, &left, sizeof word);
        *p = (uint8_t)n;
        memcpy(p + 1, &word, sizeof word);
        return p + 1 + n;
    }
    size_t n = ((63 ^ (unsigned)__builtin_clzll(v)) + 8) / 8;
    __asm__("" : "+r"(n));
    v = otf2_wire_left(v, (unsigned)n);
    *p = (uint8_t)n;
    memcpy(p + 1, &v, sizeof v);
    return p + 1 + n;
}

/* Any value, in the same way. */
static inline uint8_t *otf2_evt_put_any(uint8_t *p, enum otf2_wire wire, uint64_t v)
{
    if (__builtin_expect(!otf2_evt_is_special(wire, v), 1))
        return otf2_evt_put_plain(p, wire, v);
    bool is_undefined = otf2_wire_is_undefined(wire, v);
    size_t n = wire == OTF2_WIRE_VAR32 ? sizeof(uint32_t) : sizeof(uint64_t);
    v = otf2_wire_left(v, (unsigned)n);
    *p = is_undefined ? OTF2_WIRE_UNDEFINED : (uint8_t)n;
    memcpy(p + 1, &v, n);
    return is_undefined ? p + 1 : p + 1 + n;
}

/* The array behind a parameter. */
static inline const uint8_t *otf2_evt_array(const void *parameter)
{
    const uint8_t *array;
    memcpy(&array, parameter, sizeof array);
    return array;
}

static inline uint64_t otf2_evt_element(const uint8_t *array, enum otf2_wire wire, uint64_t i)
{
    uint32_t narrow;
    uint64_t wide;
    if (wire == OTF2_WIRE_U8)
        return array[i];
    if (wire == OTF2_WIRE_VAR32) {
        memcpy(&narrow, array + i * sizeof narrow, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, array + i * sizeof wide, sizeof wide);
    return wide;
}

/* A record while it is written; folds away where the bound is a constant. */
struct otf2_evt_place {
    uint64_t bound;  /* most bytes the attributes can take */
    unsigned length; /* bytes of the length field */
    uint8_t *at;     /* the place of the id */
};

/*
 * Room for a timestamp is always reserved, needed or not. The end of a chunk in a file follows from
 * this sum alone, and all writers of the format must agree to give the same bytes.
 */
static inline uint64_t otf2_evt_need(const struct otf2_evt_place *place)
{
    return 1 + place->length + place->bound + OTF2_FRAME_TIME_BYTES;
}

/*
 * Room and timestamp in the common case; false in all other cases. Nothing counts as written before
 * otf2_evt_end().
 */
static inline __attribute__((always_inline)) bool otf2_evt_begin(struct otf2_evt_cursor *c,
                                                                 const void *attributes,
                                                                 OTF2_TimeStamp time,
                                                                 struct otf2_evt_place *place)
{
    uint8_t *p = c->pos;
    if (__builtin_expect(attributes || otf2_evt_need(place) >= (uint64_t)(c->end - p), 0))
        return false;
    if (__builtin_expect(time > c->time, 1)) {
        *p = OTF2_FRAME_TIME;
        memcpy(p + 1, &time, sizeof time);
        p += OTF2_FRAME_TIME_BYTES;
    } else if (__builtin_expect(time < c->time || !time, 0)) {
        return false;
    }
    place->at = p;
    return true;
}

/* The publication of `n` whole records that end at `p`. */
/* NOLINTBEGIN(readability-non-const-parameter): it is kept, to be written through. */
static inline __attribute__((always_inline)) void
otf2_evt_end(struct otf2_evt_cursor *c, OTF2_TimeStamp time, uint64_t n, uint8_t *p)
{
    c->time = time;
    c->events += n;
    __atomic_store_n(&c->pos, p, __ATOMIC_RELEASE);
}
/* NOLINTEND(readability-non-const-parameter) */

/* A timestamp within a run, later than the timestamp before. */
static inline __attribute__((always_inline)) uint8_t *otf2_evt_fill_time(uint8_t *at,
                                                                         OTF2_TimeStamp time)
{
    *at = OTF2_FRAME_TIME;
    memcpy(at + 1, &time, sizeof time);
    return at + OTF2_FRAME_TIME_BYTES;
}

/*
 * For a run of several records: returns the place of the first record, which carries `time`; NULL:
 * not the common case. `room` is at least the sum of the records' needs. The records are filled in
 * one behind the other, with later times in between, and count from otf2_evt_end() on, which gets
 * the last time.
 */
static inline __attribute__((always_inline)) uint8_t *
otf2_evt_begin_run(const struct otf2_evt_cursor *c, OTF2_TimeStamp time, uint64_t room)
{
    uint8_t *p = c->pos;
    if (__builtin_expect(room >= (uint64_t)(c->end - p), 0))
        return NULL;
    if (__builtin_expect(time > c->time, 1))
        return otf2_evt_fill_time(p, time);
    return time < c->time || !time ? NULL : p;
}

/*
 * The same for a time read just now. The timestamp is always written: NULL also after a pause. A
 * single comparison detects both a pause and an earlier time.
 */
enum { OTF2_EVT_PAUSE = 1 << 19 };
static inline __attribute__((always_inline)) uint8_t *
otf2_evt_begin_now(const struct otf2_evt_cursor *c, OTF2_TimeStamp time, uint64_t room)
{
    uint8_t *p = c->pos;
    bool has_room = room < (uint64_t)(c->end - p);
    return __builtin_expect(has_room && time - c->time <= OTF2_EVT_PAUSE, 1)
               ? otf2_evt_fill_time(p, time)
               : NULL;
}

#define OTF2_EVT_ARGUMENT_(Row, kind, name) , name
#define OTF2_EVT_WIRE_(kind) ((enum otf2_wire)OTF2_WIRE_OF_##kind)
/* The cell before the arrays contains their count: the last scalar cell of a row with arrays. */
#define OTF2_EVT_TAKE_COUNT_(Row, kind, name)                                                      \
    if (!OTF2_IS_ARRAY_##kind)                                                                     \
        count = (uint64_t)(name);
#define OTF2_EVT_OR_NULL_(Row, kind, name) || (OTF2_IS_ARRAY_##kind && !otf2_evt_array(&(name)))
/*
 * Special values take the rare way, except for the undefined value. Not in records with arrays: the
 * state needed by the rare way would have to be kept over the loop.
 */
#define OTF2_EVT_PUT_(wire, v)                                                                     \
    do {                                                                                           \
        if (is_rare || has_arrays)                                                                 \
            p = otf2_evt_put_any(p, wire, v);                                                      \
        else if (__builtin_expect(otf2_evt_is_small(wire, v), 1))                                  \
            p = otf2_evt_put_small(p, v);                                                          \
        else if (__builtin_expect(!otf2_evt_is_special(wire, v), 1))                               \
            p = otf2_evt_put_plain(p, wire, v);                                                    \
        else if (otf2_wire_is_undefined(wire, v))                                                  \
            *p++ = OTF2_WIRE_UNDEFINED;                                                            \
        else                                                                                       \
            goto rare;                                                                             \
    } while (0)
#define OTF2_EVT_PUT_SCALAR_(Row, kind, name)                                                      \
    if (!OTF2_IS_ARRAY_##kind)                                                                     \
        OTF2_EVT_PUT_(OTF2_EVT_WIRE_(kind), (uint64_t)(name));
#define OTF2_EVT_PUT_ELEMENT_(Row, kind, name)                                                     \
    if (OTF2_IS_ARRAY_##kind)                                                                      \
        OTF2_EVT_PUT_(OTF2_EVT_WIRE_(kind),                                                        \
                      otf2_evt_element(otf2_evt_array(&(name)), OTF2_EVT_WIRE_(kind), i));

/* The facts known about a record before writing. `is_rare` is a constant of each use. */
#define OTF2_EVT_SHAPE_(Name, major, minor, ...)                                                   \
    uint64_t count = 0;                                                                            \
    const bool has_arrays = OTF2_ROW_HAS_ARRAYS(Name, __VA_ARGS__);                                \
    if (has_arrays) {                                                                              \
        OTF2_SEQ(OTF2_EVT_TAKE_COUNT_, Name, __VA_ARGS__)                                          \
    }                                                                                              \
    const bool is_framed = !OTF2_ROW_IS_SINGLETON(Name, major, minor, __VA_ARGS__);                \
    const uint64_t bound =                                                                         \
        OTF2_ROW_BOUND(Name, __VA_ARGS__) + count * OTF2_ROW_ELEMENT_BOUND(Name, __VA_ARGS__);     \
    struct otf2_evt_place place = {.bound = bound, .length = is_framed};                           \
    const bool lacks = count && (0 OTF2_SEQ(OTF2_EVT_OR_NULL_, Name, __VA_ARGS__));

#define OTF2_EVT_FILL_(Name, id, ...)                                                              \
    *place.at = id;                                                                                \
    uint8_t *const content = place.at + 1 + place.length;                                          \
    uint8_t *p = content;                                                                          \
    OTF2_SEQ(OTF2_EVT_PUT_SCALAR_, Name, __VA_ARGS__)                                              \
    for (uint64_t i = 0; i < count; i++) {                                                         \
        OTF2_SEQ(OTF2_EVT_PUT_ELEMENT_, Name, __VA_ARGS__)                                         \
    }                                                                                              \
    /* The width of the length was chosen by the bound. */                                         \
    if (place.length)                                                                              \
        otf2_wire_set_length(content, place.length, (uint64_t)(p - content));

#define OTF2_EVT_HEAD_(Name, ...)                                                                  \
    (struct otf2_evt_cursor * c, OTF2_AttributeList * attributes,                                  \
     OTF2_TimeStamp time OTF2_SEQ(OTF2_PARAM, Name, __VA_ARGS__))

/*
 * Each record has:
 *   otf2_evt_put_*()   the record, whatever the contents.
 *   otf2_evt_try_*()   the common way alone: false for any other record, and nothing is written.
 *                      The caller can go on elsewhere and be free of calls itself.
 *   otf2_evt_fill_*()  the bytes behind the timestamp, from `at` on: returns their end, or NULL for
 *                      a record outside the common way. The caller has made sure of the room.
 *   otf2_evt_rare_*()  the rare way, a function apart with a frame of its own.
 *   OTF2_EVT_ROOM_*    the need of a record without arrays, timestamp included.
 */
#define OTF2_EVT_FUNCTIONS_(Name, NAME, id, major, minor, ...)                                     \
    enum {                                                                                         \
        OTF2_EVT_ROOM_##Name = 2 + OTF2_FRAME_TIME_BYTES + (int)OTF2_ROW_BOUND(Name, __VA_ARGS__)  \
    };                                                                                             \
    static inline __attribute__((always_inline))                                                   \
    uint8_t *otf2_evt_fill_##Name(uint8_t *at OTF2_SEQ(OTF2_PARAM, Name, __VA_ARGS__))             \
    {                                                                                              \
        const bool is_rare = false;                                                                \
        OTF2_EVT_SHAPE_(Name, major, minor, __VA_ARGS__)                                           \
        if (is_rare || lacks || bound >= OTF2_WIRE_LONG)                                           \
            goto rare;                                                                             \
        place.at = at;                                                                             \
        OTF2_EVT_FILL_(Name, id, __VA_ARGS__)                                                      \
        return p;                                                                                  \
    rare:                                                                                          \
        return NULL;                                                                               \
    }                                                                                              \
    static inline __attribute__((always_inline)) bool otf2_evt_try_##Name OTF2_EVT_HEAD_(          \
        Name, __VA_ARGS__)                                                                         \
    {                                                                                              \
        OTF2_EVT_SHAPE_(Name, major, minor, __VA_ARGS__)                                           \
        if (lacks || !otf2_evt_begin(c, attributes, time, &place))                                 \
            return false;                                                                          \
        uint8_t *p =                                                                               \
            otf2_evt_fill_##Name(place.at OTF2_SEQ(OTF2_EVT_ARGUMENT_, Name, __VA_ARGS__));        \
        if (__builtin_expect(!p, 0))                                                               \
            return false;                                                                          \
        otf2_evt_end(c, time, 1, p);                                                               \
        return true;                                                                               \
    }                                                                                              \
    static __attribute__((noinline, unused)) OTF2_ErrorCode otf2_evt_rare_##Name OTF2_EVT_HEAD_(   \
        Name, __VA_ARGS__)                                                                         \
    {                                                                                              \
        const bool is_rare = true;                                                                 \
        OTF2_EVT_SHAPE_(Name, major, minor, __VA_ARGS__)                                           \
        if (is_rare && lacks)                                                                      \
            goto rare;                                                                             \
        place.length = is_framed ? otf2_wire_length_bytes(bound) : 0;                              \
        uint8_t *at;                                                                               \
        OTF2_ErrorCode error = otf2_evt_prepare(c, attributes, time, otf2_evt_need(&place), &at);  \
        if (error)                                                                                 \
            return error;                                                                          \
        place.at = at;                                                                             \
        OTF2_EVT_FILL_(Name, id, __VA_ARGS__)                                                      \
        otf2_evt_end(c, time, 1, p);                                                               \
        return OTF2_SUCCESS;                                                                       \
    rare:                                                                                          \
        return otf2_evt_no_array();                                                                \
    }                                                                                              \
    static inline OTF2_ErrorCode otf2_evt_put_##Name OTF2_EVT_HEAD_(Name, __VA_ARGS__)             \
    {                                                                                              \
        if (__builtin_expect(otf2_evt_try_##Name(c, attributes,                                    \
                                                 time OTF2_SEQ(OTF2_EVT_ARGUMENT_, Name,           \
                                                               __VA_ARGS__)),                      \
                             1))                                                                   \
            return OTF2_SUCCESS;                                                                   \
        return otf2_evt_rare_##Name(c, attributes,                                                 \
                                    time OTF2_SEQ(OTF2_EVT_ARGUMENT_, Name, __VA_ARGS__));         \
    }

/*
 * The functions of all records take seconds to compile. A file that needs all records defines
 * OTF2_EVT_ALL before any include. Every other file gets the functions of the records that the
 * agent writes by name, a row each.
 */
#ifdef OTF2_EVT_ALL
#define EVENT OTF2_EVT_FUNCTIONS_
#else
#define OTF2_EVT_NAMED_CallingContextEnter ~,
#define OTF2_EVT_NAMED_CallingContextLeave ~,
#define OTF2_EVT_NAMED_CallingContextSample ~,
#define OTF2_EVT_NAMED_Enter ~,
#define OTF2_EVT_NAMED_Leave ~,
#define OTF2_EVT_NAMED_MeasurementOnOff ~,
#define OTF2_EVT_NAMED_Metric ~,
#define OTF2_EVT_NAMED_ParameterInt ~,
#define OTF2_EVT_NAMED_ProgramBegin ~,
#define OTF2_EVT_NAMED_ProgramEnd ~,
#define OTF2_EVT_NAMED_RmaGet ~,
#define OTF2_EVT_NAMED_RmaOpCompleteBlocking ~,
#define OTF2_EVT_NAMED_RmaPut ~,
#define OTF2_EVT_NAMED_ThreadAcquireLock ~,
#define OTF2_EVT_NAMED_ThreadBegin ~,
#define OTF2_EVT_NAMED_ThreadCreate ~,
#define OTF2_EVT_NAMED_ThreadEnd ~,
#define OTF2_EVT_NAMED_ThreadFork ~,
#define OTF2_EVT_NAMED_ThreadJoin ~,
#define OTF2_EVT_NAMED_ThreadReleaseLock ~,
#define OTF2_EVT_NAMED_ThreadTeamBegin ~,
#define OTF2_EVT_NAMED_ThreadTeamEnd ~,
/* The row shifts the following argument to the second place. */
#define OTF2_EVT_SECOND_(first, second, ...) second
#define OTF2_EVT_CHOICE_(...) OTF2_EVT_SECOND_(__VA_ARGS__)
#define OTF2_EVT_NOTHING_(...)
#define EVENT(Name, ...)                                                                           \
    OTF2_EVT_CHOICE_(OTF2_EVT_NAMED_##Name OTF2_EVT_FUNCTIONS_, OTF2_EVT_NOTHING_, ~)              \
    (Name, __VA_ARGS__)
#endif
#include <otf2/otf2_events.def>
#undef EVENT

#endif
