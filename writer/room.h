/* SPDX-License-Identifier: BSD-3-Clause */
/* How much of a chunk may be used yet, and that none is: see OTF2X_AskForRoom, OTF2X_TellWritten.
 */
#ifndef WRITER_ROOM_H
#define WRITER_ROOM_H

#include "writer/stream.h"

/* Where the usable part of a chunk ends, which should have so many bytes. */
uint8_t *otf2_room_end(const struct otf2_stream *s, uint8_t *chunk, uint64_t at_least);

/* Does the open chunk have room for `need` bytes after all? It may become wider. */
bool otf2_room_widen(const struct otf2_stream *s, uint64_t need);

/* The chunk is in the file, and the writer is being closed. */
void otf2_room_is_over(const struct otf2_stream *s, uint8_t *chunk);

#endif
