/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looking into a chunk of an event file without decoding the chunk. Pure; the bytes are not
 * trusted.
 */
#ifndef SPUR_FINISH_CHUNK_H
#define SPUR_FINISH_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/frame.h"

struct finish_chunk {
    uint64_t first, last;           /* from the header; last is 0 while the chunk is open */
    uint64_t events;                /* whole records found */
    uint64_t used;                  /* bytes to the end of the last whole event */
    uint64_t time_first, time_last; /* UINT64_MAX and 0 without events */
    bool is_closed;                 /* ends with the mark of the file's end */
    uint8_t event;                  /* the last event's id */
    bool opens, closes;             /* effect of the last event on the stack of open items, */
    uint32_t word;                  /* and the word opened or closed: see session/segment.h */
};

bool finish_is_zero(const uint8_t *bytes, uint64_t n);
uint64_t finish_chunk_u64(const uint8_t *at);
/* A compressed number of 32 bits, of a whole record. */
uint32_t finish_chunk_c32(const uint8_t *at);

/*
 * Call `each` for the whole events of a chunk; `each` may change the bytes of the event in place.
 */
void finish_chunk_each(uint8_t *bytes, uint64_t n, void *data,
                       void (*each)(void *data, uint8_t *at, uint64_t size));

/* False: no event chunk of this machine's byte order. */
bool finish_chunk_scan(const uint8_t *bytes, uint64_t n, struct finish_chunk *chunk);

/*
 * The same, with a call for each event: the event is then the last event of `chunk`, and starts at
 * `at`.
 */
bool finish_chunk_walk(const uint8_t *bytes, uint64_t n, struct finish_chunk *chunk, void *data,
                       void (*each)(void *data, const struct finish_chunk *chunk,
                                    const uint8_t *at));

/* Set other numbers for the first and the last record of a chunk. */
void finish_chunk_number_from(uint8_t *bytes, uint64_t first, uint64_t last);

#endif
