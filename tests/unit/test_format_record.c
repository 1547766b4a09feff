/* SPDX-License-Identifier: BSD-3-Clause */
/* links: format format-mem-libc */
/*
 * Every record of the tables survives encode + decode, stays within its estimate, and is rejected
 * when cut short. The tests cover a new record as soon as its row exists.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "format/def_decode.h"
#include "format/idmap.h"
#include "format/names.h"
#include "format/obsolete.h"
#include "format/record.h"

enum { COUNT = 3 };

static const uint64_t samples[] = {0,          1,          0x7f,       0x80,      0xffff,
                                   UINT32_MAX, 1ull << 40, UINT64_MAX, INT64_MAX, 300};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

static const struct {
    const struct otf2_record *records;
    unsigned n;
    enum otf2_place place;
} tables[] = {
    {otf2_events, OTF2_EVTS, OTF2_PLACE_EVENTS},
    {otf2_snaps, OTF2_SNAPS, OTF2_PLACE_SNAPSHOTS},
    {otf2_defs, OTF2_DEFS, OTF2_PLACE_GLOBAL_DEFS},
    {otf2_markers, OTF2_MARKS, OTF2_PLACE_MARKERS},
    {otf2_thumbs, OTF2_THUMBS, OTF2_PLACE_THUMBNAILS},
};

struct content {
    uint64_t sample;
    OTF2_Type type;
    union {
        uint8_t u8[COUNT];
        uint32_t u32[COUNT];
        uint64_t u64[COUNT];
    } elements;
    OTF2_Type types[COUNT];
    OTF2_IdMap *map;
};

/* A value in the range of its type; the rest of the union does not travel. */
static OTF2_AttributeValue value_of(OTF2_Type type, uint64_t sample)
{
    OTF2_AttributeValue v = {.uint64 = 0};
    switch (type) {
    case OTF2_TYPE_NONE:
#define VALUE_TYPE(NAME, Name, c_type, member, wire, ref) case OTF2_TYPE_##NAME:
#include <otf2/otf2_types.def>
#undef VALUE_TYPE
    default:
        memcpy(&v, &sample,
               type == OTF2_TYPE_UINT8 || type == OTF2_TYPE_INT8     ? 1
               : type == OTF2_TYPE_UINT16 || type == OTF2_TYPE_INT16 ? 2
               : type == OTF2_TYPE_NONE || type == OTF2_TYPE_UINT64 || type == OTF2_TYPE_INT64 ||
                       type == OTF2_TYPE_DOUBLE || type == OTF2_TYPE_LOCATION ||
                       type > OTF2_TYPE_LOCATION_GROUP
                   ? 8
                   : 4);
    }
    return v;
}

static OTF2_AttributeValue values[COUNT];

static void fill_field(char *at, const struct otf2_kind_info *kind, struct content *c)
{
    static const char text[] = "a text";
    const void *pointer = NULL;
    uint64_t number = kind->shown == OTF2_SHOWN_COUNT ? (uint64_t)COUNT : c->sample;
    OTF2_AttributeValue value = value_of(c->type, c->sample);
    if (kind->wire == OTF2_WIRE_TEXT)
        pointer = c->sample ? text : "";
    else if (kind->wire == OTF2_WIRE_IDMAP)
        pointer = c->map;
    else if (kind->shown == OTF2_SHOWN_ARRAY_VALUE)
        pointer = values;
    else if (kind == &otf2_kinds[OTF2_KIND_TYPE_ARRAY])
        pointer = c->types;
    else if (kind->shown >= OTF2_SHOWN_ARRAY_NUMBER)
        pointer = &c->elements;

    if (pointer)
        memcpy(at, &pointer, sizeof pointer);
    else if (kind->wire == OTF2_WIRE_VALUE)
        memcpy(at, &value, sizeof value);
    else if (kind == &otf2_kinds[OTF2_KIND_TYPE])
        memcpy(at, &c->type, sizeof c->type);
    else
        memcpy(at, &number, kind->size);
}

static void fill(const struct otf2_record *rec, char *data, struct content *c)
{
    memset(data, 0, rec->size);
    for (int i = 0; i < COUNT; i++) {
        c->types[i] = (OTF2_Type)(c->type + i);
        values[i] = value_of(c->types[i], c->sample + (uint64_t)i);
        memset(&c->elements, (int)c->sample, sizeof c->elements);
    }
    for (int i = 0; i < rec->nfields; i++)
        fill_field(data + rec->fields[i].offset, &otf2_kinds[rec->fields[i].kind], c);
}

