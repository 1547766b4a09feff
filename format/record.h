/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The record tables as data: for each record a struct (the decoded form) and a descriptor, and the
 * functions that loop over the tables: sizes, encoding, decoding. Knows nothing of files, buffers
 * or time.
 *
 * All functions handle the attributes only. Record id and length field belong to the code that
 * writes or reads a chunk (format/wire.h).
 */
#ifndef FORMAT_RECORD_H
#define FORMAT_RECORD_H

#include <stdbool.h>

#include <otf2/otf2.h>
#include <otf2/otf2_foreach.h>
#include <otf2/otf2_records.h>

#include "format/wire.h"

enum otf2_shown {
    OTF2_SHOWN_NUMBER,
    OTF2_SHOWN_TIME,
    OTF2_SHOWN_TEXT,
    OTF2_SHOWN_VALUE,
    OTF2_SHOWN_IDMAP,
    OTF2_SHOWN_ENUM,
    OTF2_SHOWN_REF,
    OTF2_SHOWN_COUNT,
    OTF2_SHOWN_ARRAY_NUMBER, /* from here on arrays */
    OTF2_SHOWN_ARRAY_ENUM,
    OTF2_SHOWN_ARRAY_REF,
    OTF2_SHOWN_ARRAY_VALUE
};

enum otf2_kind {
#define KIND(NAME, c_type, wire, shown, detail) OTF2_KIND_##NAME,
#include <otf2/otf2_kinds.def>
#undef KIND
    OTF2_KINDS
};

/* Kinds of definitions. The kinds with a mapping table come first, by OTF2_MappingType. */
enum otf2_ref {
#define MAPPING(NAME, Name) OTF2_REF_##Name = OTF2_MAPPING_##NAME,
#include <otf2/otf2_mappings.def>
#undef MAPPING
    OTF2_REF_UNMAPPED = OTF2_MAPPING_MAX,
    OTF2_REF_SystemTreeNode = OTF2_REF_UNMAPPED,
    OTF2_REF_Callsite,
    OTF2_REF_Callpath,
    OTF2_REF_MetricMember,
    OTF2_REF_CartDimension,
    OTF2_REF_CartTopology,
    OTF2_REF_IoParadigm,
    OTF2_REF_Marker
};

/* The columns of the table of kinds as constants, for code that must not look at run time. */
enum {
#define KIND(NAME, c_type, wire, shown, detail)                                                    \
    OTF2_WIRE_OF_##NAME = OTF2_WIRE_##wire,                                                        \
    OTF2_IS_ARRAY_##NAME = (int)OTF2_SHOWN_##shown >= (int)OTF2_SHOWN_ARRAY_NUMBER,                \
    OTF2_IS_COUNT_##NAME = (int)OTF2_SHOWN_##shown == (int)OTF2_SHOWN_COUNT,
#include <otf2/otf2_kinds.def>
#undef KIND
    OTF2_KIND_COLUMNS_END_
};

/* The mapping table that translates a kind of cell, OTF2_MAPPING_MAX for untranslated cells. */
#define OTF2_MAPPED_NUMBER(detail) OTF2_MAPPING_MAX
#define OTF2_MAPPED_TIME(detail) OTF2_MAPPING_MAX
#define OTF2_MAPPED_TEXT(detail) OTF2_MAPPING_MAX
#define OTF2_MAPPED_VALUE(detail) OTF2_MAPPING_MAX
#define OTF2_MAPPED_IDMAP(detail) OTF2_MAPPING_MAX
#define OTF2_MAPPED_ENUM(detail) OTF2_MAPPING_MAX
#define OTF2_MAPPED_COUNT(detail) OTF2_MAPPING_MAX
#define OTF2_MAPPED_REF(detail)                                                                    \
    ((int)OTF2_REF_##detail < (int)OTF2_REF_UNMAPPED ? (int)OTF2_REF_##detail                      \
                                                     : (int)OTF2_MAPPING_MAX)
#define OTF2_MAPPED_ARRAY_NUMBER(detail) OTF2_MAPPING_MAX
#define OTF2_MAPPED_ARRAY_ENUM(detail) OTF2_MAPPING_MAX
#define OTF2_MAPPED_ARRAY_REF OTF2_MAPPED_REF
#define OTF2_MAPPED_ARRAY_VALUE(detail) OTF2_MAPPING_MAX
enum {
#define KIND(NAME, c_type, wire, shown, detail)                                                    \
    OTF2_MAPPING_OF_##NAME = OTF2_MAPPED_##shown(detail),
#include <otf2/otf2_kinds.def>
#undef KIND
    OTF2_KIND_MAPPINGS_END_
};

