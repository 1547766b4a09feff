/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of io_async_calls.def, in the forms that io_meanings.h explains. */
#ifndef IO_ASYNC_MEANINGS_H
#define IO_ASYNC_MEANINGS_H

#include "wrappers/io/io_async.h"

/* clang-format off */
#define BLOCKS(blocks) ((const void *const *)(blocks))
/* ---- when ---- */
#define WANTS_ASYNC(block) io_async_wants((block)->aio_fildes)
#define SKIPS_ASYNC(block) !io_records(IO_CHOICE_AIO)
#define WANTS_ASYNC_ANY(blocks, n) io_async_wants_any(BLOCKS(blocks), n)
#define SKIPS_ASYNC_ANY(blocks, n) !io_records(IO_CHOICE_AIO)
#define WANTS_PENDING(block) io_async_has(block)
#define SKIPS_PENDING(block) !io_async_any()
#define WANTS_PENDING_ANY(blocks, n) io_async_has_any(BLOCKS(blocks), n)
#define SKIPS_PENDING_ANY(blocks, n) !io_async_any()
#define WANTS_CANCELS(fd) io_async_wants(fd)
#define SKIPS_CANCELS(fd) !io_async_any()

/* ---- before ---- */
#define ISSUES(MODE, block) io_async_begins(frame.loc, block, OTF2_IO_OPERATION_MODE_##MODE)
#define ISSUES_ALL(blocks, n) io_async_begin_all(frame.loc, BLOCKS(blocks), n)
#define RETURNS(block) const int why = io_async_error(block)

/* ---- after ---- */
#define AFTER_ISSUED(block) io_async_begun(frame.loc, block, ret, error)
#define MISSING_ISSUED(block) io_async_forget(block)
#define MISSED_ISSUED(...) NOTHING
#define AFTER_ISSUED_ALL(blocks, n) io_async_begun_all(frame.loc, BLOCKS(blocks), n, ret, error)
#define MISSING_ISSUED_ALL(...) NOTHING
#define MISSED_ISSUED_ALL(...) NOTHING
#define AFTER_TESTED(block) io_async_tested(frame.loc, block, ret)
#define MISSING_TESTED(...) NOTHING
#define MISSED_TESTED(...) NOTHING
#define AFTER_RETURNED(block) io_async_returned(frame.loc, block, ret, why)
#define MISSING_RETURNED(block) io_async_forget(block)
#define MISSED_RETURNED(...) NOTHING
#define AFTER_CANCELLED(fd, block) io_async_cancelled(frame.loc, fd, block, ret)
#define MISSING_CANCELLED(...) NOTHING
#define MISSED_CANCELLED(...) NOTHING
/* clang-format on */

#endif
