/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/check/decode.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format/cell.h"
#include "tools/check/check_devices.h"
#include "tools/check/decode_event.h"

uint64_t map_reference(struct check *c, struct location *at, enum otf2_ref ref, uint64_t id)
{
    const struct id_map *map = at->maps[ref];
    if (id < map->n)
        return map->to[id];
    if (map->is_dense && id != UINT32_MAX && id != UINT64_MAX)
        found(c->verdict, RULE_MAPPING_COVER, event_place(at),
              "the mapping table of kind %s has %" PRIu64 " entries, none for %" PRIu64,
              otf2_enum_name(OTF2_ENUM_MappingType, ref), map->n, id);
    uint64_t low = 0;
    uint64_t high = map->n_pairs;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (map->pairs[2 * middle] == id)
            return map->pairs[2 * middle + 1];
        if (map->pairs[2 * middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return id;
}

void undefined_reference(struct check *c, struct location *at, const char *record,
                         const char *field, uint64_t id)
{
    found(c->verdict, RULE_EVENT_REFERENCE, event_place(at),
          "%s has %s %" PRIu64 ", which is not defined", record, field, id);
}

void unknown_enum(struct check *c, struct location *at, const char *record, const char *field,
                  uint64_t value)
{
    found(c->verdict, RULE_ENUM_UNKNOWN, event_place(at), "%s has %s %" PRIu64, record, field,
          value);
}

/* ---- straight-line decoders; records with arrays have none ---- */

#define GET_CELL(Row, kind, name)                                                                  \
    if (!OTF2_IS_ARRAY_##kind) {                                                                   \
        if (!quick_get(s, (enum otf2_wire)OTF2_WIRE_OF_##kind, &v))                                \
            return false;                                                                          \
        if (DECODE_REF_OF_##kind >= 0)                                                             \
            v = resolve(c, at, (enum otf2_ref)DECODE_REF_OF_##kind, v, #Row, #name);               \
        if (DECODE_ENUM_OF_##kind >= 0 &&                                                          \
            !enum_is_known((enum otf2_enum)DECODE_ENUM_OF_##kind, v))                              \
            unknown_enum(c, at, #Row, #name, v);                                                   \
        otf2_cell_store(&e->name, sizeof e->name, v);                                              \
    }

#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    static bool decode_##Name(struct check *c, struct location *at, struct otf2_wire_source *s,    \
                              union otf2_any_record *to)                                           \
    {                                                                                              \
        struct otf2_evt_##Name *e = &to->evt_##Name;                                               \
        uint64_t v = 0;                                                                            \
        (void)c, (void)at, (void)s, (void)e, (void)v;                                              \
        OTF2_SEQ(GET_CELL, Name, __VA_ARGS__)                                                      \
        return true;                                                                               \
    }
#include <otf2/otf2_events.def>
#undef EVENT

static bool (*const decoders[OTF2_EVTS])(struct check *, struct location *,
                                         struct otf2_wire_source *, union otf2_any_record *) = {
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    [OTF2_EVT_##Name] = OTF2_ROW_HAS_ARRAYS(Name, __VA_ARGS__) ? NULL : decode_##Name,
#include <otf2/otf2_events.def>
#undef EVENT
};

/* ---- records with arrays ---- */

/* Translates the references of a decoded record in place. */
static void map_fields(struct check *c, struct location *at, const struct otf2_record *record,
                       void *data)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < record->nfields; i++) {
        const struct otf2_field *f = &record->fields[i];
        const struct otf2_kind_info *kind = &otf2_kinds[f->kind];
        char *slot = (char *)data + f->offset;
        uint32_t *ids = (void *)slot;
        uint8_t narrow = (uint8_t)*slot;
        if (kind->shown == OTF2_SHOWN_COUNT)
            count = kind->size == 1 ? narrow : *ids;
        bool is_array = kind->shown == OTF2_SHOWN_ARRAY_REF;
        if ((kind->shown != OTF2_SHOWN_REF && !is_array) || kind->size != sizeof *ids)
            continue;
        if (is_array)
            memcpy(&ids, slot, sizeof ids);
        for (uint64_t k = 0; k < (is_array ? count : 1); k++)
            ids[k] = (uint32_t)resolve(c, at, (enum otf2_ref)kind->detail, ids[k], record->name,
                                       f->name);
    }
}

static bool decode_arrays(struct check *c, struct location *at, const struct otf2_record *record,
                          struct otf2_wire_source *s, union otf2_any_record *to)
{
    size_t room = otf2_record_scratch(otf2_wire_left_over(s));
    if (room > c->scratch_bytes) {
        c->scratch = grow_memory(c->scratch, room);
        c->scratch_bytes = room;
    }
    if (!otf2_record_decode(s, record, to, c->scratch, room))
        return false;
    map_fields(c, at, record, to);
    check_enums(c, record, to, event_place(at));
    return true;
}

bool event_decode(struct check *c, struct location *at, const struct otf2_record *record,
                  struct otf2_wire_source *s, union otf2_any_record *to)
{
    return decoders[record->index] ? decoders[record->index](c, at, s, to)
                                   : decode_arrays(c, at, record, s, to);
}

/* ---- attribute lists ---- */

static void check_attribute(struct check *c, struct location *at, uint64_t number, OTF2_Type type,
                            OTF2_AttributeValue value)
{
    enum otf2_ref ref;
    unsigned bytes;
    const struct otf2_def_Attribute *def =
        defined_as(c, OTF2_REF_Attribute, number, OTF2_DEF_Attribute);
    if (!def)
        found(c->verdict, RULE_ATTRIBUTE, event_place(at), "attribute %" PRIu64 " is not defined",
              number);
    else if (def->type != type)
        found(c->verdict, RULE_ATTRIBUTE, event_place(at),
              "attribute %" PRIu64 " has a value of type %u, not %u", number, type, def->type);
    if (!type_refers(type, &ref, &bytes))
        return;
    uint64_t id = typed_reference(type, value);
    if (ref < OTF2_REF_UNMAPPED && at->maps[ref])
        id = map_reference(c, at, ref, id);
    if (!is_defined(c, ref, id))
        found(c->verdict, RULE_EVENT_REFERENCE, event_place(at),
              "attribute %" PRIu64 " leads to %" PRIu64 ", which is not defined", number, id);
}

static bool read_attributes(struct check *c, struct location *at, struct otf2_wire_source *s)
{
    uint64_t n;
    struct table seen = {.node_bytes = sizeof(struct node)};
    bool is_good = otf2_wire_get(s, OTF2_WIRE_VAR32, &n);
    for (uint64_t i = 0; is_good && i < n; i++) {
        uint64_t number;
        uint64_t type;
        OTF2_AttributeValue value;
        is_good = otf2_wire_get(s, OTF2_WIRE_VAR32, &number) &&
                  otf2_wire_get(s, OTF2_WIRE_U8, &type) &&
                  otf2_value_decode(s, (OTF2_Type)type, &value);
        if (!is_good)
            break;
        if (at->maps[OTF2_REF_Attribute])
            number = map_reference(c, at, OTF2_REF_Attribute, number);
        if (n > 1 && table_find(&seen, (struct key){.a = number}))
            found(c->verdict, RULE_ATTRIBUTE_TWICE, event_place(at),
                  "attribute %" PRIu64 " stands in the list twice", number);
        if (n > 1)
            (void)table_intern(&seen, (struct key){.a = number});
        check_attribute(c, at, number, (OTF2_Type)type, value);
        if (type == OTF2_TYPE_UINT64) {
            memory_attribute(c, at, number, value);
            device_attribute(c, at, number, value);
        }
    }
    table_fini(&seen);
    return is_good;
}

bool attributes_decode(struct check *c, struct location *at, struct otf2_wire_source *s)
{
    if (read_attributes(c, at, s))
        return true;
    found(c->verdict, RULE_RECORD_BYTES, chunks_place(&at->file),
          "an attribute list that cannot be decoded");
    return false;
}