#define OTF2_BOUND_OF_(kind) ((unsigned)OTF2_WIRE_MAX((int)OTF2_WIRE_OF_##kind))
#define OTF2_ADD_ONE_(Row, kind, name) +1
#define OTF2_OR_ARRAY_(Row, kind, name) || OTF2_IS_ARRAY_##kind
#define OTF2_ADD_SCALAR_(Row, kind, name) +(OTF2_IS_ARRAY_##kind ? 0u : OTF2_BOUND_OF_(kind))
#define OTF2_ADD_ELEMENT_(Row, kind, name) +(OTF2_IS_ARRAY_##kind ? OTF2_BOUND_OF_(kind) : 0u)
#define OTF2_AND_VAR_(Row, kind, name)                                                             \
    &&((int)OTF2_WIRE_OF_##kind == OTF2_WIRE_VAR32 || (int)OTF2_WIRE_OF_##kind == OTF2_WIRE_VAR64)

/*
 * Properties of a row, constant expressions all: the worst case in bytes of the row's attributes is
 * BOUND + count * ELEMENT_BOUND, texts and id maps not included.
 */
#define OTF2_ROW_CELLS(Row, ...) (0 OTF2_SEQ(OTF2_ADD_ONE_, Row, __VA_ARGS__))
#define OTF2_ROW_BOUND(Row, ...) (0u OTF2_SEQ(OTF2_ADD_SCALAR_, Row, __VA_ARGS__))
#define OTF2_ROW_ELEMENT_BOUND(Row, ...) (0u OTF2_SEQ(OTF2_ADD_ELEMENT_, Row, __VA_ARGS__))
#define OTF2_ROW_HAS_ARRAYS(Row, ...) (0 OTF2_SEQ(OTF2_OR_ARRAY_, Row, __VA_ARGS__))
/*
 * Events of OTF2 <= 1.1 with a single compressed attribute carry no length. Later events must,
 * since an undefined value (0xff) would look like a long length to a reader that has to skip the
 * record.
 */
#define OTF2_ROW_IS_SINGLETON(Row, major, minor, ...)                                              \
    ((major)*100 + (minor) <= 101 &&                                                               \
     OTF2_ROW_CELLS(Row, __VA_ARGS__) == 1 OTF2_SEQ(OTF2_AND_VAR_, Row, __VA_ARGS__))

struct otf2_kind_info {
    const char *name;
    uint8_t wire;   /* enum otf2_wire */
    uint8_t shown;  /* enum otf2_shown */
    uint8_t detail; /* enum otf2_enum or enum otf2_ref, by `shown` */
    uint8_t size;   /* of the C type; of an array: of an element */
};

struct otf2_field {
    const char *name;
    uint16_t offset; /* in the record's struct */
    uint8_t kind;    /* enum otf2_kind */
};

/* Steps that are no field of the struct, by the row and the name in otf2_layouts.def. */
enum otf2_obsolete {
    OTF2_OBSOLETE_Region_regionType = 0xf0,
    OTF2_OBSOLETE_Group_groupTypePre12,
    OTF2_OBSOLETE_SystemTreeNodeProperty_stringValue,
    OTF2_OBSOLETE_LocationGroupProperty_stringValue,
    OTF2_OBSOLETE_LocationProperty_stringValue
};

/* An attribute on disk, see otf2_layouts.def. */
struct otf2_step {
    uint8_t since; /* version that added it, 30 for 3.0; 0: obsolete */
    uint8_t field; /* index in the record's fields, or enum otf2_obsolete */
};

/* The places of a record; each place has its own ids, but the shared ids are the same in both. */
enum otf2_place {
    OTF2_PLACE_EVENTS,
    OTF2_PLACE_SNAPSHOTS,
    OTF2_PLACE_LOCAL_DEFS,
    OTF2_PLACE_GLOBAL_DEFS,
    OTF2_PLACE_SHARED_DEFS,
    OTF2_PLACE_MARKERS,
    OTF2_PLACE_THUMBNAILS
};

struct otf2_record {
    const char *name;
    const char *doc;
    const struct otf2_field *fields; /* in the order of the API */
    uint16_t size;                   /* of the struct */
    uint8_t nfields;
    uint8_t id;
    uint8_t major, minor; /* version that introduced the record */
    uint8_t place;        /* enum otf2_place */
    uint8_t index;        /* in its table */
    bool is_singleton;    /* no length field */
    bool has_arrays;
};

/* struct otf2_evt_MpiSend { uint32_t receiver; ... }, otf2_def_Region, otf2_snap_Enter, ... */
#define OTF2_MEMBER_(Row, kind, name) otf2_t_##kind name;
#define OTF2_STRUCT_(prefix, Name, ...)                                                            \
    struct otf2_##prefix##_##Name {                                                                \
        OTF2_SEQ(OTF2_MEMBER_, Name, __VA_ARGS__)                                                  \
        char end_; /* C wants at least one member */                                               \
    };
