/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/print/print_records.h"

#include "tools/print/print_columns.h"
#include "tools/print/print_define.h"
#include "tools/print/print_definitions.h"
#include "tools/print/print_enums.h"
#include "tools/print/print_options.h"
#include "tools/print/print_tree.h"
#include "tools/print/print_values.h"

enum { LOCATION_WIDTH = 15, TIME_WIDTH = 20, ID_WIDTH = 12, UNWIND_COLUMN = 71 };

/* ---- timed records ---- */

static bool is_wanted(OTF2_TimeStamp time)
{
    return time >= options.min_time && time <= options.max_time;
}

/* What tells how a caller has changed since the last event, see --unwind-calling-context. */
static char unwind_mark(uint32_t distance, uint32_t index)
{
    if (distance == OTF2_UNDEFINED_UINT32)
        return '?';
    if (index + 1 == distance)
        return '*';
    return index < distance ? '+' : ' ';
}

static void put_callers(OTF2_CallingContextRef context, uint32_t distance)
{
    const struct definition *definition = definition_find(OTF2_REF_CallingContext, context);
    for (uint32_t i = 0; definition; i++) {
        put_blanks(UNWIND_COLUMN);
        put_char(unwind_mark(distance, i));
        put_text(definition->shown);
        put_char('\n');
        context = definition->calling_context.parent;
        definition = definition->calling_context.caller;
    }
    if (context == OTF2_UNDEFINED_CALLING_CONTEXT)
        return;
    put_blanks(UNWIND_COLUMN);
    put_reference(OTF2_REF_CallingContext, context);
    put_char('\n');
}

static void unwind(enum otf2_evt_index event, const void *record)
{
    if (event == OTF2_EVT_CallingContextEnter) {
        const struct otf2_evt_CallingContextEnter *enter = record;
        put_callers(enter->callingContext, enter->unwindDistance);
    } else if (event == OTF2_EVT_CallingContextLeave) {
        const struct otf2_evt_CallingContextLeave *leave = record;
        put_callers(leave->callingContext, 1);
    } else if (event == OTF2_EVT_CallingContextSample) {
        const struct otf2_evt_CallingContextSample *sample = record;
        put_callers(sample->callingContext, sample->unwindDistance);
    }
}

static void put_timed(const struct shape *shape, OTF2_LocationRef location, OTF2_TimeStamp time,
                      const void *record)
{
    put_bytes(shape->title.bytes, shape->title.length);
    put_padded(location, LOCATION_WIDTH);
    put_char(' ');
    put_time(time, TIME_WIDTH);
    put_bytes("  ", 2);
    put_columns(shape, record, location);
    put_char('\n');
}

static OTF2_CallbackCode unknown_event(OTF2_LocationRef location, OTF2_TimeStamp time,
                                       void *user_data, OTF2_AttributeList *attributes)
{
    (void)user_data;
    if (!is_wanted(time))
        return OTF2_CALLBACK_SUCCESS;
    put_format("%-*s%*llu %*llu\n", EVENT_TITLE, "UNKNOWN", LOCATION_WIDTH,
               (unsigned long long)location, TIME_WIDTH, (unsigned long long)time);
    put_attributes(attributes);
    return OTF2_CALLBACK_SUCCESS;
}

static void print_event(enum otf2_evt_index event, OTF2_LocationRef location, OTF2_TimeStamp time,
                        OTF2_AttributeList *attributes, const void *record)
{
    if (!is_wanted(time))
        return;
    if (options.as_3_0 && !event_shapes[event].is_of_3_0) {
        (void)unknown_event(location, time, NULL, attributes);
        return;
    }
    put_timed(&event_shapes[event], location, time, record);
    if (options.unwind)
        unwind(event, record);
    put_attributes(attributes);
}

