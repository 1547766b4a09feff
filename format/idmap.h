/* SPDX-License-Identifier: BSD-3-Clause */
/* Id maps as bytes. For the map itself see OTF2_IdMap.h. */
#ifndef FORMAT_IDMAP_H
#define FORMAT_IDMAP_H

#include <stdint.h>

#include <otf2/OTF2_IdMap.h>

#include "format/wire.h"

struct otf2_id_pair {
    uint64_t local;
    uint64_t global;
};

/* Open for the readers' sake, who look ids up for each event; to be changed by idmap.c only. */
struct OTF2_IdMap_struct {
    union {
        uint64_t *dense;             /* by local id */
        struct otf2_id_pair *sparse; /* sorted by local id */
    } ids;
    uint64_t n;
    uint64_t capacity;
    uint64_t *direct; /* what a sparse map says of ids below n_direct, by local id; NULL: nothing */
    uint64_t n_direct; /* of a dense map: n */
    OTF2_IdMapMode mode;
};

/* The slow way of otf2_idmap_get. */
uint64_t otf2_idmap_search(const OTF2_IdMap *map, uint64_t local);

/* The global id, or the local one where the map has none. */
static inline uint64_t otf2_idmap_get(const OTF2_IdMap *map, uint64_t local)
{
    const uint64_t *ids = map->mode == OTF2_ID_MAP_DENSE ? map->ids.dense : map->direct;
    return local < map->n_direct ? ids[local] : otf2_idmap_search(map, local);
}

/* Exact bytes of a map in a MappingTable record; NULL is written as an empty dense map. */
uint64_t otf2_idmap_bytes(const OTF2_IdMap *map);

/* Writes those bytes and no more, and returns their end. */
uint8_t *otf2_idmap_encode(uint8_t *p, const OTF2_IdMap *map);

/*
 * A new map from bytes, for OTF2_IdMap_Free. Sparse maps need not be sorted. NULL when the bytes
 * are cut or malformed, the map is empty, or there is no memory.
 */
OTF2_IdMap *otf2_idmap_decode(struct otf2_wire_source *s);

#endif
