/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A chunked file, walked from its begin to its end through a window of memory, with everything
 * about the frame judged on the way. The library's way of reading is not used, since the library
 * gets along with many faults that the check must find.
 */
#ifndef CHECK_CHUNKS_H
#define CHECK_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/zblock.h"
#include "reader/containers.h"
#include "tools/check/verdict.h"

enum {
    CONTROL_CHUNK_END = 0,
    CONTROL_BUFFER_END = 1,
    CONTROL_FILE_END = 2,
    CONTROL_HEADER = 3,
    CONTROL_TIMESTAMP = 5,
    CONTROL_ATTRIBUTES = 6,
    CHUNK_HEADER_BYTES = 18,
    CHUNK_SLACK = 16 /* readable bytes behind `end`: a value may be loaded as a whole word */
};

struct chunks {
    struct verdict *verdict;
    char *path;
    const char *name; /* as lines show the name: a part of `path` */
    int fd;           /* -1: opened for each read, as with more files than descriptors */
    bool is_timed;
    bool is_swapped; /* the chunk's byte order is not the host's */
    uint64_t file_bytes;
    uint64_t chunk_bytes;
    uint64_t chunk;       /* number */
    uint64_t chunk_start; /* offset */
    uint64_t chunk_end;   /* offset behind the last byte */
    uint64_t last;        /* from the header */
    uint64_t count;       /* records so far, for timed files */

    uint8_t *window;
    size_t room;
    uint64_t window_start; /* offset of window[0] */
    const uint8_t *at;
    const uint8_t *end;

    const struct otf2_pieces *pieces; /* places of the bytes in a container; NULL: a file */

    uint8_t *packed; /* of a compressed file, as a whole; NULL: plain */
    struct otf2_zwalk walk;
};

enum record_found { RECORD_FOUND, RECORD_END, RECORD_BROKEN };

struct chunks_options {
    uint64_t chunk_bytes;
    size_t window_bytes;
    bool is_timed;
    bool is_packed;
    bool stays_open;
    const struct otf2_pieces *pieces; /* NULL: a file of the name */
};

/*
 * Opens DIR/NAME and reads the first header. False: the file cannot be opened or read, which was
 * reported unless the file is missing (*is_missing).
 */
bool chunks_open(struct chunks *f, struct verdict *verdict, const char *dir, const char *name,
                 const struct chunks_options *how, bool *is_missing);
void chunks_close(struct chunks *f);

/* The same as chunks_want(), where the window has to be moved. */
bool chunks_fetch(struct chunks *f, size_t n);

/* Whether n more bytes of this chunk are in the window. Called several times an event. */
static inline bool chunks_want(struct chunks *f, size_t n)
{
    return (size_t)(f->end - f->at) >= n || chunks_fetch(f, n);
}

/*
 * Passes over control bytes: RECORD_FOUND: at `at` is the id of a record (in timed files also of a
 * timestamp or an attribute list). All faults were reported.
 */
enum record_found chunks_next(struct chunks *f);

/*
 * Passes over the id and the length field of a record. All attributes of the record are then in the
 * window: at .. at + *length. False: the attributes leave the chunk, which was reported.
 */
bool chunks_frame(struct chunks *f, uint64_t *length);

/* The place of `at`, for a finding. */
struct place chunks_place(const struct chunks *f);

static inline uint64_t chunks_offset(const struct chunks *f)
{
    return f->window_start + (uint64_t)(f->at - f->window);
}

#endif
