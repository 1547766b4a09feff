/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SION containers: in an archive of substrate SION, the files of all locations of a kind (events,
 * local definitions, snapshots) lie in a single file or a few files. Each rank that wrote the
 * archive has a task in a container. Pure functions over the bytes of a container;
 * format/rank_map.h tells the container of each rank.
 *
 *     head     fields named OTF2_CONTAINER_... below
 *     blocks   rows with a block for each task; the used bytes of a task's blocks, end to end, are
 *              the stream of the task
 *     tail     for each task the number of its blocks, then row by row the used bytes of each
 *              block; in file 0 of several, the place of each rank
 *
 * A task's stream is a sequence of records: the location, the number of bytes, the bytes. The bytes
 * of all records of a location together are equal to the location's own file.
 */
#ifndef FORMAT_CONTAINER_H
#define FORMAT_CONTAINER_H

#include <stdbool.h>
#include <stdint.h>

enum {
    OTF2_CONTAINER_HEAD_BYTES = 52,   /* read by otf2_container_decode() */
    OTF2_CONTAINER_NAME_BYTES = 1024, /* behind the head: the path of file 0, unused by readers */
    OTF2_CONTAINER_RANKS_AT = 1076,   /* then for each task: its rank, */
    OTF2_CONTAINER_END_BYTES = 12, /* bytes of its blocks; then number of rows and tail's offset */
    OTF2_CONTAINER_RECORD_BYTES = 16,    /* location and length */
    OTF2_CONTAINER_WORD_BYTES = 8,       /* all other numbers */
    OTF2_CONTAINER_BLOCK_BYTES = 4 << 20 /* size of written blocks */
};

/* The contents of the head. */
struct otf2_container {
    uint32_t tasks;  /* at least 1 */
    uint32_t files;  /* number of files in the set of this file */
    uint32_t number; /* of this file */
    uint32_t align;  /* of the blocks */
    bool is_swapped; /* the byte order of the numbers is not the host's */
};

/* NULL, or the fault of a head of OTF2_CONTAINER_HEAD_BYTES. */
const char *otf2_container_decode(const uint8_t *head, struct otf2_container *c);

/* The head is zeros: spur's library writes the head when the archive is closed. */
bool otf2_container_is_blank(const uint8_t *head);

/*
 * A number of 4 or 8 bytes. All numbers are signed; a negative number is returned as beyond
 * INT64_MAX.
 */
uint64_t otf2_container_get(const struct otf2_container *c, const uint8_t *at, unsigned bytes);

/* The contents before the blocks. */
struct otf2_container_front {
    struct otf2_container head;
    const char *name;      /* the path of file 0; cut off if too long */
    const uint64_t *ranks; /* of each task */
    const uint64_t *sizes; /* of the blocks of each task; NULL: all have `size` bytes */
    uint64_t size;
    uint64_t rows;    /* of blocks */
    uint64_t tail_at; /* behind the blocks */
};

/*
 * Writes the front, otf2_container_end_at() + OTF2_CONTAINER_END_BYTES bytes in the host's byte
 * order.
 */
void otf2_container_encode(uint8_t *bytes, const struct otf2_container_front *front);

/* Offsets in the file. */
static inline uint64_t otf2_container_sizes_at(const struct otf2_container *c)
{
    return OTF2_CONTAINER_RANKS_AT + (uint64_t)OTF2_CONTAINER_WORD_BYTES * c->tasks;
}

static inline uint64_t otf2_container_end_at(const struct otf2_container *c)
{
    return OTF2_CONTAINER_RANKS_AT + (uint64_t)OTF2_CONTAINER_WORD_BYTES * 2 * c->tasks;
}

static inline uint64_t otf2_container_blocks_at(const struct otf2_container *c)
{
    uint64_t end = otf2_container_end_at(c) + OTF2_CONTAINER_END_BYTES;
    return (end + c->align - 1) / c->align * c->align;
}

#endif
