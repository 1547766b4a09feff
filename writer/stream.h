/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The chunks of one file: memory that fills up, is sealed and goes to the disk. The end that grows
 * is a cursor (writer/evt_cursor.h), which knows nothing of files.
 *
 * Memory comes from the archive's memory callbacks, or else from the library. With memory of the
 * library, a sealed chunk goes to the file at once, and its memory is used again. Only the
 * questions and records that belong to a flush wait until the pool of POOL_BYTES would be full.
 * Without the program's consent (pre-flush callback) the file is cut back to what it had agreed to.
 *
 * One thread at a time uses a stream.
 */
#ifndef WRITER_STREAM_H
#define WRITER_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "format/attributes.h"
#include "format/frame.h"
#include "writer/blocks.h"
#include "writer/chunk.h"
#include "writer/contained.h"
#include "writer/evt_cursor.h"

struct otf2_stream {
    OTF2_Archive *archive;
    OTF2_FileType type;
    bool is_bare;              /* one block of bytes without chunks: the anchor file */
    bool is_replacing;         /* the file is written beside the old one, and takes its place */
    bool is_timed;             /* counts records in its headers, chunks begin with a timestamp */
    OTF2_LocationRef location; /* or the number of a thumbnail, else OTF2_UNDEFINED_LOCATION */
    void *caller;              /* the writer, for the program's pre-flush callback */
    uint64_t chunk_bytes;
    void *per_buffer; /* the memory callbacks' */
    uint8_t **chunks; /* in memory, the oldest first; the last one is open or unused */
    uint32_t n_chunks;
    uint32_t n_idle;    /* behind them: left over from a rewind, for the next chunks */
    uint32_t room;      /* of the array `chunks` */
    uint32_t n_granted; /* chunks since the last flush, of the library's own pool */
    uint8_t *spare;     /* of the library's own memory: for the next chunk */
    bool is_durable;    /* the cursor is the program's: it can go on with what cannot be written */
    bool is_adopted;    /* the whole chunks are another writer's: they stay as they are */
    bool is_refused;    /* the file could not be adopted, so nothing may write to it */
    bool has_written;   /* since the last chunk was begun, by otf2_stream_recycle() */
    uint32_t n_pinned;  /* rewind points: sealed chunks must stay in memory */
    uint64_t n_filed;   /* whole chunks in the file */
    uint64_t n_agreed;  /* of them with the program's consent */
    struct otf2_held held; /* used when the file is in a container */
    struct otf2_blocks
        blocks; /* used when the file is compressed: n_filed is no place in it then */
    struct otf2_evt_cursor *cursor;
};

/*
 * `cursor` is overwritten and stays the caller's. With memory callbacks the first chunk is taken at
 * once. Streams of locations and of global definitions are refused without flush callbacks.
 */
OTF2_ErrorCode otf2_stream_open(struct otf2_stream *s, struct otf2_evt_cursor *cursor);

/*
 * Make room for a record of `need` bytes: in the chunk, where that may become wider (see
 * OTF2X_AskForRoom), or by sealing it and beginning another one, whose first record is then at
 * `time`. Nothing changes if that fails.
 */
OTF2_ErrorCode otf2_stream_next(struct otf2_stream *s, OTF2_TimeStamp time, uint64_t need);

/*
 * What precedes a record of a timed file: room for `need` bytes and the attributes, a timestamp if
 * the time is a new one, and the list, which is empty afterwards. Leaves *p where the id goes.
 */
OTF2_ErrorCode otf2_stream_prepare(struct otf2_stream *s, OTF2_AttributeList *attributes,
                                   OTF2_TimeStamp time, uint64_t need, uint8_t **p);

/* The same when there is room and the time does not run backwards; else false, nothing is done. */
static inline bool otf2_stream_place(struct otf2_evt_cursor *c, OTF2_AttributeList *attributes,
                                     OTF2_TimeStamp time, uint64_t need, uint8_t **p)
{
    uint8_t *at = c->pos;
    uint64_t list = otf2_attributes_need(attributes);
    if (need + list >= (uint64_t)(c->end - at) || time < c->time)
        return false;
    /* The beginning of a chunk has the time 0 already. */
    if (time > c->time ||
        (time == 0 && at != c->chunk + OTF2_FRAME_HEADER_BYTES + OTF2_FRAME_TIME_BYTES)) {
        *at = OTF2_FRAME_TIME;
        memcpy(at + 1, &time, sizeof time);
        at += OTF2_FRAME_TIME_BYTES;
        c->time = time;
    }
    if (list) {
        at = otf2_attributes_put(at, attributes);
        otf2_attributes_clear(attributes);
    }
    *p = at;
    return true;
}

/*
 * For the memory callback: the oldest chunk, all being sealed, leaves the stream for another use.
 * It is written before, if it is to be, with the program's consent.
 */
OTF2_ErrorCode otf2_stream_recycle(struct otf2_stream *s, bool is_written, void **chunk);

/* Write all that is left and the end of the file; release the memory. */
OTF2_ErrorCode otf2_stream_close(struct otf2_stream *s);

/* Go back to an earlier place in the chunks that are in memory. */
void otf2_stream_rewind(struct otf2_stream *s, uint32_t chunk, uint64_t used);

/*
 * The file begins with `n` whole chunks already, and the first `used` bytes of another one are
 * these (used may be 0).
 */
OTF2_ErrorCode otf2_stream_adopt(struct otf2_stream *s, uint64_t n, const void *bytes,
                                 uint64_t used);

#endif
