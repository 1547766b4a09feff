/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/rank_map.h"

#include "format/frame.h"
#include "format/wire.h"

enum { CHUNK_BYTES = 256 * 1024 };

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