#define EVENT(Name, NAME, id, major, minor, ...) OTF2_STRUCT_(evt, Name, __VA_ARGS__)
#include <otf2/otf2_events.def>
#undef EVENT
#define SHARED_DEF(Name, NAME, id, major, minor, ...) OTF2_STRUCT_(def, Name, __VA_ARGS__)
#define GLOBAL_DEF SHARED_DEF
#define LOCAL_DEF SHARED_DEF
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef GLOBAL_DEF
#undef LOCAL_DEF
#define SNAP(Name, NAME, id, major, minor, ...) OTF2_STRUCT_(snap, Name, __VA_ARGS__)
#include <otf2/otf2_snaps.def>
#undef SNAP
#define MARKER(Name, NAME, id, major, minor, ...) OTF2_STRUCT_(marker, Name, __VA_ARGS__)
#define THUMB(Name, NAME, id, major, minor, ...) OTF2_STRUCT_(thumb, Name, __VA_ARGS__)
#include <otf2/otf2_markers.def>
#undef MARKER
#undef THUMB

enum otf2_evt_index {
#define EVENT(Name, ...) OTF2_EVT_##Name,
#include <otf2/otf2_events.def>
#undef EVENT
    OTF2_EVTS
};

enum otf2_def_index {
#define SHARED_DEF(Name, ...) OTF2_DEF_##Name,
#define GLOBAL_DEF SHARED_DEF
#define LOCAL_DEF SHARED_DEF
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef GLOBAL_DEF
#undef LOCAL_DEF
    OTF2_DEFS
};

enum otf2_snap_index {
#define SNAP(Name, ...) OTF2_SNAP_##Name,
#include <otf2/otf2_snaps.def>
#undef SNAP
    OTF2_SNAPS
};

enum otf2_marker_index {
#define MARKER(Name, ...) OTF2_MARK_##Name,
#define THUMB(Name, ...)
#include <otf2/otf2_markers.def>
#undef MARKER
#undef THUMB
    OTF2_MARKS
};

enum otf2_thumb_index {
#define MARKER(Name, ...)
#define THUMB(Name, ...) OTF2_THUMB_##Name,
#include <otf2/otf2_markers.def>
#undef MARKER
#undef THUMB
    OTF2_THUMBS
};

/* A member per record, to have room for any record. */
union otf2_any_record {
#define EVENT(Name, ...) struct otf2_evt_##Name evt_##Name;
#include <otf2/otf2_events.def>
#undef EVENT
#define SHARED_DEF(Name, ...) struct otf2_def_##Name def_##Name;
#define GLOBAL_DEF SHARED_DEF
#define LOCAL_DEF SHARED_DEF
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef GLOBAL_DEF
#undef LOCAL_DEF
#define SNAP(Name, ...) struct otf2_snap_##Name snap_##Name;
#include <otf2/otf2_snaps.def>
#undef SNAP
#define MARKER(Name, ...) struct otf2_marker_##Name marker_##Name;
#define THUMB(Name, ...) struct otf2_thumb_##Name thumb_##Name;
#include <otf2/otf2_markers.def>
#undef MARKER
#undef THUMB
};

extern const struct otf2_kind_info otf2_kinds[OTF2_KINDS];
extern const struct otf2_record otf2_events[OTF2_EVTS];
extern const struct otf2_record otf2_defs[OTF2_DEFS];
extern const struct otf2_record otf2_snaps[OTF2_SNAPS];
extern const struct otf2_record otf2_markers[OTF2_MARKS];
extern const struct otf2_record otf2_thumbs[OTF2_THUMBS];

/*
 * The record of an id in a kind of file (OTF2_PLACE_SHARED_DEFS is no kind of file). NULL for an id
 * unknown to this version: a reader skips the record by its length.
 */
const struct otf2_record *otf2_record_by_id(enum otf2_place place, uint8_t id);

/*
 * The attributes in the order of the disk, *n of them, or NULL when the order is that of the fields
 * and all attributes are as old as the record.
 */
const struct otf2_step *otf2_record_steps(const struct otf2_record *rec, unsigned *n);

/*
 * The reference's estimate of the attributes in bytes, which decides the form of the length field
 * and the end of a chunk. Exact for definitions, except for 9 bytes a typed value; the worst case
 * for all other records, texts by their length. NULL texts count as "", a NULL id map as empty.
 */
uint64_t otf2_record_estimate(const struct otf2_record *rec, const void *data);

/*
 * Encodes the attributes of *data, a struct of the record, and returns their end. Not a byte more
 * than otf2_record_estimate() is touched.
 */
uint8_t *otf2_record_encode(uint8_t *p, const struct otf2_record *rec, const void *data);

/* Enough scratch for the arrays of any record with that many bytes of attributes. */
size_t otf2_record_scratch(size_t attribute_bytes);

/*
 * Decodes attributes into *data, a struct of the record. The source ends where the length field
 * says; attributes of later versions than this library's are left over, missing ones take their
 * defaults.
 *   scratch  `room` bytes, aligned for uint64_t, that *data borrows for its arrays. Texts are
 *            borrowed from the source. An id map is new and the caller's, see OTF2_IdMap_Free.
 * False when the bytes do not form a whole record or scratch does not suffice.
 */
bool otf2_record_decode(struct otf2_wire_source *s, const struct otf2_record *rec, void *data,
                        void *scratch, size_t room);

#endif
