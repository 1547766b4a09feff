/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file behind a stream (writer/stream.h): where it lies, and how its chunks get there. All is
 * done by path: no file stays open.
 */
#ifndef WRITER_STREAM_FILE_H
#define WRITER_STREAM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/file.h"
#include "writer/stream.h"

/* There is no file: only writers of events may be without a location. */
bool otf2_stream_is_nowhere(const struct otf2_stream *s);

/* The header of a chunk, for records from `first` to `last`. */
void otf2_stream_put_header(const struct otf2_stream *s, uint8_t *chunk, uint64_t first,
                            uint64_t last);

/* Add the parts behind the chunks that are in the file. */
OTF2_ErrorCode otf2_stream_write(struct otf2_stream *s, const struct otf2_bytes *parts, size_t n);
/* The same of one part; a failure is no error yet. */
bool otf2_stream_is_written(struct otf2_stream *s, const struct otf2_bytes *part);
/* Add the open chunk and the end of the file. */
OTF2_ErrorCode otf2_stream_write_end(struct otf2_stream *s);

/* Cut the file back to what the program has agreed to. */
void otf2_stream_cut(struct otf2_stream *s);
/*
 * The last chunks could not be written. Readers go on until they meet the end of the file's
 * records. So that end goes into what is left over in the last chunk on the disk, where it needs no
 * more space.
 */
void otf2_stream_end_early(struct otf2_stream *s);

/*
 * Ends a file that replaces another one. Incomplete: the file is removed; returns `error`.
 * Complete: it takes the place of the other.
 */
OTF2_ErrorCode otf2_stream_drop(const struct otf2_stream *s, OTF2_ErrorCode error);
OTF2_ErrorCode otf2_stream_replace(const struct otf2_stream *s);

#endif
