/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The encoding of single values. Inline, because writing and reading are made of these.
 *
 * A VAR value is a count of significant bytes followed by those bytes in the file's byte order. All
 * bits set (an undefined reference) is the single byte 0xff. IVAR differs only in that: a negative
 * value has all its bytes, and there is no short form.
 *
 * Values travel as uint64_t: the bits of floating point numbers, signed ones sign-extended.
 * Written in the byte order of the host, read in either.
 */
#ifndef FORMAT_WIRE_H
#define FORMAT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum otf2_wire {
    OTF2_WIRE_U8,
    OTF2_WIRE_U16,
    OTF2_WIRE_I8,
    OTF2_WIRE_I16,
    OTF2_WIRE_VAR32,
    OTF2_WIRE_VAR64,
    OTF2_WIRE_IVAR32,
    OTF2_WIRE_IVAR64,
    OTF2_WIRE_FIXED64,
    OTF2_WIRE_FLOAT,
    OTF2_WIRE_DOUBLE,
    /* Not single values: format/record.c knows how they are made of such. */
    OTF2_WIRE_TEXT,
    OTF2_WIRE_VALUE,
    OTF2_WIRE_IDMAP
};

enum {
    OTF2_WIRE_UNDEFINED = 0xff, /* VAR: all bits set */
    OTF2_WIRE_LONG = 0xff,      /* record length: eight bytes follow */
    OTF2_WIRE_LITTLE = 0x42,    /* byte orders of a chunk */
    OTF2_WIRE_BIG = 0x23,
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    OTF2_WIRE_HOST = OTF2_WIRE_LITTLE
#else
    OTF2_WIRE_HOST = OTF2_WIRE_BIG
#endif
};

/* Most bytes of one value, as the reference's estimates have it; 0 where they depend on content. */
#define OTF2_WIRE_MAX(wire)                                                                        \
    ((wire) == OTF2_WIRE_U8 || (wire) == OTF2_WIRE_I8            ? 1                               \
     : (wire) == OTF2_WIRE_U16 || (wire) == OTF2_WIRE_I16        ? 2                               \
     : (wire) == OTF2_WIRE_FLOAT                                 ? 4                               \
     : (wire) == OTF2_WIRE_VAR32 || (wire) == OTF2_WIRE_IVAR32   ? 5                               \
     : (wire) == OTF2_WIRE_FIXED64 || (wire) == OTF2_WIRE_DOUBLE ? 8                               \
     : (wire) == OTF2_WIRE_TEXT || (wire) == OTF2_WIRE_IDMAP     ? 0                               \
                                                                 : 9)

/* Bytes of a value without a count, 0 for VAR and IVAR. */
static inline unsigned otf2_wire_raw_bytes(enum otf2_wire wire)
{
    bool is_var = wire >= OTF2_WIRE_VAR32 && wire <= OTF2_WIRE_IVAR64;
    return is_var ? 0 : (unsigned)OTF2_WIRE_MAX(wire);
}

static inline bool otf2_wire_is_narrow(enum otf2_wire wire)
{
    return wire == OTF2_WIRE_VAR32 || wire == OTF2_WIRE_IVAR32;
}

/* Bytes of a number of this encoding in memory. */
static inline unsigned otf2_wire_cell_bytes(enum otf2_wire wire)
{
    return wire == OTF2_WIRE_U8 ? 1 : wire == OTF2_WIRE_VAR32 ? 4 : 8;
}

/* The number of bytes behind a VAR's count. */
static inline unsigned otf2_wire_significant(uint64_t v)
{
    return ((63u ^ (unsigned)__builtin_clzll(v | 1)) + 8) / 8 - (v == 0);
}

static inline bool otf2_wire_is_undefined(enum otf2_wire wire, uint64_t v)
{
    return v == (wire == OTF2_WIRE_VAR32 ? UINT32_MAX : UINT64_MAX) &&
           (wire == OTF2_WIRE_VAR32 || wire == OTF2_WIRE_VAR64);
}

/* A value of the host as the bytes that come first in the file, and back. */
static inline uint64_t otf2_wire_left(uint64_t v, unsigned bytes)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    (void)bytes;
    return v;
#else
    return bytes ? v << (64 - 8 * bytes) : 0;
#endif
}

/* The value whose bytes, up to eight, come first in a word of the file in this byte order. */
static inline uint64_t otf2_wire_right(uint64_t v, unsigned bytes)
{
    unsigned unused = 64 - 8 * bytes;
    if (!bytes)
        return 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return v << unused >> unused;
#else
    return v >> unused;
#endif
}

/* The value in its type's bits, without what sign extension put before them. */
static inline uint64_t otf2_wire_bits(enum otf2_wire wire, uint64_t v)
{
    return otf2_wire_is_narrow(wire) ? (uint32_t)v : v;
}

/* Exact bytes of a value. */
static inline unsigned otf2_wire_size(enum otf2_wire wire, uint64_t v)
{
    unsigned raw = otf2_wire_raw_bytes(wire);
    if (raw)
        return raw;
    v = otf2_wire_bits(wire, v);
    return 1 + (otf2_wire_is_undefined(wire, v) ? 0 : otf2_wire_significant(v));
}

/*
 * Writes a value and returns its end. A whole word is stored at once: at least nine bytes from `p`
 * on must be writable, whatever the value; a caller that has reserved the bounds of all values of a
 * record gives eight bytes of slack behind the last.
 */
