/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams of ISO C. A stream is known by its descriptor; a stream without a descriptor, such as a
 * stream over memory, is not recorded. Two streams over the same descriptor share a handle. The
 * moved bytes are counted from the result of a call. All functions keep errno.
 */
#ifndef IO_STREAMS_H
#define IO_STREAMS_H

#include <stdint.h>
#include <stdio.h>
#include <wchar.h>

#include "wrappers/io/io_emit.h"

/* The stream's descriptor without a call; -1: no descriptor. The mark of a stream over a descriptor
 * is part of the C library's binary interface. */
static inline int io_fd(const FILE *stream)
{
    enum { IS_FILEBUF = 0x2000 };
    return stream && stream->_flags & IS_FILEBUF ? stream->_fileno : -1;
}

/* ---- opening ---- */

/* The flags of open(2) for a mode of fopen(). */
int io_flags_of_mode(const char *mode);
/* The flags of a descriptor; a stream needs all flags of its mode. */
int io_flags_of(int fd);
/* fopen(), tmpfile(): `stream` may be NULL. */
void io_stream_opened(struct spur_loc *loc, FILE *stream, int flags);
/* fdopen(): the descriptor was open before. */
void io_stream_attached(struct spur_loc *loc, FILE *stream);
/* freopen(); `mode` of the new stream. */
void io_stream_reopened(struct spur_loc *loc, struct io_words words, FILE *stream,
                        const char *mode);

/* ---- moved bytes, -1: the call has failed ---- */

/* A call without result: 0 at the end of the file. */
int64_t io_got_nothing(FILE *stream);
/* fread(): `ret` items of `size` bytes. */
int64_t io_items_read(FILE *stream, size_t size, size_t n, size_t ret);
static inline int64_t io_items_written(size_t size, size_t n, size_t ret)
{
    return ret == 0 && size && n ? -1 : (int64_t)(ret * size);
}
/* fgets(): up to the first NUL. */
int64_t io_text_read(FILE *stream, const char *ret);
/* The bytes of wide characters in the current locale, of one byte a character or UTF-8. */
int64_t io_wide_char(wint_t c);
int64_t io_wide_text(const wchar_t *text);

/* The position of the stream; and the distance moved since, for calls that do not tell the moved
 * bytes. */
int64_t io_tell(FILE *stream);
int64_t io_since(FILE *stream, int64_t before);

/* fseek() and its kin. */
void io_stream_sought(const struct io_frame *frame, OTF2_IoHandleRef handle, FILE *stream,
                      int64_t offset, int whence, int ret);

#endif
