/* SPDX-License-Identifier: BSD-3-Clause */
/* A chunk as bytes: its header, and what is in it. Pure functions. */
#ifndef WRITER_CHUNK_H
#define WRITER_CHUNK_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2.h>

/* Records `first` to `last` of a timed file; in other files they are 1 and 0. */
void otf2_chunk_put_header(uint8_t *chunk, uint64_t first, uint64_t last);
void otf2_chunk_put_last(uint8_t *chunk, uint64_t last);

struct otf2_chunk_content {
    uint64_t first;
    uint64_t last; /* first - 1 + number of records, whatever the header says */
    uint64_t used; /* bytes up to the end of the last record */
    OTF2_TimeStamp time;
};

/*
 * Look through an event chunk of this host's byte order, of which `used` bytes are written: sealed
 * or not. False when the bytes are no whole records; *content is undefined then.
 */
bool otf2_chunk_walk(const uint8_t *chunk, uint64_t used, struct otf2_chunk_content *content);

#endif
