/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/cell.h"
#include "format/error.h"
#include "format/idmap.h"
#include "format/memory.h"
#include "reader/evt_reader.h"
#include "reader/global_reader.h"

/* Most bytes of attributes that a function without checks may read; see OTF2_TIMED_SLACK. */
enum { FAST_BYTES = 254 };

/* ---- mapping of values by the location's own definitions ---- */

static inline void map_cell(const OTF2_EvtReader *e, int mapping, void *cell, size_t bytes)
{
    const OTF2_IdMap *map = e->maps[mapping];
    if (map)
        otf2_cell_store(cell, bytes, otf2_idmap_get(map, otf2_cell_load(cell, bytes)));
}

/* The array belongs to the reader: the struct with the pointer borrows the array. */
static inline void map_array(const OTF2_EvtReader *e, int mapping, const void *pointer,
                             size_t bytes, uint64_t n)
{
    char *array;
    memcpy(&array, pointer, sizeof array);
    for (uint64_t i = 0; i < n; i++)
        map_cell(e, mapping, array + i * bytes, bytes);
}

static __attribute__((noinline)) void map_attributes(OTF2_EvtReader *e)
{
    static const uint8_t mappings[] = {
        [OTF2_TYPE_NONE] = OTF2_MAPPING_MAX,
#define OTF2_REF__ OTF2_REF_UNMAPPED
#define VALUE_TYPE(NAME, Name, c_type, member, wire, ref) [OTF2_TYPE_##NAME] = OTF2_REF_##ref,
#include <otf2/otf2_types.def>
#undef VALUE_TYPE
#undef OTF2_REF__
    };
    for (uint32_t i = 0; i < e->attributes.n; i++) {
        struct otf2_attribute *entry = &e->attributes.entries[i];
        map_cell(e, OTF2_MAPPING_ATTRIBUTE, &entry->attribute, sizeof entry->attribute);
        int mapping = entry->type < sizeof mappings ? mappings[entry->type] : OTF2_MAPPING_MAX;
        if (mapping < OTF2_MAPPING_MAX)
            map_cell(e, mapping, &entry->value, otf2_wire_cell_bytes(otf2_value_wire(entry->type)));
    }
}

/*
 * Corrects another time of this location. Afterwards the current interval of the clock may have
 * changed, so e->time is corrected anew.
 */
static __attribute__((noinline)) OTF2_TimeStamp correct(OTF2_EvtReader *e, OTF2_TimeStamp time)
{
    OTF2_TimeStamp corrected = otf2_clock_correct(&e->clock_at, e->clock, time);
    e->time = otf2_clock_correct(&e->clock_at, e->clock, e->stream.time);
    return corrected;
}

/* ---- from a decoded event to the program ---- */

static bool has_older(enum otf2_evt_index number)
{
    return number == OTF2_EVT_ThreadFork || number == OTF2_EVT_ThreadJoin ||
           number == OTF2_EVT_ThreadAcquireLock || number == OTF2_EVT_ThreadReleaseLock ||
           number == OTF2_EVT_CallingContextEnter || number == OTF2_EVT_CallingContextLeave;
}

static inline enum otf2_evt_step delivered(OTF2_EvtReader *e, OTF2_CallbackCode code)
{
    if (__builtin_expect(e->has_attributes, 0)) {
        otf2_attributes_clear(&e->attributes);
        e->has_attributes = false;
    }
    return code == OTF2_CALLBACK_SUCCESS ? OTF2_EVT_DELIVERED : OTF2_EVT_INTERRUPTED;
}

