/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file behind a stream (writer/stream.h): the place of the file, and the writing of chunks.
 * Everything is done by path: no file stays open.
 */
#ifndef WRITER_STREAM_FILE_H
#define WRITER_STREAM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/file.h"
#include "writer/stream.h"

/* There is no file: only writers of events may lack a location. */
bool otf2_stream_is_nowhere(const struct otf2_stream *s);

/* The header of a chunk, for records from `first` to `last`. */
void otf2_stream_put_header(const struct otf2_stream *s, uint8_t *chunk, uint64_t first,
                            uint64_t last);

/* Add the parts behind the chunks in the file. */
OTF2_ErrorCode otf2_stream_write(struct otf2_stream *s, const struct otf2_bytes *parts, size_t n);
/* The same for a single part; a failure is no error yet. */
bool otf2_stream_is_written(struct otf2_stream *s, const struct otf2_bytes *part);
/* Add the open chunk and the end of the file. */
OTF2_ErrorCode otf2_stream_write_end(struct otf2_stream *s);

/* Cut the file back to the bytes to which the program has agreed. */
void otf2_stream_cut(struct otf2_stream *s);
/*
 * The last chunks could not be written. Readers go on until the end of the file's records. So the
 * end of file is written into the rest of the last chunk on the disk, where the end needs no more
 * space.
 */
void otf2_stream_end_early(struct otf2_stream *s);

/*
 * Ends a file that replaces another file. Incomplete: the new file is removed; returns `error`.
 * Complete: the new file takes the place of the old file.
 */
OTF2_ErrorCode otf2_stream_drop(const struct otf2_stream *s, OTF2_ErrorCode error);
OTF2_ErrorCode otf2_stream_replace(const struct otf2_stream *s);

#endif
