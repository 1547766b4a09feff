/* SPDX-License-Identifier: BSD-3-Clause */
/* Local definitions: mapping tables and clock offsets. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/wire.h"
#include "tools/check/check.h"

enum { SPARSE = 1, PAIRS_SLACK = 1024 };

/* ---- mapping tables ---- */

/* A sparse table as an array if its ids are near to their number, else sorted. */
static void settle(struct id_map *map)
{
    uint64_t n = map->n_pairs;
    qsort(map->pairs, (size_t)n, 2 * sizeof *map->pairs, list_by_number);
    uint64_t largest = n ? map->pairs[2 * (n - 1)] : 0;
    if (largest > 4 * n + PAIRS_SLACK)
        return;
    map->to = take_memory((size_t)(largest + 1) * sizeof *map->to);
    map->n = largest + 1;
    for (uint64_t i = 0; i < map->n; i++)
        map->to[i] = i;
    for (uint64_t i = 0; i < n; i++)
        map->to[map->pairs[2 * i]] = map->pairs[2 * i + 1];
    free(map->pairs);
    map->pairs = NULL;
    map->n_pairs = 0;
}

static bool read_entries(struct otf2_wire_source *s, struct id_map *map, uint64_t n, bool *ascends)
{
    uint64_t before = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (map->is_dense) {
            if (!otf2_wire_get(s, OTF2_WIRE_VAR64, &map->to[i]))
                return false;
            continue;
        }
        uint64_t *pair = &map->pairs[2 * i];
        if (!otf2_wire_get(s, OTF2_WIRE_VAR64, pair) ||
            !otf2_wire_get(s, OTF2_WIRE_VAR64, pair + 1))
            return false;
        *ascends = *ascends && (!i || pair[0] > before);
        before = pair[0];
    }
    return true;
}

/* NULL: the bytes are no map, or an empty one (*n is 0). */
static struct id_map *read_map(struct otf2_wire_source *s, uint64_t *n, bool *ascends)
{
    uint64_t mode;
    if (!otf2_wire_get(s, OTF2_WIRE_VAR64, n) || !otf2_wire_get(s, OTF2_WIRE_U8, &mode)) {
        *n = 1;
        return NULL;
    }
    /* An entry takes at least a byte of the file: memory stays in proportion to it. */
    if (!*n || mode > SPARSE || *n > otf2_wire_left_over(s))
        return NULL;
    struct id_map *map = take_memory(sizeof *map);
    map->is_dense = mode != SPARSE;
    if (map->is_dense) {
        map->n = *n;
        map->to = take_memory((size_t)*n * sizeof *map->to);
    } else {
        map->n_pairs = *n;
        map->pairs = take_memory((size_t)*n * 2 * sizeof *map->pairs);
    }
    if (read_entries(s, map, *n, ascends)) {
        if (!map->is_dense)
            settle(map);
        return map;
    }
    free(map->to);
    free(map->pairs);
    free(map);
    return NULL;
}

static void check_target(struct check *c, struct place where, enum otf2_ref ref, uint64_t from,
                         uint64_t to)
{
    bool is_undefined = to == UINT64_MAX || (ref != OTF2_REF_Location && to == UINT32_MAX);
    if (to != from && !is_undefined && !is_defined(c, ref, to))
        found(c->verdict, RULE_MAPPING_TARGET, where,
              "local id %" PRIu64 " is mapped to %" PRIu64 ", which is not defined", from, to);
}

static void check_targets(struct check *c, struct place where, enum otf2_ref ref,
                          const struct id_map *map)
{
    for (uint64_t i = 0; i < map->n; i++)
        check_target(c, where, ref, map->is_dense ? UINT64_MAX : i, map->to[i]);
    for (uint64_t i = 0; i < map->n_pairs; i++)
        check_target(c, where, ref, UINT64_MAX, map->pairs[2 * i + 1]);
}

static bool mapping_table(struct check *c, struct location *at, struct otf2_wire_source *s,
                          struct place where)
{
    uint64_t type;
    uint64_t n = 0;
    bool ascends = true;
    if (!otf2_wire_get(s, OTF2_WIRE_U8, &type))
        return false;
    struct id_map *map = read_map(s, &n, &ascends);
    if (!map && n)
        return false;
    if (type >= OTF2_MAPPING_MAX)
        found(c->verdict, RULE_MAPPING_TYPE, where, "mapping table of kind %" PRIu64, type);
    else if (at->maps[type])
        found(c->verdict, RULE_MAPPING_TWICE, where, "a second mapping table of kind %s",
              otf2_enum_name(OTF2_ENUM_MappingType, (uint32_t)type));
    else if (!map)
        found(c->verdict, RULE_MAPPING_EMPTY, where, "an empty mapping table");
    if (!ascends)
        found(c->verdict, RULE_MAPPING_ORDER, where, "local ids that do not ascend");
    if (map && type < OTF2_MAPPING_MAX && !at->maps[type]) {
        check_targets(c, where, (enum otf2_ref)type, map);
        at->maps[type] = map;
    } else if (map) {
        free(map->to);
        free(map->pairs);
        free(map);
    }
    return true;
}

