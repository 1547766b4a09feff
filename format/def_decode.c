/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/def_decode.h"

#include "format/attributes.h"
#include "format/cell.h"
#include "format/obsolete.h"

/* The bytes to be read, and the room for arrays. `at` may pass `end` by the cells of a record. */
struct reading {
    const uint8_t *at;
    const uint8_t *end;
    char *room;
    char *room_end;
    uint64_t count; /* of the array behind */
    OTF2_Type type; /* of the value behind */
    bool is_unusual;
};

/* The handling of a cell, by its kind: a constant in each use. */
struct cell {
    enum otf2_wire wire;
    bool is_array, is_count, is_type;
};
static const struct cell cells[OTF2_KINDS] = {
#define KIND(NAME, c_type, wire, shown, detail)                                                    \
    {OTF2_WIRE_##wire, OTF2_IS_ARRAY_##NAME, OTF2_IS_COUNT_##NAME,                                 \
     (int)OTF2_KIND_##NAME == (int)OTF2_KIND_TYPE},
#include <otf2/otf2_kinds.def>
#undef KIND
};

/* All handling of a cell is inlined for each kind, so nothing is asked at run time. */
#define INLINE static inline __attribute__((always_inline))

INLINE void get_text(struct reading *s, void *to)
{
    const uint8_t *nul = s->at < s->end ? memchr(s->at, 0, (size_t)(s->end - s->at)) : NULL;
    memcpy(to, &s->at, sizeof s->at);
    s->is_unusual |= !nul;
    s->at = nul ? nul + 1 : s->end;
}

INLINE void get_value(struct reading *s, void *to)
{
    struct otf2_wire_source source = {s->at, s->end, false};
    s->is_unusual |= s->at >= s->end || !otf2_value_decode(&source, s->type, to);
    s->at = source.at;
}

INLINE void get_array(struct reading *s, struct cell cell, void *to)
{
    unsigned bytes = otf2_wire_cell_bytes(cell.wire);
    char *array = s->room;
    memcpy(to, &array, sizeof array);
    /* In the file an element has at least a byte. */
    if (s->at > s->end || s->count > (size_t)(s->end - s->at) ||
        s->count > (size_t)(s->room_end - s->room) / sizeof(uint64_t)) {
        s->is_unusual = true;
        return;
    }
    uint64_t i = 0;
    for (; i < s->count && s->at < s->end; i++)
        otf2_cell_store(array + i * bytes, bytes,
                        otf2_wire_get_quick(&s->at, cell.wire, &s->is_unusual));
    s->is_unusual |= i < s->count;
    /* Several arrays with a common count stand element by element, an unusual layout. */
    s->count = UINT64_MAX;
}

INLINE void get(struct reading *s, struct cell cell, void *to)
{
    bool is_array_of_values = cell.is_array && cell.wire == OTF2_WIRE_VALUE;
    if (cell.wire == OTF2_WIRE_IDMAP || is_array_of_values) {
        s->is_unusual = true;
    } else if (cell.wire == OTF2_WIRE_TEXT) {
        get_text(s, to);
    } else if (cell.wire == OTF2_WIRE_VALUE) {
        get_value(s, to);
    } else if (cell.is_array) {
        get_array(s, cell, to);
    } else {
        uint64_t v = otf2_wire_get_quick(&s->at, cell.wire, &s->is_unusual);
        otf2_cell_store(to, otf2_wire_cell_bytes(cell.wire), v);
        if (cell.is_count)
            s->count = otf2_wire_is_narrow(cell.wire) ? (uint32_t)v : v;
        if (cell.is_type)
            s->type = (OTF2_Type)v;
    }
}

typedef void decode_function(struct reading *s, void *data);

/* ---- records with the cells in the order of their fields ---- */

#define GET(Row, kind, name) get(&s, cells[OTF2_KIND_##kind], &r->name);
#define SHARED_DEF(Name, NAME, id, major, minor, ...)                                              \
    static void decode_##Name(struct reading *reading, void *data)                                 \
    {                                                                                              \
        struct reading s = *reading;                                                               \
        struct otf2_def_##Name *r = data;                                                          \
        OTF2_SEQ(GET, Name, __VA_ARGS__)                                                           \
        *reading = s;                                                                              \
    }
#define GLOBAL_DEF SHARED_DEF
#define LOCAL_DEF SHARED_DEF
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef GLOBAL_DEF
#undef LOCAL_DEF

static decode_function *const by_fields[OTF2_DEFS] = {
#define SHARED_DEF(Name, ...) [OTF2_DEF_##Name] = decode_##Name,
#define GLOBAL_DEF SHARED_DEF
#define LOCAL_DEF SHARED_DEF
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef GLOBAL_DEF
#undef LOCAL_DEF
};

/* ---- records whose layout has changed ---- */

/* Region_name_kind, ...: the kind of a cell by its name. */
#define KIND_OF(Row, kind, name) Row##_##name##_kind = OTF2_KIND_##kind,
#define SHARED_DEF(Name, NAME, id, major, minor, ...)                                              \
    enum { OTF2_SEQ(KIND_OF, Name, __VA_ARGS__) Name##_kinds_end_ };
#define GLOBAL_DEF SHARED_DEF
#define LOCAL_DEF SHARED_DEF
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef GLOBAL_DEF
#undef LOCAL_DEF

#define STEP(Row, since, name) STEP_##since(Row, name)
#define STEP_0(Row, name)                                                                          \
    otf2_wire_get_quick(&s.at, otf2_obsolete_wire(OTF2_OBSOLETE_##Row##_##name), &s.is_unusual);
#define STEP_10(Row, name) get(&s, cells[Row##_##name##_kind], &r->name);
#define STEP_11 STEP_10
#define STEP_12 STEP_10
#define STEP_13 STEP_10
#define STEP_14 STEP_10
#define STEP_20 STEP_10
#define STEP_30 STEP_10
#define LAYOUT(Name, ...)                                                                          \
    static void decode_steps_##Name(struct reading *reading, void *data)                           \
    {                                                                                              \
        struct reading s = *reading;                                                               \
        struct otf2_def_##Name *r = data;                                                          \
        OTF2_SEQ(STEP, Name, __VA_ARGS__)                                                          \
        *reading = s;                                                                              \
    }
#include <otf2/otf2_layouts.def>
#undef LAYOUT

static decode_function *const by_steps[OTF2_DEFS] = {
#define LAYOUT(Name, ...) [OTF2_DEF_##Name] = decode_steps_##Name,
#include <otf2/otf2_layouts.def>
#undef LAYOUT
};

bool otf2_def_decode(const uint8_t *at, const uint8_t *end, const struct otf2_record *rec,
                     void *data, void *scratch, size_t room)
{
    struct reading s = {.at = at,
                        .end = end,
                        .room = scratch,
                        .room_end = room ? (char *)scratch + room : scratch};
    decode_function *decode = by_steps[rec->index];
    if (!decode)
        decode = by_fields[rec->index];
    decode(&s, data);
    return !s.is_unusual && s.at <= s.end;
}
