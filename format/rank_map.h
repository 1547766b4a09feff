/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rank map (traces.srm) of an archive of substrate SION: the ranks that wrote it, in which
 * container each of them is, and whose locations are whose. Pure functions over its bytes, in the
 * order of the file: the numbers of all, then each rank, and behind each rank its locations.
 */
#ifndef FORMAT_RANK_MAP_H
#define FORMAT_RANK_MAP_H

#include <stddef.h>
#include <stdint.h>

enum otf2_rank_map_kind {
    OTF2_RANK_MAP_END = 2,
    OTF2_RANK_MAP_ALL = 10,
    OTF2_RANK_MAP_RANK = 11,
    OTF2_RANK_MAP_LOCATION = 12
};

/* Which value of a record is what; that of a location is its id. */
enum {
    OTF2_RANK_MAP_FILES = 0, /* of all */
    OTF2_RANK_MAP_RANKS,
    OTF2_RANK_MAP_LOCATIONS,
    OTF2_RANK_MAP_NUMBER = 0, /* of a rank: 0, 1, ... */
    OTF2_RANK_MAP_FILE,
    OTF2_RANK_MAP_TASK,    /* in that file */
    OTF2_RANK_MAP_OF_RANK, /* how many locations follow */
    OTF2_RANK_MAP_VALUES
};

struct otf2_rank_map_record {
    enum otf2_rank_map_kind kind;
    uint64_t value[OTF2_RANK_MAP_VALUES];
};

struct otf2_rank_map_walk {
    const uint8_t *bytes; /* of the file */
    size_t n;
    size_t at;    /* of the next record; 0: nothing was read */
    size_t chunk; /* where the current chunk begins */
};

/* Reads the next record; NULL, or what is wrong at walk->at. */
const char *otf2_rank_map_next(struct otf2_rank_map_walk *walk,
                               struct otf2_rank_map_record *record);

/* Writes a map, in the byte order of the host, to memory of otf2_rank_map_room() bytes. */
struct otf2_rank_map_pen {
    uint8_t *bytes;
    size_t at;
    size_t chunk; /* where the current chunk begins */
};

size_t otf2_rank_map_room(uint64_t ranks, uint64_t locations);

/* Adds a record; the first is that of all, the last that of the end. Then `at` is the size. */
void otf2_rank_map_put(struct otf2_rank_map_pen *pen, const struct otf2_rank_map_record *record);

#endif