static void check_maps(const OTF2_IdMap *a, const OTF2_IdMap *b)
{
    uint8_t x[64];
    uint8_t y[64];
    size_t n = (size_t)(otf2_idmap_encode(x, a) - x);
    cr_assert_eq((size_t)(otf2_idmap_encode(y, b) - y), n);
    cr_assert_arr_eq(x, y, n);
}

static void *pointer_at(const char *at)
{
    void *p;
    memcpy(&p, at, sizeof p);
    return p;
}

static void check_same(const struct otf2_record *rec, const char *a, const char *b)
{
    for (int i = 0; i < rec->nfields; i++) {
        const struct otf2_field *f = &rec->fields[i];
        const struct otf2_kind_info *kind = &otf2_kinds[f->kind];
        const char *x = a + f->offset;
        const char *y = b + f->offset;
        size_t n = kind->size;
        if (kind->wire == OTF2_WIRE_TEXT || kind->shown >= OTF2_SHOWN_ARRAY_NUMBER) {
            x = pointer_at(x);
            y = pointer_at(y);
            n = kind->wire == OTF2_WIRE_TEXT ? strlen(x) + 1 : COUNT * n;
        }
        if (kind->wire == OTF2_WIRE_IDMAP)
            check_maps(pointer_at(x), pointer_at(y));
        else
            cr_assert_arr_eq(x, y, n, "%s.%s", rec->name, f->name);
    }
}

static void free_map(const struct otf2_record *rec, const void *data)
{
    if (rec == &otf2_defs[OTF2_DEF_MappingTable])
        OTF2_IdMap_Free(
            pointer_at((const char *)data + offsetof(struct otf2_def_MappingTable, idMap)));
}

/*
 * The usual way to decode a definition, if the definition has one, agrees with the general way.
 *   n  bytes of the attributes; less than all of today's cells is an error.
 */
static void check_usual(const struct otf2_record *rec, const uint8_t *bytes, size_t n, bool is_cut,
                        const char *in)
{
    union otf2_any_record out;
    uint64_t scratch[64];
    bool is_usual = rec != &otf2_defs[OTF2_DEF_MappingTable] &&
                    rec != &otf2_defs[OTF2_DEF_IoParadigm] && !is_cut;
    if (rec->place < OTF2_PLACE_LOCAL_DEFS || rec->place > OTF2_PLACE_SHARED_DEFS)
        return;
    for (int slack = 0; slack < 256; slack += 51) {
        uint8_t *copy = malloc(n + OTF2_DEF_SLACK);
        memcpy(copy, bytes, n);
        memset(copy + n, slack, OTF2_DEF_SLACK);
        cr_assert_eq(otf2_def_decode(copy, copy + n, rec, &out, scratch, sizeof scratch), is_usual,
                     "%s of %zu bytes", rec->name, n);
        if (is_usual)
            check_same(rec, in, (const char *)&out);
        free(copy);
    }
}

/* A cut record decodes only if the missing rest is newer than the record's first version. */
static void check_cuts(const struct otf2_record *rec, const uint8_t *bytes, size_t n)
{
    union otf2_any_record out;
    uint64_t scratch[64];
    unsigned steps;
    for (size_t cut = 0; cut < n; cut++) {
        /* A copy of exactly that size, so that the sanitizer sees a read behind the end. */
        uint8_t *copy = malloc(cut + !cut);
        memcpy(copy, bytes, cut);
        struct otf2_wire_source s = {copy, copy + cut, false};
        bool ok = otf2_record_decode(&s, rec, &out, scratch, sizeof scratch);
        cr_assert(!ok || (otf2_record_steps(rec, &steps) && s.at == s.end), "%s cut to %zu of %zu",
                  rec->name, cut, n);
        if (ok)
            free_map(rec, &out);
        free(copy);
        check_usual(rec, bytes, cut, true, NULL);
    }
}