static inline uint8_t *otf2_wire_put(uint8_t *p, enum otf2_wire wire, uint64_t v)
{
    unsigned bytes = otf2_wire_raw_bytes(wire);
    if (!bytes) {
        v = otf2_wire_bits(wire, v);
        if (otf2_wire_is_undefined(wire, v)) {
            *p = OTF2_WIRE_UNDEFINED;
            return p + 1;
        }
        bytes = otf2_wire_significant(v);
        *p++ = (uint8_t)bytes;
    }
    v = otf2_wire_left(v, bytes);
    memcpy(p, &v, sizeof v);
    return p + bytes;
}

/* The same without touching a byte behind the value, for the last record of a chunk. */
static inline uint8_t *otf2_wire_put_tight(uint8_t *p, enum otf2_wire wire, uint64_t v)
{
    uint8_t bytes[16];
    size_t n = (size_t)(otf2_wire_put(bytes, wire, v) - bytes);
    memcpy(p, bytes, n);
    return p + n;
}

/* Bytes that are read. `at` moves towards `end`, never beyond. */
struct otf2_wire_source {
    const uint8_t *at;
    const uint8_t *end;
    bool is_swapped; /* the chunk's byte order is not the host's */
};

static inline size_t otf2_wire_left_over(const struct otf2_wire_source *s)
{
    return (size_t)(s->end - s->at);
}

/* `bytes` (1 to 8, all there) as a number. */
static inline uint64_t otf2_wire_load(const struct otf2_wire_source *s, unsigned bytes)
{
    uint64_t v = 0;
    memcpy(&v, s->at, bytes);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return s->is_swapped ? __builtin_bswap64(v) >> (64 - 8 * bytes) : v;
#else
    return s->is_swapped ? __builtin_bswap64(v) : v >> (64 - 8 * bytes);
#endif
}

/* The value of narrower types, sign-extended where they are signed. */
static inline uint64_t otf2_wire_widen(enum otf2_wire wire, uint64_t v)
{
    if (wire == OTF2_WIRE_I8)
        return (uint64_t)(int64_t)(int8_t)v;
    if (wire == OTF2_WIRE_I16)
        return (uint64_t)(int64_t)(int16_t)v;
    if (wire == OTF2_WIRE_IVAR32)
        return (uint64_t)(int64_t)(int32_t)v;
    return v;
}

/*
 * Reads a single value. False, with the source unchanged, when it would reach past the end or its
 * count is impossible. Counts with leading zero bytes, which old writers made, are accepted.
 */
static inline bool otf2_wire_get(struct otf2_wire_source *s, enum otf2_wire wire, uint64_t *v)
{
    struct otf2_wire_source from = *s;
    unsigned bytes = otf2_wire_raw_bytes(wire);
    if (!bytes) {
        if (from.at >= from.end)
            return false;
        bytes = *from.at++;
        if (bytes == 0 || bytes == OTF2_WIRE_UNDEFINED) {
            uint64_t all = otf2_wire_is_narrow(wire) ? UINT32_MAX : UINT64_MAX;
            *v = otf2_wire_widen(wire, bytes ? all : 0);
            s->at = from.at;
            return true;
        }
        if (bytes > (otf2_wire_is_narrow(wire) ? 4u : 8u))
            return false;
    }
    if (bytes > otf2_wire_left_over(&from))
        return false;
    *v = otf2_wire_widen(wire, otf2_wire_load(&from, bytes));
    s->at = from.at + bytes;
    return true;
}

/*
 * The same without checks, for values in the byte order of the host with at least nine readable
 * bytes from *p on: numbers of one byte, with a count, or of eight raw bytes. *is_malformed is set
 * for an impossible count.
 */
static inline uint64_t otf2_wire_get_quick(const uint8_t **p, enum otf2_wire wire,
                                           bool *is_malformed)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    static const uint64_t masks[9] = {0,
                                      0xff,
                                      0xffff,
                                      0xffffff,
                                      0xffffffff,
                                      0xffffffffff,
                                      0xffffffffffff,
                                      0xffffffffffffff,
                                      0xffffffffffffffff};
#endif
    const uint8_t *at = *p;
    uint64_t v;
    if (wire == OTF2_WIRE_U8) {
        *p = at + 1;
        return *at;
    }
    if (wire == OTF2_WIRE_FIXED64 || wire == OTF2_WIRE_DOUBLE) {
        memcpy(&v, at, sizeof v);
        *p = at + sizeof v;
        return v;
    }
    unsigned n = *at;
    if (__builtin_expect(n > (otf2_wire_is_narrow(wire) ? 4u : 8u), 0)) {
        *is_malformed |= n != OTF2_WIRE_UNDEFINED;
        *p = at + 1;
        return UINT64_MAX;
    }
    memcpy(&v, at + 1, sizeof v);
    *p = at + 1 + n;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return v & masks[n];
#else
    return otf2_wire_right(v, n);
#endif
}

/* The length field of a record: one byte, or 0xff and eight. False when it is cut. */
static inline bool otf2_wire_get_length(struct otf2_wire_source *s, uint64_t *length)
{
    struct otf2_wire_source from = *s;
    if (!otf2_wire_get(&from, OTF2_WIRE_U8, length))
        return false;
    if (*length == OTF2_WIRE_LONG && !otf2_wire_get(&from, OTF2_WIRE_FIXED64, length))
        return false;
    s->at = from.at;
    return true;
}

/* Bytes of the length field for a record whose attributes take at most `estimate` bytes. */
static inline unsigned otf2_wire_length_bytes(uint64_t estimate)
{
    return estimate < OTF2_WIRE_LONG ? 1 : 9;
}

/* Fills the length field of that many bytes in front of the attributes. */
static inline void otf2_wire_set_length(uint8_t *attributes, unsigned field, uint64_t length)
{
    if (field == 1) {
        attributes[-1] = (uint8_t)length;
        return;
    }
    attributes[-9] = OTF2_WIRE_LONG;
    memcpy(attributes - 8, &length, sizeof length);
}

#endif
