/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asynchronous I/O of POSIX: operations under way, by the addresses of their control blocks. The
 * program asks for the end of each operation by aio_return(). If a control block is used again
 * without aio_return(), the end of the earlier operation was not seen. In a child of fork() nothing
 * is under way. All functions keep errno.
 */
#ifndef IO_ASYNC_H
#define IO_ASYNC_H

#include <aio.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "wrappers/io/io_emit.h"
#include "wrappers/io/io_mode.h"

/* The form for large files is the same where off_t has 64 bits. */
_Static_assert(sizeof(struct aiocb) == sizeof(struct aiocb64), "one form of control blocks");

extern _Atomic unsigned io_async_known; /* how many operations are under way */

static inline bool io_async_any(void)
{
    return atomic_load_explicit(&io_async_known, memory_order_relaxed) != 0;
}

/* Does an operation begin that is recorded? */
static inline bool io_async_wants(int fd)
{
    return io_records(IO_CHOICE_AIO) && io_wants(IO_POSIX, fd);
}
bool io_async_wants_any(const void *const *blocks, int n);
/* Is the file open for `mode`? An operation that the kernel will refuse does not count. */
bool io_async_may(int fd, OTF2_IoOperationMode mode);
/* Is an operation on this control block under way? On any of several blocks, or on the
 * descriptor? */
bool io_async_has(const void *block);
bool io_async_has_any(const void *const *blocks, int n);

/* aio_read(), aio_write(), aio_fsync(): before the call and behind it. */
void io_async_begins(struct spur_loc *loc, const void *block, OTF2_IoOperationMode mode);
void io_async_begun(struct spur_loc *loc, const void *block, int ret, int error);
/* lio_listio(). */
void io_async_begin_all(struct spur_loc *loc, const void *const *blocks, int n);
void io_async_begun_all(struct spur_loc *loc, const void *const *blocks, int n, int ret, int error);
/* aio_error() has returned `ret`. */
void io_async_tested(struct spur_loc *loc, const void *block, int ret);
/* Why an operation has failed; before aio_return(), since aio_return() ends the operation. */
int io_async_error(const void *block);
void io_async_returned(struct spur_loc *loc, const void *block, int64_t ret, int why);
/* aio_cancel() of an operation, or of all operations on a descriptor if there is no block. */
void io_async_cancelled(struct spur_loc *loc, int fd, const void *block, int ret);
/* The end of the operation is not recorded. */
void io_async_forget(const void *block);

void io_async_forked(void);

#endif