/* ---- clock offsets ---- */

/* The bits of a number of ticks; whole ones. What is no number says nothing. */
static uint32_t ticks_of(uint64_t bits)
{
    double ticks;
    memcpy(&ticks, &bits, sizeof ticks);
    return ticks > 0 ? (uint32_t)(ticks < UINT32_MAX ? ticks : UINT32_MAX) : 0;
}

static bool clock_offset(struct check *c, struct location *at, struct otf2_wire_source *s,
                         struct place where)
{
    uint64_t time;
    uint64_t offset;
    uint64_t deviation;
    if (!otf2_wire_get(s, OTF2_WIRE_FIXED64, &time) ||
        !otf2_wire_get(s, OTF2_WIRE_IVAR64, &offset) ||
        !otf2_wire_get(s, OTF2_WIRE_DOUBLE, &deviation))
        return false;
    if (at->n_points && time <= at->points[at->n_points - 1].time) {
        found(c->verdict, RULE_CLOCK_OFFSET_ORDER, where,
              "a clock offset for %" PRIu64 " behind one for %" PRIu64, time,
              at->points[at->n_points - 1].time);
        return true;
    }
    at->points = list_grow(at->points, &at->points_room, at->n_points + 1, sizeof *at->points);
    at->points[at->n_points++] = (struct clock_point){time, (int64_t)offset};
    uint32_t error = ticks_of(deviation);
    if (error > at->clock_error)
        at->clock_error = error;
    return true;
}

/* ---- the file ---- */

/* Other definitions may stand here; nothing refers to them. */
static bool local_record(struct check *c, struct location *at, const struct otf2_record *record,
                         struct otf2_wire_source *s, struct place where)
{
    if (record->index == OTF2_DEF_MappingTable)
        return mapping_table(c, at, s, where);
    if (record->index == OTF2_DEF_ClockOffset)
        return clock_offset(c, at, s, where);
    size_t room = otf2_record_scratch(otf2_wire_left_over(s));
    void *scratch = take_memory(room);
    union otf2_any_record data;
    bool is_good = otf2_record_decode(s, record, &data, scratch, room);
    free(scratch);
    return is_good;
}

static bool read_local(struct check *c, struct location *at, struct chunks *f)
{
    uint64_t length;
    uint8_t id = *f->at;
    struct place where = chunks_place(f);
    const struct otf2_record *record = otf2_record_by_id(OTF2_PLACE_LOCAL_DEFS, id);
    if (!chunks_frame(f, &length))
        return false;
    struct otf2_wire_source s = {f->at, f->at + length, f->is_swapped};
    f->at += length;
    if (!record)
        found(c->verdict, RULE_RECORD_UNKNOWN, where, "definition %u is not known", id);
    else if (!local_record(c, at, record, &s, where))
        found(c->verdict, RULE_RECORD_BYTES, where, "%s of %" PRIu64 " bytes cannot be decoded",
              record->name, length);
    else if (s.at != s.end)
        found(c->verdict, RULE_RECORD_LENGTH, where, "%s ends %zu bytes before its length",
              record->name, otf2_wire_left_over(&s));
    return true;
}

void local_definitions_read(struct check *c, struct location *at)
{
    char name[FILE_NAME_BYTES];
    struct chunks f;
    bool is_missing;
    if (!location_open(c, &f, OTF2_FILETYPE_LOCAL_DEFS, at->id, name, &is_missing)) {
        if (is_missing)
            found(c->verdict, RULE_FILE_LOCAL, (struct place){.file = name}, "is missing");
        at->is_broken = !is_missing;
        return;
    }
    enum record_found next;
    while ((next = chunks_next(&f)) == RECORD_FOUND) {
        if (read_local(c, at, &f))
            continue;
        next = RECORD_BROKEN;
        break;
    }
    at->is_broken = next == RECORD_BROKEN;
    if (at->n_points == 1)
        found(c->verdict, RULE_CLOCK_OFFSET_SINGLE, (struct place){.file = name},
              "a single clock offset, which has no effect");
    chunks_close(&f);
}