/* Is shown at the time of the event that it repeats. */
static void print_snap(enum otf2_snap_index snap, OTF2_LocationRef location, OTF2_TimeStamp time,
                       const OTF2_AttributeList *attributes, const void *record)
{
    const struct shape *shape = &snap_shapes[snap];
    if (shape->time >= 0)
        time = column_value(record, (unsigned)shape->time, sizeof time);
    if (!is_wanted(time))
        return;
    put_timed(shape, location, time, record);
    put_attributes(attributes);
}

#define MEMBER(Row, kind, name) .name = name,
#define FILL(type, ...) struct otf2_##type data = {OTF2_SEQ(MEMBER, _, __VA_ARGS__).end_ = 0}

#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    static OTF2_CallbackCode event_##Name(                                                         \
        OTF2_LocationRef location_id, OTF2_TimeStamp event_time, void *user_data,                  \
        OTF2_AttributeList *attributes OTF2_SEQ(OTF2_PARAM, Name, __VA_ARGS__))                    \
    {                                                                                              \
        (void)user_data;                                                                           \
        FILL(evt_##Name, __VA_ARGS__);                                                             \
        print_event(OTF2_EVT_##Name, location_id, event_time, attributes, &data);                  \
        return OTF2_CALLBACK_SUCCESS;                                                              \
    }
#include <otf2/otf2_events.def>
#undef EVENT

#define SNAP(Name, NAME, id, major, minor, ...)                                                    \
    static OTF2_CallbackCode snap_##Name(OTF2_LocationRef location_id, OTF2_TimeStamp snap_time,   \
                                         void *user_data,                                          \
                                         OTF2_AttributeList *attributes OTF2_SEQ(OTF2_PARAM, Name, \
                                                                                 __VA_ARGS__))     \
    {                                                                                              \
        (void)user_data;                                                                           \
        FILL(snap_##Name, __VA_ARGS__);                                                            \
        print_snap(OTF2_SNAP_##Name, location_id, snap_time, attributes, &data);                   \
        return OTF2_CALLBACK_SUCCESS;                                                              \
    }
#include <otf2/otf2_snaps.def>
#undef SNAP

/* NOLINTNEXTLINE(readability-function-size): a statement is a row of the table */
OTF2_GlobalEvtReaderCallbacks *event_callbacks(void)
{
    OTF2_GlobalEvtReaderCallbacks *callbacks = OTF2_GlobalEvtReaderCallbacks_New();
    if (!callbacks)
        return NULL;
    OTF2_GlobalEvtReaderCallbacks_SetUnknownCallback(callbacks, unknown_event);
#define EVENT(Name, ...) OTF2_GlobalEvtReaderCallbacks_Set##Name##Callback(callbacks, event_##Name);
#include <otf2/otf2_events.def>
#undef EVENT
    return callbacks;
}

OTF2_GlobalSnapReaderCallbacks *snapshot_callbacks(void)
{
    OTF2_GlobalSnapReaderCallbacks *callbacks = OTF2_GlobalSnapReaderCallbacks_New();
    if (!callbacks)
        return NULL;
    OTF2_GlobalSnapReaderCallbacks_SetUnknownCallback(callbacks, unknown_event);
#define SNAP(Name, ...) OTF2_GlobalSnapReaderCallbacks_Set##Name##Callback(callbacks, snap_##Name);
#include <otf2/otf2_snaps.def>
#undef SNAP
    return callbacks;
}

/* ---- global definitions ---- */

static void print_definition(enum otf2_def_index index, const void *record)
{
    const struct shape *shape = &definition_shapes[index];
    define(index, record);
    if (options.system_tree)
        tree_add(index, record);
    if (!options.global_definitions && !options.all)
        return;
    put_bytes(shape->title.bytes, shape->title.length);
    if (shape->has_id)
        put_padded(column_value(record, shape->id.offset, shape->id.size), ID_WIDTH);
    else
        put_blanks(ID_WIDTH);
    put_bytes("  ", 2);
    put_columns(shape, record, OTF2_UNDEFINED_LOCATION);
    put_char('\n');
}

static OTF2_CallbackCode unknown_definition(void *user_data)
{
    (void)user_data;
    if (options.global_definitions || options.all)
        put_format("%-*s\n", DEFINITION_TITLE - 1, "UNKNOWN");
    return OTF2_CALLBACK_SUCCESS;
}

#define SHARED_DEF(Name, NAME, id, major, minor, ...)                                              \
    static OTF2_CallbackCode definition_##Name(                                                    \
        void *user_data OTF2_SEQ(OTF2_PARAM, Name, __VA_ARGS__))                                   \
    {                                                                                              \
        (void)user_data;                                                                           \
        FILL(def_##Name, __VA_ARGS__);                                                             \
        print_definition(OTF2_DEF_##Name, &data);                                                  \
        return OTF2_CALLBACK_SUCCESS;                                                              \
    }
#define GLOBAL_DEF SHARED_DEF
#define LOCAL_DEF(...)
#include <otf2/otf2_defs.def>
#undef SHARED_DEF

OTF2_GlobalDefReaderCallbacks *definition_callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    if (!callbacks)
        return NULL;
    OTF2_GlobalDefReaderCallbacks_SetUnknownCallback(callbacks, unknown_definition);
#define SHARED_DEF(Name, ...)                                                                      \
    OTF2_GlobalDefReaderCallbacks_Set##Name##Callback(callbacks, definition_##Name);
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef GLOBAL_DEF
#undef LOCAL_DEF
    return callbacks;
}

/* ---- local definitions; the user data is the location ---- */

static void put_local(const char *title, const void *user_data)
{
    put_format("%-*s%*llu  ", DEFINITION_TITLE, title, ID_WIDTH,
               (unsigned long long)*(const OTF2_LocationRef *)user_data);
}

static void put_global_id(uint64_t id)
{
    if (id == OTF2_UNDEFINED_UINT64)
        put_string("UNDEFINED");
    else
        put_unsigned(id);
}

struct pairs {
    uint64_t n;
    OTF2_IdMapMode mode;
};

static void put_pair(uint64_t local, uint64_t global, void *user_data)
{
    struct pairs *pairs = user_data;
    if (pairs->n++)
        put_char(',');
    if (pairs->mode == OTF2_ID_MAP_SPARSE) {
        put_unsigned(local);
        put_string("=>");
    }
    put_global_id(global);
}

static OTF2_CallbackCode mapping_table(void *user_data, OTF2_MappingType type,
                                       const OTF2_IdMap *map)
{
    struct pairs pairs = {0, OTF2_ID_MAP_DENSE};
    OTF2_IdMap_GetMode(map, &pairs.mode);
    bool is_dense = pairs.mode == OTF2_ID_MAP_DENSE;
    put_local("MAPPING_TABLE", user_data);
    put_string("Type: ");
    put_enum(OTF2_ENUM_MappingType, type);
    put_string(is_dense ? ", [" : ", {");
    OTF2_IdMap_Traverse(map, put_pair, &pairs);
    put_string(is_dense ? "]\n" : "}\n");
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode clock_offset(void *user_data, OTF2_TimeStamp time, int64_t offset,
                                      double deviation)
{
    put_local("CLOCK_OFFSET", user_data);
    put_format("Time: %llu, Offset: %+lli, StdDev: %g\n", (unsigned long long)time,
               (long long)offset, deviation);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_DefReaderCallbacks *local_definition_callbacks(void)
{
    OTF2_DefReaderCallbacks *callbacks = OTF2_DefReaderCallbacks_New();
    if (!callbacks)
        return NULL;
    if (options.mappings)
        OTF2_DefReaderCallbacks_SetMappingTableCallback(callbacks, mapping_table);
    if (options.clock_offsets)
        OTF2_DefReaderCallbacks_SetClockOffsetCallback(callbacks, clock_offset);
    return callbacks;
}
