/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The words of the tables. A word in a row's `wants` has two forms: WANTS_X tells whether the call
 * is recorded. SKIPS_X is a cheaper question, and true of most calls: nothing is recorded and
 * nothing becomes known, so only the real function is called. A word in `after` has three forms:
 * AFTER_X behind a recorded call; for a call without records, MISSING_X before and MISSED_X behind
 * the call, since the knowledge about descriptors has to stay true.
 */
#ifndef IO_MEANINGS_H
#define IO_MEANINGS_H

#include <errno.h>

#include "agent/spur_polls.h"
#include "wrappers/io/io_async.h"
#include "wrappers/io/io_emit.h"
#include "wrappers/io/io_frame.h"
#include "wrappers/io/io_maps.h"
#include "wrappers/io/io_mode.h"
#include "wrappers/io/io_paths.h"
#include "wrappers/io/io_real.h"
#include "wrappers/io/io_table.h"

#define IO_TEMPORARY (O_CREAT | O_EXCL | O_RDWR)

/* clang-format off */
/* ---- when ---- */
#define WANTS_ALWAYS(choice) io_records(IO_CHOICE_##choice)
#define SKIPS_ALWAYS(choice) !io_records(IO_CHOICE_##choice)
/* The descriptor's word is read once, into the variable that USES() reads. */
#define SKIPS_OF(layer, fd) ((word = io_word_of(layer, fd)) == IO_EXCLUDED)
#define WANTS_OF(layer, fd) (io_is_current(word) || io_wants(layer, fd))
#define USES_OF(layer, fd) \
    const OTF2_IoHandleRef handle = \
        io_is_current(word) ? io_handle_in(word) : io_handle_of(layer, fd)
#define WANTS_ON(fd) WANTS_OF(IO_POSIX, fd)
#define SKIPS_ON(fd) SKIPS_OF(IO_POSIX, fd)
#define WANTS_EITHER(a, b) ((int)io_wants(IO_POSIX, a) | (int)io_wants(IO_POSIX, b))
#define SKIPS_EITHER(a, b) \
    (io_word_of(IO_POSIX, a) == IO_EXCLUDED && io_word_of(IO_POSIX, b) == IO_EXCLUDED)
#define WANTS_KNOWN(fd) io_knows(fd)
#define SKIPS_KNOWN(fd) !io_is_on
#define WANTS_PATH(path) (io_records(IO_CHOICE_POSIX) && io_path_may_be_wanted(path))
#define SKIPS_PATH(path) !io_is_on
#define WANTS_PATHS(a, b) (WANTS_PATH(a) && WANTS_PATH(b))
#define SKIPS_PATHS(a, b) !io_is_on
#define WANTS_META(path) io_path_may_be_wanted(path)
#define SKIPS_META(path) !io_records(IO_CHOICE_META)
#define WANTS_META_ON(fd) io_wants(IO_META, fd)
#define SKIPS_META_ON(fd) (io_word_of(IO_META, fd) == IO_EXCLUDED)
#define WANTS_META_OF(dir) WANTS_META_ON(io_dirfd(dir))
#define SKIPS_META_OF(dir) SKIPS_META(dir)
#define WANTS_KNOWN_DIR(dir) ((int)io_knows(io_dirfd(dir)) | (int)WANTS_META_OF(dir))
#define SKIPS_KNOWN_DIR(dir) !io_is_on
#define WANTS_DUPLICATING(fd) WANTS_ON(fd)
#define SKIPS_DUPLICATING(fd) !io_is_on
#define WANTS_REPLACING(fd, to) ((fd) != (to) && ((int)WANTS_ON(fd) | (int)io_knows(to)))
#define SKIPS_REPLACING(fd, to) !io_is_on
#define WANTS_MAPPED(at, n) io_maps_has(at, n)
#define SKIPS_MAPPED(at, n) !io_maps_any()
#define WANTS_RANGE(first, last, flags) (IS_CLOSING(flags) && io_knows_any(first, last))
#define SKIPS_RANGE(first, last, flags) !io_is_on
#define IS_CLOSING(flags) (((unsigned)(flags) & CLOSE_RANGE_CLOEXEC) == 0)
#define FROM(first) ((first) < 0 ? 0U : (unsigned)(first))

