/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The attributes of an event as straight-line code per record, derived from the table, with
 * references mapped and looked up on the way: millions of them a second pass here.
 *
 * The source is followed by CHUNK_SLACK readable bytes.
 */
#ifndef CHECK_DECODE_H
#define CHECK_DECODE_H

#include "tools/check/check.h"

/* What a kind of cell means, as constants. */
enum {
#define DECODE_NUMBER_(d) (-1)
#define DECODE_TIME_(d) (-1)
#define DECODE_TEXT_(d) (-1)
#define DECODE_VALUE_(d) (-1)
#define DECODE_IDMAP_(d) (-1)
#define DECODE_ENUM_(d) (-1)
#define DECODE_COUNT_(d) (-1)
#define DECODE_REF_(d) OTF2_REF_##d
#define DECODE_ARRAY_NUMBER_(d) (-1)
#define DECODE_ARRAY_ENUM_(d) (-1)
#define DECODE_ARRAY_REF_(d) OTF2_REF_##d
#define DECODE_ARRAY_VALUE_(d) (-1)
#define KIND(NAME, c_type, wire, shown, detail) DECODE_REF_OF_##NAME = DECODE_##shown##_(detail),
#include <otf2/otf2_kinds.def>
#undef KIND
    DECODE_REFS_END_
};

enum {
#define ENUM_NONE_ (-1)
#define DECODE_ENUM_NUMBER_(d) ENUM_NONE_
#define DECODE_ENUM_TIME_(d) ENUM_NONE_
#define DECODE_ENUM_TEXT_(d) ENUM_NONE_
#define DECODE_ENUM_VALUE_(d) ENUM_NONE_
#define DECODE_ENUM_IDMAP_(d) ENUM_NONE_
#define DECODE_ENUM_ENUM_(d) OTF2_ENUM_##d
#define DECODE_ENUM_COUNT_(d) ENUM_NONE_
#define DECODE_ENUM_REF_(d) ENUM_NONE_
#define DECODE_ENUM_ARRAY_NUMBER_(d) ENUM_NONE_
#define DECODE_ENUM_ARRAY_ENUM_(d) ENUM_NONE_
#define DECODE_ENUM_ARRAY_REF_(d) ENUM_NONE_
#define DECODE_ENUM_ARRAY_VALUE_(d) ENUM_NONE_
#define KIND(NAME, c_type, wire, shown, detail)                                                    \
    DECODE_ENUM_OF_##NAME = DECODE_ENUM_##shown##_(detail),
#include <otf2/otf2_kinds.def>
#undef KIND
    DECODE_ENUMS_END_
};

/* As otf2_wire_get, for a source with slack. */
static inline bool quick_get(struct otf2_wire_source *s, enum otf2_wire wire, uint64_t *v)
{
    unsigned bytes = otf2_wire_raw_bytes(wire);
    if (s->at >= s->end)
        return false;
    if (!bytes) {
        bytes = *s->at++;
        if (bytes == 0 || bytes == OTF2_WIRE_UNDEFINED) {
            *v = !bytes ? 0 : wire == OTF2_WIRE_VAR32 ? UINT32_MAX : UINT64_MAX;
            return true;
        }
        if (bytes > (otf2_wire_is_narrow(wire) ? 4u : 8u))
            return false;
    }
    if (bytes > otf2_wire_left_over(s))
        return false;
    *v = otf2_wire_load(&(struct otf2_wire_source){s->at, s->end, s->is_swapped}, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    *v = s->is_swapped ? *v >> (64 - 8 * bytes) : *v & (UINT64_MAX >> (64 - 8 * bytes));
#else
    *v = s->is_swapped ? *v & (UINT64_MAX >> (64 - 8 * bytes)) : *v >> (64 - 8 * bytes);
#endif
    *v = otf2_wire_widen(wire, *v);
    s->at += bytes;
    return true;
}

/* events.c: an id through the location's mapping table, and whether it is defined. */
uint64_t map_reference(struct check *c, struct location *at, enum otf2_ref ref, uint64_t id);
void undefined_reference(struct check *c, struct location *at, const char *record,
                         const char *field, uint64_t id);
void unknown_enum(struct check *c, struct location *at, const char *record, const char *field,
                  uint64_t value);

static inline uint64_t resolve(struct check *c, struct location *at, enum otf2_ref ref, uint64_t id,
                               const char *record, const char *field)
{
    if (ref < OTF2_REF_UNMAPPED && at->maps[ref])
        id = map_reference(c, at, ref, id);
    if (!is_defined(c, ref, id))
        undefined_reference(c, at, record, field, id);
    return id;
}

#endif
