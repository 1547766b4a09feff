/* SPDX-License-Identifier: BSD-3-Clause */
/* Id maps as bytes. For the map itself see OTF2_IdMap.h. */
#ifndef FORMAT_IDMAP_H
#define FORMAT_IDMAP_H

#include <stdint.h>

#include <otf2/OTF2_IdMap.h>

#include "format/wire.h"

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