/* ---- before ---- */
#define NOTHING ((void)0)
#define USES(fd) USES_OF(IO_POSIX, fd)
#define USES_MAP(at) const OTF2_IoHandleRef handle = io_maps_handle(at)
#define USES_BOTH(in, out) \
    const OTF2_IoHandleRef handle_in = io_handle_of(IO_POSIX, in); \
    const OTF2_IoHandleRef handle_out = io_handle_of(IO_POSIX, out)
#define CLOSES(fd) const struct io_words closing = io_take(fd)
#define CLOSES_RANGE(first, last) NOTHING
#define REPLACES(fd, to) \
    const OTF2_IoHandleRef handle = io_handle_of(IO_POSIX, fd); \
    const struct io_words closing = io_take(to)

/* The kernel writes the rest of the period into the limit. */
#define ASKS(at_once) const bool is_poll = (at_once)

/* ---- after ---- */
#define AFTER_LEFT spur_tick(frame.loc)
#define MISSING_LEFT NOTHING
#define MISSED_LEFT NOTHING

/* A call without waiting is a poll. The limit can be read, since the kernel has read the limit. */
#define IN_NO_TIME(limit, part) ((limit) && (limit)->tv_sec == 0 && (limit)->part == 0)
#define AFTER_POLLED(at_once) \
    do { \
        spur_tick(frame.loc); \
        if (ret >= 0 && (at_once) && spur_poll(frame.loc, NULL, ret > 0)) \
            LEFT_BY(spur_leave_poll(frame.loc, frame.call)); \
    } while (0)
#define MISSING_POLLED(...) NOTHING
#define MISSED_POLLED(...) NOTHING

