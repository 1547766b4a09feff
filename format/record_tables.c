/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/names.h"
#include "format/record.h"

/* An array is handled element by element, so its size is that of one element. */
#define SIZE_NUMBER(t) sizeof(t)
#define SIZE_TIME(t) sizeof(t)
#define SIZE_TEXT(t) sizeof(t)
#define SIZE_VALUE(t) sizeof(t)
#define SIZE_IDMAP(t) sizeof(t)
#define SIZE_ENUM(t) sizeof(t)
#define SIZE_REF(t) sizeof(t)
#define SIZE_COUNT(t) sizeof(t)
#define SIZE_ARRAY_NUMBER(t) sizeof(*(t){0})
#define SIZE_ARRAY_ENUM(t) sizeof(*(t){0})
#define SIZE_ARRAY_REF(t) sizeof(*(t){0})
#define SIZE_ARRAY_VALUE(t) sizeof(*(t){0})

#define DETAIL_NUMBER(d) 0
#define DETAIL_TIME(d) 0
#define DETAIL_TEXT(d) 0
#define DETAIL_VALUE(d) 0
#define DETAIL_IDMAP(d) 0
#define DETAIL_ENUM(d) OTF2_ENUM_##d
#define DETAIL_REF(d) OTF2_REF_##d
#define DETAIL_COUNT(d) 0
#define DETAIL_ARRAY_NUMBER(d) 0
#define DETAIL_ARRAY_ENUM(d) OTF2_ENUM_##d
#define DETAIL_ARRAY_REF(d) OTF2_REF_##d
#define DETAIL_ARRAY_VALUE(d) 0

