/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The containers of an archive of substrate SION, and the places of each location's bytes in the
 * containers. The rank map gives the container and the task of a location. When the first location
 * of a task is asked for, the records of the task are looked up, and their places kept; values are
 * not read.
 *
 * One thread at a time may look for locations. The found places may be read by any number of
 * threads, as long as the containers live.
 */
#ifndef READER_CONTAINERS_H
#define READER_CONTAINERS_H

#include <stdint.h>

#include <otf2/OTF2_GeneralDefinitions.h>

#include "reader/container_file.h"

struct otf2_containers;

/* Bytes that lie together. */
struct otf2_piece {
    uint64_t begin; /* in the location's bytes */
    uint64_t at;    /* in the container */
};

/* All bytes of a location's file. */
struct otf2_pieces {
    const char *path; /* of the container */
    uint64_t bytes;
    struct otf2_piece *pieces; /* in their order; each piece ends where the next piece begins */
    uint64_t n;
    uint64_t room;
};

/* Reads the rank map. NULL: *fault has the reason. */
struct otf2_containers *otf2_containers_new(const char *folder, const char *name,
                                            struct otf2_fault *fault);
void otf2_containers_free(struct otf2_containers *c); /* NULL is allowed */

/*
 * The bytes of a location's events, local definitions or snapshots, at least one byte; owned by the
 * containers. NULL: no bytes (OTF2_ERROR_ENOENT), or the bytes cannot be found.
 */
const struct otf2_pieces *otf2_containers_find(struct otf2_containers *c, OTF2_FileType type,
                                               OTF2_LocationRef location, struct otf2_fault *fault);

/* Looks up all tasks of a type with containers, so that finding takes no more. */
OTF2_ErrorCode otf2_containers_find_all(struct otf2_containers *c, OTF2_FileType type,
                                        struct otf2_fault *fault);

/*
 * Whether the first of several containers gives the same place for each rank as the rank map. A
 * reader with the rank map needs no places in a container; SIONlib does. A missing file, or a file
 * that is no container, counts as right here.
 */
OTF2_ErrorCode otf2_containers_judge_places(struct otf2_containers *c, OTF2_FileType type,
                                            struct otf2_fault *fault);

/* Reads bytes [at, at + bytes), all of which must exist. */
OTF2_ErrorCode otf2_pieces_read(const struct otf2_pieces *p, uint64_t at, void *to, uint64_t bytes,
                                struct otf2_fault *fault);

/* How many files each kind of containers has. */
uint32_t otf2_containers_files(const struct otf2_containers *c);

/* The locations of the rank map, in the order of their ids; a location may appear twice. */
uint64_t otf2_containers_locations(const struct otf2_containers *c);
OTF2_LocationRef otf2_containers_location(const struct otf2_containers *c, uint64_t i);

#endif
