/* SPDX-License-Identifier: BSD-3-Clause */
/* Where an event writer is. Apart from writer/evt_inline.h, which takes a second to compile. */
#ifndef WRITER_EVT_CURSOR_H
#define WRITER_EVT_CURSOR_H

#include <stdint.h>

#include <otf2/otf2.h>

/*
 * The state of an event writer that changes with each record. It may lie in memory shared with
 * another process (OTF2X_EvtWriter_SetCursor): `pos` is stored last, with release order, when a
 * record is whole, so that after the death of the writing process everything in [chunk, pos) is
 * complete. While the writer moves on to another chunk `pos` is NULL: then all chunks of the
 * location are sealed. `time` and `events` may be ahead of `pos` by what is written at once.
 */
struct otf2_evt_cursor {
    uint8_t *pos;           /* end of the complete records, NULL before the first */
    uint8_t *end;           /* end of the chunk */
    uint8_t *chunk;         /* start of the chunk (its 18-byte header), NULL before the first */
    OTF2_TimeStamp time;    /* last timestamp written; 0 at the start */
    uint64_t events;        /* records of this location so far, those of earlier chunks included */
    OTF2_EvtWriter *writer; /* whose it is; meaningless to another process */
};

#endif