static void round_trip(const struct otf2_record *rec, struct content *c)
{
    union otf2_any_record in;
    union otf2_any_record out;
    uint8_t bytes[512];
    uint64_t scratch[64];
    fill(rec, (char *)&in, c);
    memset(bytes, 0xaa, sizeof bytes);

    uint64_t estimate = otf2_record_estimate(rec, &in);
    size_t n = (size_t)(otf2_record_encode(bytes, rec, &in) - bytes);
    cr_assert_leq(n, estimate, "%s", rec->name);
    cr_assert_eq(bytes[n], 0xaa, "%s: a byte behind it", rec->name);

    struct otf2_wire_source s = {bytes, bytes + n, false};
    cr_assert(otf2_record_decode(&s, rec, &out, scratch, sizeof scratch), "%s", rec->name);
    cr_assert_eq(s.at, s.end);
    check_same(rec, (char *)&in, (char *)&out);
    free_map(rec, &out);

    /* Bytes of a later version are left over. */
    s = (struct otf2_wire_source){bytes, bytes + n + 5, false};
    cr_assert(otf2_record_decode(&s, rec, &out, scratch, sizeof scratch));
    cr_assert_eq(s.at, bytes + n, "%s", rec->name);
    free_map(rec, &out);
    check_usual(rec, bytes, n, false, (const char *)&in);
    check_usual(rec, bytes, n + 5, false, (const char *)&in);
    check_cuts(rec, bytes, n);
}

static OTF2_IdMap *some_map(OTF2_IdMapMode mode)
{
    OTF2_IdMap *map = OTF2_IdMap_Create(mode, 1);
    for (uint64_t i = 0; i < COUNT; i++)
        OTF2_IdMap_AddIdPair(map, mode == OTF2_ID_MAP_DENSE ? i : 7 * i,
                             i == 1 ? UINT64_MAX : 300 * i);
    return map;
}

Test(format_record, every_record_round_trips)
{
    OTF2_IdMap *maps[] = {some_map(OTF2_ID_MAP_DENSE), some_map(OTF2_ID_MAP_SPARSE)};
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        for (unsigned r = 0; r < tables[t].n; r++) {
            for (unsigned i = 0; i < (unsigned)SAMPLES * 30; i++) {
                struct content c = {.sample = samples[i % SAMPLES],
                                    .type = (OTF2_Type)(i / SAMPLES),
                                    .map = maps[i % 2]};
                round_trip(&tables[t].records[r], &c);
            }
        }
    }
    OTF2_IdMap_Free(maps[0]);
    OTF2_IdMap_Free(maps[1]);
}

Test(format_record, ids_lead_to_their_records)
{
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        for (unsigned r = 0; r < tables[t].n; r++) {
            const struct otf2_record *rec = &tables[t].records[r];
            enum otf2_place place =
                rec->place == OTF2_PLACE_LOCAL_DEFS ? OTF2_PLACE_LOCAL_DEFS : tables[t].place;
            cr_assert_eq(otf2_record_by_id(place, rec->id), rec, "%s", rec->name);
            cr_assert_eq(rec->index, r);
            cr_assert(rec->doc && *rec->doc, "%s has no description", rec->name);
        }
    }
    cr_assert_null(otf2_record_by_id(OTF2_PLACE_EVENTS, 200));
    cr_assert_null(otf2_record_by_id(OTF2_PLACE_LOCAL_DEFS, 7));
    cr_assert_str_eq(otf2_record_by_id(OTF2_PLACE_LOCAL_DEFS, 5)->name, "MappingTable");
    cr_assert_str_eq(otf2_record_by_id(OTF2_PLACE_GLOBAL_DEFS, 5)->name, "ClockProperties");
    cr_assert_str_eq(otf2_record_by_id(OTF2_PLACE_LOCAL_DEFS, 15)->name, "Region");
}

Test(format_record, ten_events_are_singletons)
{
    static const uint8_t ids[] = {12, 13, 16, 17, 20, 21, 24, 28, 29, 30};
    unsigned found = 0;
    for (unsigned r = 0; r < OTF2_EVTS; r++) {
        bool is_listed = memchr(ids, otf2_events[r].id, sizeof ids) != NULL;
        cr_assert_eq(otf2_events[r].is_singleton, is_listed, "%s", otf2_events[r].name);
        found += is_listed;
    }
    cr_assert_eq(found, sizeof ids);
    for (unsigned r = 0; r < OTF2_SNAPS; r++)
        cr_assert_not(otf2_snaps[r].is_singleton);
}

static void check_bytes(const struct otf2_record *rec, const void *data, uint64_t estimate,
                        const char *expected, size_t n)
{
    uint8_t bytes[256];
    cr_assert_eq((size_t)(otf2_record_encode(bytes, rec, data) - bytes), n, "%s", rec->name);
    cr_assert_arr_eq(bytes, expected, n, "%s", rec->name);
    cr_assert_eq(otf2_record_estimate(rec, data), estimate, "%s", rec->name);
}