#define TOTAL(parts, count) io_total(parts, count, (int64_t)ret)
/* The statement has left the region. */
#define LEFT_BY(statement) ((statement), is_left = true)
#define AFTER_MOVED(MODE, bytes, at) \
    LEFT_BY(io_moved(&frame, handle, OTF2_IO_OPERATION_MODE_##MODE, bytes, ret, at))
#define MISSING_MOVED(...) NOTHING
#define MISSED_MOVED(...) NOTHING

#define AFTER_PRINTED AFTER_MOVED(WRITE, ret < 0 ? OTF2_UNDEFINED_UINT64 : (uint64_t)ret, IO_HERE)
#define MISSING_PRINTED NOTHING
#define MISSED_PRINTED NOTHING

#define NO_PLACE ((const off64_t *)NULL)
/* The kernel has moved the given offset by the copied bytes. */
#define PLACE(pointer) ((pointer) && ret >= 0 ? (int64_t)*(pointer) - (int64_t)ret : IO_HERE)
#define AFTER_COPIED(bytes, from, to) \
    io_copied(frame.loc, (struct io_end){handle_in, PLACE(from)}, \
              (struct io_end){handle_out, PLACE(to)}, bytes, ret, error)
#define MISSING_COPIED(...) NOTHING
#define MISSED_COPIED(...) NOTHING

#define AFTER_FLUSHED io_flushed(frame.loc, handle, ret, error)
#define MISSING_FLUSHED NOTHING
#define MISSED_FLUSHED NOTHING

#define HOW(how) (ret >= 0 ? (int)(how)->flags : 0)
#define AFTER_OPENED(flags) io_opened(frame.loc, IO_POSIX, ret, flags)
#define MISSING_OPENED(...) NOTHING
#define MISSED_OPENED(...) (ret >= 0 ? io_forget(ret) : NOTHING)

#define AFTER_OPENED_BOTH(ends, first, second) io_opened_both(frame.loc, ends, ret, first, second)
#define MISSING_OPENED_BOTH(...) NOTHING
#define MISSED_OPENED_BOTH(ends, first, second) \
    (ret == 0 ? (io_forget((ends)[0]), io_forget((ends)[1])) : NOTHING)
#define SOCKET(flags) (O_RDWR | ((flags) & (SOCK_CLOEXEC | SOCK_NONBLOCK)))

/* A call may return the full size of a longer message, or leave the bytes in place after
 * reading. */
#define PEEKED(moved, flags) ((flags) & MSG_PEEK && (moved) > 0 ? 0 : (moved))
#define RECEIVED(asked, flags) PEEKED(io_at_most(ret, asked), flags)

#define AFTER_SPLICED(fd, parts, count) \
    LEFT_BY(io_moved(&frame, handle, io_mode_of_pipe(fd), TOTAL(parts, (int)(count)), ret, IO_HERE))
#define MISSING_SPLICED(...) NOTHING
#define MISSED_SPLICED(...) NOTHING

#define AFTER_CLOSED(fd) io_closed(frame.loc, closing)
#define MISSING_CLOSED(fd) io_forget(fd)
#define MISSED_CLOSED(...) NOTHING

#define AFTER_CLOSED_RANGE(first, last, flags) \
    io_closed_range(frame.loc, first, last, (ret) == 0)
#define MISSING_CLOSED_RANGE(first, last, flags) \
    (IS_CLOSING(flags) ? io_forget_range(first, last) : NOTHING)
#define MISSED_CLOSED_RANGE(...) NOTHING

#define AFTER_SOUGHT(offset, whence) LEFT_BY(io_sought(&frame, handle, offset, whence, ret))
#define MISSING_SOUGHT(...) NOTHING
#define MISSED_SOUGHT(...) NOTHING

#define AFTER_DUPLICATED io_duplicated(frame.loc, handle, ret, NULL)
#define MISSING_DUPLICATED NOTHING
#define MISSED_DUPLICATED MISSED_OPENED()

#define AFTER_REPLACED(fd, to) \
    do { \
        if (ret < 0) \
            io_put_back(to, closing); \
        io_duplicated(frame.loc, handle, ret, ret < 0 ? NULL : &closing); \
    } while (0)
#define MISSING_REPLACED(...) NOTHING
#define MISSED_REPLACED(fd, to) (ret >= 0 && (fd) != (to) ? io_forget(to) : NOTHING)

#define AFTER_FLOCKED(fd, operation) \
    io_locked(frame.loc, handle, fd, io_lock_of_flock(operation), ret, error)
#define MISSING_FLOCKED(...) NOTHING
#define MISSED_FLOCKED(...) NOTHING

#define AFTER_LOCKED(fd, command) \
    io_locked(frame.loc, handle, fd, io_lock_of_lockf(command), ret, error)
#define MISSING_LOCKED(...) NOTHING
#define MISSED_LOCKED(...) NOTHING

#define AFTER_DELETED(dir, path) io_deleted(frame.loc, dir, path, ret)
#define MISSING_DELETED(...) NOTHING
#define MISSED_DELETED(...) NOTHING
#define AFTER_DELETED_IF(is_file, dir, path) io_deleted(frame.loc, dir, path, (is_file) ? ret : -1)
#define MISSING_DELETED_IF(...) NOTHING
#define MISSED_DELETED_IF(...) NOTHING

/* ---- the way of a call ---- */

#define IO_FRAME(name, function, is_wanted) \
    struct io_frame name __attribute__((cleanup(io_frame_end), unused)) = { \
        (is_wanted) ? spur_enter(function) : NULL, function, false}

/*
 * The body of a wrapper: `invoke` calls the real function. errno is the real function's. A skipped
 * call goes straight to `invoke`. The frame leaves the region also where the call is left by
 * unwinding. A call made for a call of an upper layer is entered within the upper call's region.
 */
#define IO_WAY(name, wants, before, after, type, result, invoke) \
    io_word word = IO_UNKNOWN; \
    (void)word; \
    if (__builtin_expect(SKIPS_##wants, 1)) \
        IO_PASS_##result(invoke); \
    const bool is_wanted = WANTS_##wants; \
    IO_FRAME(frame, &io_calls[IO_CALL_##name].call, is_wanted); \
    if (!frame.loc && is_wanted) \
        io_frame_below(&frame, SPUR_CALLER); \
    if (!frame.loc) { \
        MISSING_##after; \
        IO_TAKE_##result(type) invoke; \
        MISSED_##after; \
        IO_GIVE_##result; \
    } \
    before; \
    IO_TAKE_##result(type) invoke; \
    const int error = errno; \
    (void)error; \
    bool is_left = false; \
    AFTER_##after; \
    if (!is_left) \
        spur_leave(frame.loc, frame.call); \
    frame.loc = NULL; \
    if (frame.is_below) \
        io_frame_above(&frame); \
    IO_GIVE_##result
#define IO_PASS_VALUE(invoke) return invoke
#define IO_PASS_NONE(invoke) do { invoke; return; } while (0)
#define IO_TAKE_VALUE(type) type ret =
#define IO_GIVE_VALUE return ret
#define IO_TAKE_NONE(type) const int ret = 0; (void)ret;
#define IO_GIVE_NONE return
/* clang-format on */

#include "wrappers/io/io_async_meanings.h"
#include "wrappers/io/io_stream_meanings.h"

#endif
