/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The facts about a location while an archive is read, from all files of the location. Found by id
 * in constant time, otherwise in the order of first mention. The reader owns all locations until
 * the reader is closed. Callers hold the reader's lock to look up a location. The contents of a
 * location are used only by the thread that reads the location.
 */
#ifndef READER_LOCATION_H
#define READER_LOCATION_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/OTF2_IdMap.h>
#include <otf2/OTF2_Reader.h>

/* A ClockOffset record: at `time` the clock is `offset` ticks behind the global clock. */
struct otf2_clock_point {
    OTF2_TimeStamp time;
    int64_t offset;
};

/* In the order of the file, strictly increasing times. Fewer than two points have no effect. */
struct otf2_clock_points {
    struct otf2_clock_point *points;
    uint64_t n;
    uint64_t room;
};

struct otf2_location {
    OTF2_LocationRef id;
    struct otf2_location *next; /* in its bucket */
    bool is_selected;           /* by OTF2_Reader_SelectLocation */
    /* From the local definitions, by OTF2_MappingType; NULL: ids are global already. */
    OTF2_IdMap *maps[OTF2_MAPPING_MAX];
    struct otf2_clock_points clock;
    OTF2_EvtReader *evt; /* NULL: not open */
    bool evt_has_failed; /* to open */
    OTF2_DefReader *def;
    OTF2_SnapReader *snap;
};

struct otf2_locations {
    struct otf2_location **all; /* in the order of first mention */
    uint64_t n;
    uint64_t room;
    struct otf2_location **buckets;
    uint64_t n_buckets; /* a power of two, or 0 */
};

/* The location of the given id, made anew if missing; NULL without memory. */
struct otf2_location *otf2_locations_intern(struct otf2_locations *l, OTF2_LocationRef id);

/* NULL: the location was never mentioned. */
struct otf2_location *otf2_locations_find(const struct otf2_locations *l, OTF2_LocationRef id);

/* Adds a point, whose time must be the latest. False without memory. */
bool otf2_clock_points_add(struct otf2_clock_points *c, OTF2_TimeStamp time, int64_t offset);

/* Releases maps and clock points, not the readers, which must be closed. */
void otf2_locations_fini(struct otf2_locations *l);

#endif
