/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/rank_map.h"

#include <string.h>

#include "format/frame.h"
#include "format/wire.h"

enum {
    CHUNK_BYTES = 256 * 1024,
    /* Most bytes of a record, as the reference has it: they decide where a chunk ends. */
    ALL_MOST = 16,
    RANK_MOST = 21,
    LOCATION_MOST = 10
};

static const char *enter_chunk(struct otf2_rank_map_walk *w)
{
    w->at = w->chunk;
    if (w->n - w->chunk < OTF2_FRAME_HEADER_BYTES)
        return "the file ends in the header of a chunk";
    uint8_t order = w->bytes[w->chunk + 1];
    if (w->bytes[w->chunk] != OTF2_FRAME_HEADER ||
        (order != OTF2_WIRE_LITTLE && order != OTF2_WIRE_BIG))
        return "here should be the header of a chunk";
    w->at += OTF2_FRAME_HEADER_BYTES;
    return NULL;
}

/* Passes over the ends of chunks. */
static const char *find_record(struct otf2_rank_map_walk *w)
{
    const char *fault = w->at ? NULL : enter_chunk(w);
    while (!fault) {
        if (w->at >= w->n || w->at - w->chunk >= CHUNK_BYTES)
            return "the file ends without an end mark";
        if (w->bytes[w->at] != OTF2_FRAME_END_OF_CHUNK)
            return NULL;
        if (w->n - w->chunk <= CHUNK_BYTES)
            return "the file ends without an end mark";
        w->chunk += CHUNK_BYTES;
        fault = enter_chunk(w);
    }
    return fault;
}

static unsigned values_of(enum otf2_rank_map_kind kind)
{
    return kind == OTF2_RANK_MAP_ALL        ? 3
           : kind == OTF2_RANK_MAP_RANK     ? OTF2_RANK_MAP_VALUES
           : kind == OTF2_RANK_MAP_LOCATION ? 1
                                            : 0;
}

const char *otf2_rank_map_next(struct otf2_rank_map_walk *w, struct otf2_rank_map_record *record)
{
    const char *fault = find_record(w);
    if (fault)
        return fault;
    const uint8_t *chunk = w->bytes + w->chunk;
    size_t left = w->n - w->chunk;
    struct otf2_wire_source s = {w->bytes + w->at + 1,
                                 chunk + (left < CHUNK_BYTES ? left : CHUNK_BYTES),
                                 chunk[1] != OTF2_WIRE_HOST};
    record->kind = (enum otf2_rank_map_kind)w->bytes[w->at];
    unsigned n = values_of(record->kind);
    if (!n && record->kind != OTF2_RANK_MAP_END)
        return "this record is not known";
    enum otf2_wire wire =
        record->kind == OTF2_RANK_MAP_LOCATION ? OTF2_WIRE_VAR64 : OTF2_WIRE_VAR32;
    for (unsigned i = 0; i < n; i++)
        if (!otf2_wire_get(&s, wire, &record->value[i]))
            return "a record is cut or malformed";
    w->at = (size_t)(s.at - w->bytes);
    return NULL;
}

size_t otf2_rank_map_room(uint64_t ranks, uint64_t locations)
{
    uint64_t records = ALL_MOST + RANK_MOST * ranks + LOCATION_MOST * locations + 2;
    uint64_t of_chunk = CHUNK_BYTES - OTF2_FRAME_HEADER_BYTES - RANK_MOST - 1;
    return (size_t)((records / of_chunk + 1) * CHUNK_BYTES);
}

struct pen {
    uint8_t *bytes;
    size_t at;
    size_t chunk; /* where the current chunk begins */
};

static void begin_chunk(struct pen *pen)
{
    const uint64_t first = 1;
    uint8_t *header = pen->bytes + pen->chunk;
    memset(header, 0, OTF2_FRAME_HEADER_BYTES);
    header[0] = OTF2_FRAME_HEADER;
    header[1] = OTF2_WIRE_HOST;
    memcpy(header + OTF2_FRAME_FIRST_AT, &first, sizeof first);
    pen->at = pen->chunk + OTF2_FRAME_HEADER_BYTES;
}

/* Adds a record; the first is that of all, the last that of the end. */
static void put(struct pen *pen, const struct otf2_rank_map_record *record)
{
    bool is_location = record->kind == OTF2_RANK_MAP_LOCATION;
    size_t most = is_location ? LOCATION_MOST : record->kind == OTF2_RANK_MAP_RANK ? RANK_MOST : 0;
    if (!pen->at)
        begin_chunk(pen);
    size_t left = CHUNK_BYTES - (pen->at - pen->chunk);
    if (most >= left) {
        memset(pen->bytes + pen->at, 0, left);
        pen->chunk += CHUNK_BYTES;
        begin_chunk(pen);
    }
    uint8_t *p = pen->bytes + pen->at;
    *p++ = (uint8_t)record->kind;
    for (unsigned i = 0; i < values_of(record->kind); i++)
        p = otf2_wire_put_tight(p, is_location ? OTF2_WIRE_VAR64 : OTF2_WIRE_VAR32,
                                record->value[i]);
    if (record->kind == OTF2_RANK_MAP_END)
        *p++ = OTF2_FRAME_END_OF_BUFFER;
    pen->at = (size_t)(p - pen->bytes);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): it is kept, to be written through. */
size_t otf2_rank_map_encode(const struct otf2_rank_map *map, uint8_t *bytes)
{
    struct pen pen = {.bytes = bytes};
    struct otf2_rank_map_record record = {OTF2_RANK_MAP_ALL, {map->files, map->ranks, map->n}};
    const uint64_t *id = map->ids;
    put(&pen, &record);
    for (uint32_t rank = 0; rank < map->ranks; rank++) {
        uint64_t file = map->places ? map->places[(uint64_t)2 * rank] : 0;
        uint64_t task = map->places ? map->places[(uint64_t)2 * rank + 1] : rank;
        uint64_t n = map->counts[rank];
        record = (struct otf2_rank_map_record){OTF2_RANK_MAP_RANK, {rank, file, task, n}};
        put(&pen, &record);
        record.kind = OTF2_RANK_MAP_LOCATION;
        for (uint64_t i = 0; i < n; i++) {
            record.value[0] = *id++;
            put(&pen, &record);
        }
    }
    record.kind = OTF2_RANK_MAP_END;
    put(&pen, &record);
    return pen.at;
}