Test(format_record, bytes_of_the_examples)
{
    const struct otf2_evt_MpiSend send = {1, 0, 7, 1048576, 0};
    const struct otf2_evt_ParameterInt parameter = {0, -2, 0};
    const struct otf2_def_Region region = {.self = 1,
                                           .name = 2,
                                           .canonicalName = 3,
                                           .description = OTF2_UNDEFINED_STRING,
                                           .regionRole = OTF2_REGION_ROLE_BARRIER,
                                           .paradigm = OTF2_PARADIGM_MPI,
                                           .sourceFile = OTF2_UNDEFINED_STRING};
    const struct otf2_def_LocationProperty property = {.location = 0,
                                                       .name = 1,
                                                       .type = OTF2_TYPE_UINT64,
                                                       .value = {.uint64 = 5}};
    const uint64_t members[] = {0, 300};
    const struct otf2_def_Group group = {.self = 0,
                                         .name = 1,
                                         .groupType = OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                         .paradigm = OTF2_PARADIGM_MPI,
                                         .numberOfMembers = 2,
                                         .members = members};
    check_bytes(&otf2_events[OTF2_EVT_MpiSend], &send, 24, "\1\1\0\1\7\3\0\0\x10", 9);
    check_bytes(&otf2_events[OTF2_EVT_ParameterInt], &parameter, 14,
                "\0\x8\xfe\xff\xff\xff\xff\xff\xff\xff", 10);
    check_bytes(&otf2_defs[OTF2_DEF_Region], &region, 14, "\1\1\1\2\xff\x16\xff\0\0\1\3\xf\4\0",
                14);
    check_bytes(&otf2_defs[OTF2_DEF_LocationProperty], &property, 14, "\0\1\1\xff\4\1\5", 7);
    check_bytes(&otf2_defs[OTF2_DEF_Group], &group, 13, "\0\1\1\6\1\2\0\2\x2c\1\4\4\0", 13);
}

/* The estimate decides the form of the length field, see the format's section 5.1. */
Test(format_record, metrics_change_their_form_at_25_values)
{
    OTF2_Type types[25] = {0};
    OTF2_MetricValue metric_values[25] = {{0}};
    struct otf2_evt_Metric metric = {1, 24, types, metric_values, 0};
    cr_assert_eq(otf2_record_estimate(&otf2_events[OTF2_EVT_Metric], &metric), 246);
    metric.numberOfMetrics = 25;
    cr_assert_eq(otf2_record_estimate(&otf2_events[OTF2_EVT_Metric], &metric), 256);
}

/* Records as old versions wrote them, byte by byte, and the decoded records of today. */
static void decode_old(enum otf2_def_index def, const char *bytes, size_t n, void *data)
{
    static uint64_t scratch[64];
    struct otf2_wire_source s = {(const uint8_t *)bytes, (const uint8_t *)bytes + n, false};
    cr_assert(otf2_record_decode(&s, &otf2_defs[def], data, scratch, sizeof scratch), "%s",
              otf2_defs[def].name);
}

Test(format_record, missing_attributes_take_their_defaults)
{
    struct otf2_def_Region region;
    struct otf2_def_Group group;
    struct otf2_def_RmaWin win;
    struct otf2_def_ClockProperties clock;
    struct otf2_def_LocationProperty property;
    struct otf2_def_Attribute attribute;
    struct otf2_def_LocationGroup process;

    decode_old(OTF2_DEF_Region, "\1\1\1\2\xff\x16\xff\0\0", 9, &region);
    cr_assert(region.canonicalName == 2 && region.regionRole == OTF2_REGION_ROLE_BARRIER &&
              region.paradigm == OTF2_PARADIGM_MPI && region.regionFlags == 0);
    decode_old(OTF2_DEF_Region, "\1\1\1\2\xff\x1e\xff\0\0\1\7", 11, &region);
    cr_assert(region.canonicalName == 7 && region.regionRole == OTF2_REGION_ROLE_LOOP &&
              region.paradigm == OTF2_PARADIGM_USER &&
              region.regionFlags == OTF2_REGION_FLAG_DYNAMIC);
    decode_old(OTF2_DEF_Region, "\1\1\1\2\xff\3\xff\0\0", 9, &region);
    cr_assert(region.regionRole == OTF2_REGION_ROLE_FUNCTION &&
              region.paradigm == OTF2_PARADIGM_UNKNOWN);
    decode_old(OTF2_DEF_Region, "\1\1\1\2\xff\x1b\xff\0\0", 9, &region);
    cr_assert(region.regionRole == OTF2_REGION_ROLE_CODE && region.regionFlags == 0);

    decode_old(OTF2_DEF_Group, "\0\1\1\4\0", 5, &group);
    cr_assert(group.groupType == OTF2_GROUP_TYPE_COMM_GROUP && group.paradigm == OTF2_PARADIGM_MPI);
    decode_old(OTF2_DEF_Group, "\0\1\1\3\0", 5, &group);
    cr_assert(group.groupType == OTF2_GROUP_TYPE_REGIONS &&
              group.paradigm == OTF2_PARADIGM_UNKNOWN);

    decode_old(OTF2_DEF_RmaWin, "\0\0\0", 3, &win);
    cr_assert_eq(win.flags, OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS);
    decode_old(OTF2_DEF_ClockProperties, "\1\1\0\0", 4, &clock);
    cr_assert_eq(clock.realtimeTimestamp, OTF2_UNDEFINED_TIMESTAMP);
    decode_old(OTF2_DEF_LocationProperty, "\0\1\1\1\x9", 5, &property);
    cr_assert(property.type == OTF2_TYPE_STRING && property.value.stringRef == 9);
    decode_old(OTF2_DEF_Attribute, "\0\0\1", 3, &attribute);
    cr_assert_eq(attribute.description, OTF2_UNDEFINED_STRING);
    decode_old(OTF2_DEF_LocationGroup, "\0\0\1\0", 4, &process);
    cr_assert_eq(process.creatingLocationGroup, OTF2_UNDEFINED_LOCATION_GROUP);
}