#define ARGUMENT(Row, kind, name) , r->name
#define WIRE(kind) ((enum otf2_wire)OTF2_WIRE_OF_##kind)
#define TAKE_COUNT(Row, kind, name)                                                                \
    if ((int)OTF2_IS_COUNT_##kind)                                                                 \
        count = otf2_cell_load(&r->name, sizeof r->name);
#define MAP(Row, kind, name)                                                                       \
    if ((int)OTF2_MAPPING_OF_##kind < (int)OTF2_MAPPING_MAX) {                                     \
        if (OTF2_IS_ARRAY_##kind)                                                                  \
            map_array(e, OTF2_MAPPING_OF_##kind, &r->name, otf2_wire_cell_bytes(WIRE(kind)),       \
                      count);                                                                      \
        else                                                                                       \
            map_cell(e, OTF2_MAPPING_OF_##kind, &r->name, otf2_wire_cell_bytes(WIRE(kind)));       \
    }
#define CORRECT(Row, kind, name)                                                                   \
    if ((int)OTF2_KIND_##kind == OTF2_KIND_TIME && e->clock)                                       \
        otf2_cell_store(&r->name, sizeof r->name,                                                  \
                        correct(e, otf2_cell_load(&r->name, sizeof r->name)));

#define CALL_LOCAL(Name, ...)                                                                      \
    e->callbacks.Name(e->id, time, e->position, e->user_data,                                      \
                      &e->attributes OTF2_SEQ(ARGUMENT, Name, __VA_ARGS__))
#define CALL_GLOBAL(Name, ...)                                                                     \
    g->callbacks.Name(e->id, time, g->user_data,                                                   \
                      &e->attributes OTF2_SEQ(ARGUMENT, Name, __VA_ARGS__))

/* The presence of a callback is known before, so skipping is cheap. */
#define FINISH(who, Name, callbacks_of, CALL, ...)                                                 \
    static inline __attribute__((always_inline)) enum otf2_evt_step finish_##who##_##Name(         \
        OTF2_EvtReader *e, OTF2_GlobalEvtReader *g, struct otf2_evt_##Name *r)                     \
    {                                                                                              \
        const OTF2_TimeStamp time = e->time;                                                       \
        uint64_t count = 0;                                                                        \
        (void)g, (void)r, (void)count;                                                             \
        if (e->has_maps) {                                                                         \
            OTF2_SEQ(TAKE_COUNT, Name, __VA_ARGS__)                                                \
            OTF2_SEQ(MAP, Name, __VA_ARGS__)                                                       \
            if (e->has_attributes)                                                                 \
                map_attributes(e);                                                                 \
        }                                                                                          \
        OTF2_SEQ(CORRECT, Name, __VA_ARGS__)                                                       \
        OTF2_CallbackCode code = OTF2_CALLBACK_SUCCESS;                                            \
        if (callbacks_of->callbacks.Name)                                                          \
            code = CALL(Name, __VA_ARGS__);                                                        \
        else if (has_older(OTF2_EVT_##Name))                                                       \
            code = otf2_evt_call_older(e, g, time, OTF2_EVT_##Name, r);                            \
        return delivered(e, code);                                                                 \
    }
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    FINISH(local, Name, e, CALL_LOCAL, __VA_ARGS__)                                                \
    FINISH(global, Name, g, CALL_GLOBAL, __VA_ARGS__)
#include <otf2/otf2_events.def>
#undef EVENT

/* ---- the unusual way ---- */

typedef enum otf2_evt_step finish_any(OTF2_EvtReader *e, OTF2_GlobalEvtReader *g, void *record);

#define EVENT(Name, ...)                                                                           \
    static enum otf2_evt_step finish_any_##Name(OTF2_EvtReader *e, OTF2_GlobalEvtReader *g,        \
                                                void *record)                                      \
    {                                                                                              \
        struct otf2_evt_##Name *r = record;                                                        \
        return g ? finish_global_##Name(e, g, r) : finish_local_##Name(e, NULL, r);                \
    }
#include <otf2/otf2_events.def>
#undef EVENT

static finish_any *const finishers[OTF2_EVTS] = {
#define EVENT(Name, ...) finish_any_##Name,
#include <otf2/otf2_events.def>
#undef EVENT
};

static enum otf2_evt_step finish_unknown(OTF2_EvtReader *e, OTF2_GlobalEvtReader *g)
{
    OTF2_CallbackCode code = OTF2_CALLBACK_SUCCESS;
    if (e->has_maps && e->has_attributes)
        map_attributes(e);
    if (g && g->callbacks.Unknown)
        code = g->callbacks.Unknown(e->id, e->time, g->user_data, &e->attributes);
    else if (!g && e->callbacks.Unknown)
        code = e->callbacks.Unknown(e->id, e->time, e->position, e->user_data, &e->attributes);
    return delivered(e, code);
}

static bool make_scratch(OTF2_EvtReader *e, size_t bytes)
{
    if (bytes <= e->scratch_bytes)
        return true;
    otf2_mem_free(e->scratch);
    e->scratch = otf2_mem_new(bytes);
    e->scratch_bytes = e->scratch ? bytes : 0;
    return e->scratch != NULL;
}

enum otf2_evt_step otf2_evt_deliver_checked(OTF2_EvtReader *e, const uint8_t *p,
                                            OTF2_GlobalEvtReader *g)
{
    (void)p;
    struct otf2_timed_record record;
    union otf2_any_record data;
    enum otf2_timed_step step = otf2_timed_next(&e->stream, &e->attributes, &record);
    if (step != OTF2_TIMED_RECORD)
        return step == OTF2_TIMED_END ? OTF2_EVT_ENDED : OTF2_EVT_FAILED;
    if (record.row) {
        struct otf2_wire_source source = {record.attributes, record.end, e->stream.is_swapped};
        if (!make_scratch(e, otf2_record_scratch(otf2_wire_left_over(&source)))) {
            otf2_timed_fail(&e->stream, OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for a record");
            return OTF2_EVT_FAILED;
        }
        if (!otf2_record_decode(&source, record.row, &data, e->scratch, e->scratch_bytes)) {
            otf2_timed_malformed(&e->stream, record.row->name);
            return OTF2_EVT_FAILED;
        }
    }
    e->stream.at = record.end;
    e->position += !g;
    return record.row ? finishers[record.row->index](e, g, &data) : finish_unknown(e, g);
}

/* ---- the usual way ---- */

const uint8_t *otf2_evt_take_list(OTF2_EvtReader *e, const uint8_t *p)
{
    p = otf2_attributes_decode_short(p, &e->attributes);
    if (!p || *p < OTF2_FRAME_FIRST_RECORD)
        return NULL;
    e->has_attributes = true;
    e->stream.at = p;
    return p;
}

#define DECLARE_ROOM(Row, kind, name)                                                              \
    uint64_t room_##name[OTF2_IS_ARRAY_##kind ? elements : 1];                                     \
    (void)room_##name;
#define GET_SCALAR(Row, kind, name)                                                                \
    if (!OTF2_IS_ARRAY_##kind) {                                                                   \
        uint64_t v = otf2_wire_get_quick(&p, WIRE(kind), &is_malformed);                           \
        otf2_cell_store(&r.name, otf2_wire_cell_bytes(WIRE(kind)), v);                             \
        if ((int)OTF2_IS_COUNT_##kind)                                                             \
            count = (uint32_t)v;                                                                   \
    }
#define PLACE_ARRAY(Row, kind, name)                                                               \
    if (OTF2_IS_ARRAY_##kind) {                                                                    \
        void *array = room_##name;                                                                 \
        memcpy(&r.name, &array, sizeof array);                                                     \
    }
#define GET_ELEMENT(Row, kind, name)                                                               \
    if (OTF2_IS_ARRAY_##kind)                                                                      \
        otf2_cell_store((char *)room_##name + i * otf2_wire_cell_bytes(WIRE(kind)),                \
                        otf2_wire_cell_bytes(WIRE(kind)),                                          \
                        otf2_wire_get_quick(&p, WIRE(kind), &is_malformed));

/*
 * A length field of one byte must equal the bytes read. All other cases (longer records of later
 * versions, long lengths, malformed values) are left to the checked way.
 */
#define DELIVER(who, Name, major, minor, ...)                                                      \
    static enum otf2_evt_step deliver_##who##_##Name(OTF2_EvtReader *e, const uint8_t *p,          \
                                                     OTF2_GlobalEvtReader *g)                      \
    {                                                                                              \
        enum {                                                                                     \
            is_framed = !OTF2_ROW_IS_SINGLETON(Name, major, minor, __VA_ARGS__),                   \
            bound = OTF2_ROW_BOUND(Name, __VA_ARGS__),                                             \
            element = OTF2_ROW_ELEMENT_BOUND(Name, __VA_ARGS__),                                   \
            elements = OTF2_ROW_HAS_ARRAYS(Name, __VA_ARGS__)                                      \
                           ? (FAST_BYTES - bound) / (element ? element : 1)                        \
                           : 0                                                                     \
        };                                                                                         \
        struct otf2_evt_##Name r;                                                                  \
        OTF2_SEQ(DECLARE_ROOM, Name, __VA_ARGS__)                                                  \
        uint64_t count = 0;                                                                        \
        bool is_malformed = false;                                                                 \
        const uint8_t *begin = p + 1 + is_framed;                                                  \
        unsigned length = p[is_framed];                                                            \
        p = begin;                                                                                 \
        OTF2_SEQ(GET_SCALAR, Name, __VA_ARGS__)                                                    \
        if (count > elements)                                                                      \
            return otf2_evt_deliver_checked(e, p, g);                                              \
        OTF2_SEQ(PLACE_ARRAY, Name, __VA_ARGS__)                                                   \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            OTF2_SEQ(GET_ELEMENT, Name, __VA_ARGS__)                                               \
        }                                                                                          \
        if (__builtin_expect(is_malformed || (is_framed && p != begin + length), 0))               \
            return otf2_evt_deliver_checked(e, p, g);                                              \
        e->stream.at = p;                                                                          \
        ADVANCE_##who;                                                                             \
        return finish_##who##_##Name(e, g, &r);                                                    \
    }
#define ADVANCE_local e->position++
#define ADVANCE_global (void)0
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    DELIVER(local, Name, major, minor, __VA_ARGS__)                                                \
    DELIVER(global, Name, major, minor, __VA_ARGS__)
#include <otf2/otf2_events.def>
#undef EVENT

otf2_evt_deliver *const otf2_evt_deliver_local[256] = {
#define EVENT(Name, NAME, id, ...) [id] = deliver_local_##Name,
#include <otf2/otf2_events.def>
#undef EVENT
};

otf2_evt_deliver *const otf2_evt_deliver_global[256] = {
#define EVENT(Name, NAME, id, ...) [id] = deliver_global_##Name,
#include <otf2/otf2_events.def>
#undef EVENT
};
