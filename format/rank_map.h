/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rank map (traces.srm) of an archive of substrate SION: the ranks that wrote the archive, the
 * container of each rank, and the locations of each rank. Pure functions over the bytes of the
 * file, in the order of the file: the numbers of all, then each rank, and behind each rank the
 * rank's locations.
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

/* The meaning of a record's values; the value of a location is the location's id. */
enum {
    OTF2_RANK_MAP_FILES = 0, /* of all */
    OTF2_RANK_MAP_RANKS,
    OTF2_RANK_MAP_LOCATIONS,
    OTF2_RANK_MAP_NUMBER = 0, /* of a rank: 0, 1, ... */
    OTF2_RANK_MAP_FILE,
    OTF2_RANK_MAP_TASK,    /* in the container */
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
    size_t chunk; /* begin of the current chunk */
};

/* Reads the next record; NULL, or the fault at walk->at. */
const char *otf2_rank_map_next(struct otf2_rank_map_walk *walk,
                               struct otf2_rank_map_record *record);

/* The contents of a map. */
struct otf2_rank_map {
    uint32_t files, ranks;
    const uint32_t *places; /* file and task of each rank; NULL: a rank is a task of file 0 */
    const uint64_t *counts; /* locations of each rank, */
    const uint64_t *ids;    /* ids of the locations, one rank after the other */
    uint64_t n;             /* number of ids */
};

/*
 * Writes a map, in the byte order of the host, to memory of otf2_rank_map_room() bytes. Returns the
 * map's size.
 */
size_t otf2_rank_map_room(uint64_t ranks, uint64_t locations);
size_t otf2_rank_map_encode(const struct otf2_rank_map *map, uint8_t *bytes);

#endif