/* Each old region type comes back when its region, as converted, is written again. */
Test(format_record, obsolete_region_types_round_trip)
{
    for (unsigned type = 0; type < 40; type++) {
        struct otf2_def_Region region;
        char old[] = {1, 1, 1, 2, 0, (char)type, 0, 0, 0};
        decode_old(OTF2_DEF_Region, old, sizeof old, &region);
        uint64_t back = otf2_obsolete_value(OTF2_OBSOLETE_Region_regionType, &region);
        uint64_t expected = type == 3 || type == 27 ? 1 : type > 35 ? 0 : type;
        cr_assert_eq(back, expected, "type %u became %llu", type, (unsigned long long)back);
    }
}

/* A count that promises more than there is must not be believed. */
Test(format_record, huge_counts_are_rejected)
{
    static const uint8_t bytes[] = {0, 0, 0, 4, 0xfe, 0xff, 0xff, 0xff, 0};
    struct otf2_def_Group group;
    uint64_t scratch[8];
    struct otf2_wire_source s = {bytes, bytes + sizeof bytes, false};
    cr_assert_not(
        otf2_record_decode(&s, &otf2_defs[OTF2_DEF_Group], &group, scratch, sizeof scratch));
    cr_assert_geq(otf2_record_scratch(10), 10 * sizeof(uint64_t));
}

/* Bytes of an attacker: accepted or not, no read or write goes astray (the sanitizers watch). */
Test(format_record, any_bytes_are_survived)
{
    static const uint8_t likely[] = {0, 1, 2, 4, 8, 0xff};
    uint64_t random = 1;
    for (unsigned i = 0; i < 100000; i++) {
        uint8_t bytes[48];
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size_t t = (random >> 33) % (sizeof tables / sizeof tables[0]);
        const struct otf2_record *rec = &tables[t].records[(random >> 40) % tables[t].n];
        size_t n = (random >> 48) % sizeof bytes;
        for (size_t at = 0; at < n; at++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            bytes[at] = (random >> 60) < 12 ? likely[(random >> 40) % sizeof likely]
                                            : (uint8_t)(random >> 50);
        }
        union otf2_any_record out;
        size_t room = otf2_record_scratch(n);
        uint8_t *copy = malloc(n + !n);
        void *scratch = malloc(room);
        memcpy(copy, bytes, n);
        struct otf2_wire_source s = {copy, copy + n, random >> 63};
        if (otf2_record_decode(&s, rec, &out, scratch, room))
            free_map(rec, &out);
        cr_assert(s.at >= copy && s.at <= copy + n);
        free(scratch);
        free(copy);
    }
}

Test(format_record, kinds_know_their_enums_and_mappings)
{
    cr_assert_eq(otf2_kinds[OTF2_KIND_REGION].detail, OTF2_MAPPING_REGION);
    cr_assert_eq(otf2_kinds[OTF2_KIND_IO_HANDLE].detail, OTF2_MAPPING_IO_HANDLE);
    cr_assert_geq(otf2_kinds[OTF2_KIND_IO_PARADIGM].detail, OTF2_REF_UNMAPPED);
    cr_assert_str_eq(otf2_enums[otf2_kinds[OTF2_KIND_TYPE_ARRAY].detail].name, "Type");
}
