/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of io_stream_calls.def, in the forms that io_meanings.h explains. */
#ifndef IO_STREAM_MEANINGS_H
#define IO_STREAM_MEANINGS_H

#include "wrappers/io/io_streams.h"

/* clang-format off */
/* ---- when ---- */
#define WANTS_STREAM(stream) WANTS_OF(IO_ISOC, io_fd(stream))
#define SKIPS_STREAM(stream) SKIPS_OF(IO_ISOC, io_fd(stream))
#define WANTS_STREAM_OR_ALL(stream) ((stream) ? WANTS_STREAM(stream) : io_records(IO_CHOICE_ISOC))
#define SKIPS_STREAM_OR_ALL(stream) !io_is_on
#define WANTS_STREAM_KNOWN(stream) io_knows(io_fd(stream))
#define SKIPS_STREAM_KNOWN(stream) !io_is_on
#define WANTS_STREAM_ON(fd) io_wants(IO_ISOC, fd)
#define SKIPS_STREAM_ON(fd) !io_is_on
#define WANTS_STREAM_PATH(path) (io_records(IO_CHOICE_ISOC) && io_path_may_be_wanted(path))
#define SKIPS_STREAM_PATH(path) !io_is_on
/* Without a path it is the same file, opened anew. */
#define WANTS_STREAM_AGAIN(path, stream) \
    (io_knows(io_fd(stream)) || ((path) ? WANTS_STREAM_PATH(path) : WANTS_STREAM(stream)))
#define SKIPS_STREAM_AGAIN(path, stream) !io_is_on

/* ---- before ---- */
#define USES_STREAM(stream) USES_OF(IO_ISOC, io_fd(stream))
/* For a call that does not tell how far it has come. */
#define USES_STREAM_AT(stream) USES_STREAM(stream); const int64_t came_from = io_tell(stream)
#define CLOSES_STREAM(stream) const struct io_words closing = io_take(io_fd(stream))

/* ---- after ---- */
#define AFTER_STREAM_OPENED(flags) io_stream_opened(frame.loc, ret, flags)
#define MISSING_STREAM_OPENED(...) NOTHING
#define MISSED_STREAM_OPENED(...) (ret ? io_forget(io_fd(ret)) : NOTHING)

#define AFTER_STREAM_ATTACHED io_stream_attached(frame.loc, ret)
#define MISSING_STREAM_ATTACHED NOTHING
#define MISSED_STREAM_ATTACHED NOTHING

#define AFTER_STREAM_CLOSED(stream) io_closed(frame.loc, closing)
#define MISSING_STREAM_CLOSED(stream) io_forget(io_fd(stream))
#define MISSED_STREAM_CLOSED(...) NOTHING

#define AFTER_STREAM_REOPENED(stream, mode) io_stream_reopened(frame.loc, closing, ret, mode)
#define MISSING_STREAM_REOPENED(stream, mode) io_forget(io_fd(stream))
#define MISSED_STREAM_REOPENED(...) MISSED_STREAM_OPENED()

/* `done`: what was moved, -1 if the call has failed. */
#define AFTER_STREAMED(MODE, asked, done) \
    LEFT_BY(io_moved(&frame, handle, OTF2_IO_OPERATION_MODE_##MODE, asked, done, IO_HERE))
#define MISSING_STREAMED(...) NOTHING
#define MISSED_STREAMED(...) NOTHING
/* A call that moves all or fails. */
#define AFTER_STREAMED_WHOLE(MODE, done) \
    do { \
        const int64_t moved = done; \
        AFTER_STREAMED(MODE, moved < 0 ? NOT_KNOWN : (uint64_t)moved, moved); \
    } while (0)
#define MISSING_STREAMED_WHOLE(...) NOTHING
#define MISSED_STREAMED_WHOLE(...) NOTHING

#define AFTER_STREAM_SOUGHT(stream, offset, whence) \
    LEFT_BY(io_stream_sought(&frame, handle, stream, offset, whence, ret))
#define MISSING_STREAM_SOUGHT(...) NOTHING
#define MISSED_STREAM_SOUGHT(...) NOTHING

/* What was asked for and moved. */
#define NOT_KNOWN OTF2_UNDEFINED_UINT64
#define CHAR_READ(stream) ((ret) == EOF ? io_got_nothing(stream) : 1)
#define CHAR_WRITTEN ((ret) == EOF ? -1 : 1)
#define WORD_READ(stream) \
    ((ret) == EOF && (feof_unlocked(stream) || ferror_unlocked(stream)) ? io_got_nothing(stream) \
                                                                        : (int64_t)sizeof(int))
#define WORD_WRITTEN ((ret) != 0 ? -1 : (int64_t)sizeof(int))
#define TEXT_WRITTEN(text) ((ret) < 0 ? -1 : (int64_t)strlen(text))
#define LINE_WRITTEN(text) ((ret) < 0 ? -1 : (int64_t)strlen(text) + 1)
#define LINE_READ(stream) ((ret) < 0 ? io_got_nothing(stream) : (int64_t)(ret))
#define ROOM(n) ((n) > 0 ? (uint64_t)(n) - 1 : 0)
#define FORMATTED ((int64_t)(ret))
#define WIDE_READ(stream) ((ret) == WEOF ? io_got_nothing(stream) : io_wide_char(ret))
#define WIDE_WRITTEN ((ret) == WEOF ? -1 : io_wide_char(ret))
#define WIDE_TEXT_READ(stream) ((ret) ? io_wide_text(ret) : io_got_nothing(stream))
#define WIDE_TEXT_WRITTEN(text) ((ret) < 0 ? -1 : io_wide_text(text))
#define SCANNED(stream) io_since(stream, came_from)
#define WIDE_FORMATTED(stream) ((ret) < 0 ? -1 : io_since(stream, came_from))
/* clang-format on */

#endif
