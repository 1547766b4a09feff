/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The containers of an archive of substrate SION, and where in them each location's bytes lie. The
 * rank map says in which task of which container a location is. The records of a task are looked
 * up, and their places kept, when the first of its locations is asked for; values are not read.
 *
 * One thread at a time may look for locations. What was found is read by any number of threads, as
 * long as the containers live.
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
    struct otf2_piece *pieces; /* in their order; each ends where the next one begins */
    uint64_t n;
    uint64_t room;
};

/* Reads the rank map. NULL: *fault says why. */
struct otf2_containers *otf2_containers_new(const char *folder, const char *name,
                                            struct otf2_fault *fault);
void otf2_containers_free(struct otf2_containers *c); /* NULL is allowed */

/*
 * The bytes of a location's events, local definitions or snapshots, at least one; they belong to
 * the containers. NULL: there are none (OTF2_ERROR_ENOENT), or they cannot be found.
 */
const struct otf2_pieces *otf2_containers_find(struct otf2_containers *c, OTF2_FileType type,
                                               OTF2_LocationRef location, struct otf2_fault *fault);

/* Looks up all tasks of a type that has containers, so that to find takes no more. */
OTF2_ErrorCode otf2_containers_find_all(struct otf2_containers *c, OTF2_FileType type,
                                        struct otf2_fault *fault);

/*
 * Whether the first of several containers says of each rank where it is, as the rank map does. A
 * reader that knows the rank map needs nothing of that; SIONlib does. What is no container, or is
 * not there, is right here.
 */
OTF2_ErrorCode otf2_containers_judge_places(struct otf2_containers *c, OTF2_FileType type,
                                            struct otf2_fault *fault);

/* Reads bytes [at, at + bytes), all of which are there. */
OTF2_ErrorCode otf2_pieces_read(const struct otf2_pieces *p, uint64_t at, void *to, uint64_t bytes,
                                struct otf2_fault *fault);

/* How many files each kind of containers has. */
uint32_t otf2_containers_files(const struct otf2_containers *c);

/* The locations of the rank map, in the order of their ids; a location may stand there twice. */
uint64_t otf2_containers_locations(const struct otf2_containers *c);
OTF2_LocationRef otf2_containers_location(const struct otf2_containers *c, uint64_t i);

#endif