const struct otf2_kind_info otf2_kinds[OTF2_KINDS] = {
#define KIND(NAME, c_type, wire, shown, detail)                                                    \
    {#NAME, OTF2_WIRE_##wire, OTF2_SHOWN_##shown, DETAIL_##shown(detail), SIZE_##shown(c_type)},
#include <otf2/otf2_kinds.def>
#undef KIND
};

/* One more element than there are cells: C has no empty arrays. */
#define FIELD_EVT(Row, kind, name) {#name, offsetof(struct otf2_evt_##Row, name), OTF2_KIND_##kind},
#define FIELD_DEF(Row, kind, name) {#name, offsetof(struct otf2_def_##Row, name), OTF2_KIND_##kind},
#define FIELD_SNAP(Row, kind, name)                                                                \
    {#name, offsetof(struct otf2_snap_##Row, name), OTF2_KIND_##kind},
#define FIELD_MARKER(Row, kind, name)                                                              \
    {#name, offsetof(struct otf2_marker_##Row, name), OTF2_KIND_##kind},
#define FIELD_THUMB(Row, kind, name)                                                               \
    {#name, offsetof(struct otf2_thumb_##Row, name), OTF2_KIND_##kind},
#define FIELDS(prefix, FIELD, Name, ...)                                                           \
    static const struct otf2_field prefix##_fields_##Name[] = {                                    \
        OTF2_SEQ(FIELD, Name, __VA_ARGS__){NULL, 0, 0}};

#define EVENT(Name, NAME, id, major, minor, ...) FIELDS(evt, FIELD_EVT, Name, __VA_ARGS__)
#include <otf2/otf2_events.def>
#undef EVENT
#define SHARED_DEF(Name, NAME, id, major, minor, ...) FIELDS(def, FIELD_DEF, Name, __VA_ARGS__)
#define GLOBAL_DEF SHARED_DEF
#define LOCAL_DEF SHARED_DEF
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef GLOBAL_DEF
#undef LOCAL_DEF
#define SNAP(Name, NAME, id, major, minor, ...) FIELDS(snap, FIELD_SNAP, Name, __VA_ARGS__)
#include <otf2/otf2_snaps.def>
#undef SNAP
#define MARKER(Name, NAME, id, major, minor, ...) FIELDS(marker, FIELD_MARKER, Name, __VA_ARGS__)
#define THUMB(Name, NAME, id, major, minor, ...) FIELDS(thumb, FIELD_THUMB, Name, __VA_ARGS__)
#include <otf2/otf2_markers.def>
#undef MARKER
#undef THUMB

/* Region_name, ...: the number of a definition's attribute among its fields. */
#define AT(Row, kind, name) Row##_##name,
#define SHARED_DEF(Name, NAME, id, major, minor, ...)                                              \
    enum { OTF2_SEQ(AT, Name, __VA_ARGS__) Name##_END_ };
#define GLOBAL_DEF SHARED_DEF
#define LOCAL_DEF SHARED_DEF
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef GLOBAL_DEF
#undef LOCAL_DEF
enum {
    Region_regionType = OTF2_OBSOLETE_Region_regionType,
    Group_groupTypePre12 = OTF2_OBSOLETE_Group_groupTypePre12,
    SystemTreeNodeProperty_stringValue = OTF2_OBSOLETE_SystemTreeNodeProperty_stringValue,
    LocationGroupProperty_stringValue = OTF2_OBSOLETE_LocationGroupProperty_stringValue,
    LocationProperty_stringValue = OTF2_OBSOLETE_LocationProperty_stringValue
};

#define STEP(Row, since, name)                                                                     \
    {                                                                                              \
        since, Row##_##name                                                                        \
    }
#define LAYOUT(Name, ...)                                                                          \
    static const struct otf2_step steps_##Name[] = {OTF2_LIST(STEP, Name, __VA_ARGS__)};
#include <otf2/otf2_layouts.def>
#undef LAYOUT

static const struct {
    const struct otf2_step *steps;
    uint8_t n;
} layouts[OTF2_DEFS] = {
#define LAYOUT(Name, ...)                                                                          \
    [OTF2_DEF_##Name] = {steps_##Name, sizeof steps_##Name / sizeof steps_##Name[0]},
#include <otf2/otf2_layouts.def>
#undef LAYOUT
};

#define RECORD(prefix, Name, id_, major_, minor_, place_, index_, ...)                             \
    {.name = #Name,                                                                                \
     .doc = OTF2_DOC(__VA_ARGS__),                                                                 \
     .fields = prefix##_fields_##Name,                                                             \
     .size = sizeof(struct otf2_##prefix##_##Name),                                                \
     .nfields = OTF2_ROW_CELLS(Name, __VA_ARGS__),                                                 \
     .id = id_,                                                                                    \
     .major = major_,                                                                              \
     .minor = minor_,                                                                              \
     .place = OTF2_PLACE_##place_,                                                                 \
     .index = index_,                                                                              \
     .is_singleton = OTF2_PLACE_##place_ == OTF2_PLACE_EVENTS &&                                   \
                     OTF2_ROW_IS_SINGLETON(Name, major_, minor_, __VA_ARGS__),                     \
     .has_arrays = OTF2_ROW_HAS_ARRAYS(Name, __VA_ARGS__)},

const struct otf2_record otf2_events[OTF2_EVTS] = {
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    RECORD(evt, Name, id, major, minor, EVENTS, OTF2_EVT_##Name, __VA_ARGS__)
#include <otf2/otf2_events.def>
#undef EVENT
};

const struct otf2_record otf2_defs[OTF2_DEFS] = {
#define SHARED_DEF(Name, NAME, id, major, minor, ...)                                              \
    RECORD(def, Name, id, major, minor, SHARED_DEFS, OTF2_DEF_##Name, __VA_ARGS__)
#define GLOBAL_DEF(Name, NAME, id, major, minor, ...)                                              \
    RECORD(def, Name, id, major, minor, GLOBAL_DEFS, OTF2_DEF_##Name, __VA_ARGS__)
#define LOCAL_DEF(Name, NAME, id, major, minor, ...)                                               \
    RECORD(def, Name, id, major, minor, LOCAL_DEFS, OTF2_DEF_##Name, __VA_ARGS__)
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef GLOBAL_DEF
#undef LOCAL_DEF
};

const struct otf2_record otf2_snaps[OTF2_SNAPS] = {
#define SNAP(Name, NAME, id, major, minor, ...)                                                    \
    RECORD(snap, Name, id, major, minor, SNAPSHOTS, OTF2_SNAP_##Name, __VA_ARGS__)
#include <otf2/otf2_snaps.def>
#undef SNAP
};

const struct otf2_record otf2_markers[OTF2_MARKS] = {
#define MARKER(Name, NAME, id, major, minor, ...)                                                  \
    RECORD(marker, Name, id, major, minor, MARKERS, OTF2_MARK_##Name, __VA_ARGS__)
#define THUMB(...)
#include <otf2/otf2_markers.def>
#undef MARKER
#undef THUMB
};

const struct otf2_record otf2_thumbs[OTF2_THUMBS] = {
#define MARKER(...)
#define THUMB(Name, NAME, id, major, minor, ...)                                                   \
    RECORD(thumb, Name, id, major, minor, THUMBNAILS, OTF2_THUMB_##Name, __VA_ARGS__)
#include <otf2/otf2_markers.def>
#undef MARKER
#undef THUMB
};

const struct otf2_step *otf2_record_steps(const struct otf2_record *rec, unsigned *n)
{
    bool is_def = rec->place >= OTF2_PLACE_LOCAL_DEFS && rec->place <= OTF2_PLACE_SHARED_DEFS;
    const struct otf2_step *steps = is_def ? layouts[rec->index].steps : NULL;
    *n = steps ? layouts[rec->index].n : rec->nfields;
    return steps;
}

/* The index of each id's record, plus one. The ids of shared definitions are in both columns. */
static const uint8_t index_of[OTF2_PLACE_THUMBNAILS + 1][256] = {
#define EVENT(Name, NAME, id, ...) [OTF2_PLACE_EVENTS][id] = OTF2_EVT_##Name + 1,
#include <otf2/otf2_events.def>
#undef EVENT
#define SHARED_DEF(Name, NAME, id, ...)                                                            \
    [OTF2_PLACE_GLOBAL_DEFS][id] = OTF2_DEF_##Name + 1,                                            \
    [OTF2_PLACE_LOCAL_DEFS][id] = OTF2_DEF_##Name + 1,
#define GLOBAL_DEF(Name, NAME, id, ...) [OTF2_PLACE_GLOBAL_DEFS][id] = OTF2_DEF_##Name + 1,
#define LOCAL_DEF(Name, NAME, id, ...) [OTF2_PLACE_LOCAL_DEFS][id] = OTF2_DEF_##Name + 1,
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef GLOBAL_DEF
#undef LOCAL_DEF
#define SNAP(Name, NAME, id, ...) [OTF2_PLACE_SNAPSHOTS][id] = OTF2_SNAP_##Name + 1,
#include <otf2/otf2_snaps.def>
#undef SNAP
#define MARKER(Name, NAME, id, ...) [OTF2_PLACE_MARKERS][id] = OTF2_MARK_##Name + 1,
#define THUMB(Name, NAME, id, ...) [OTF2_PLACE_THUMBNAILS][id] = OTF2_THUMB_##Name + 1,
#include <otf2/otf2_markers.def>
#undef MARKER
#undef THUMB
};

const struct otf2_record *otf2_record_by_id(enum otf2_place place, uint8_t id)
{
    static const struct otf2_record *const tables[] = {
        [OTF2_PLACE_EVENTS] = otf2_events,     [OTF2_PLACE_SNAPSHOTS] = otf2_snaps,
        [OTF2_PLACE_LOCAL_DEFS] = otf2_defs,   [OTF2_PLACE_GLOBAL_DEFS] = otf2_defs,
        [OTF2_PLACE_SHARED_DEFS] = otf2_defs,  [OTF2_PLACE_MARKERS] = otf2_markers,
        [OTF2_PLACE_THUMBNAILS] = otf2_thumbs,
    };
    unsigned index = index_of[place][id];
    return index ? &tables[place][index - 1] : NULL;
}
