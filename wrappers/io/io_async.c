/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/io/io_async.h"

#include <errno.h>
#include <fcntl.h>

#include "wrappers/io/io_hold.h"
#include "wrappers/io/io_real.h"
#include "wrappers/io/io_streams.h"
#include "wrappers/kit/wrapper_ids.h"

enum { BITS = 12, MOST = 1 << BITS, TRIES = 64 };

struct under_way {
    const void *block; /* NULL: free */
    uint64_t id;
    OTF2_IoHandleRef handle;
    int fd;
    bool is_flush;
};

_Atomic unsigned io_async_known;
static struct under_way table[MOST];
static struct io_hold hold;

void io_async_forked(void)
{
    hold = (struct io_hold){0};
    for (unsigned i = 0; io_async_any() && i < MOST; i++)
        table[i] = (struct under_way){0};
    atomic_store_explicit(&io_async_known, 0, memory_order_relaxed);
}

/* ---- the table ---- */

/*
 * The place of a block, or a free place for the block: within a few places from the block's home.
 */
static struct under_way *place(const void *block, bool is_free)
{
    enum { WORD_BITS = 64, GRAIN = 3 };
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t home = ((uint64_t)(uintptr_t)block >> GRAIN) * golden >> (WORD_BITS - BITS);
    for (unsigned i = 0; i < TRIES; i++) {
        struct under_way *at = &table[(home + i) % MOST];
        if (at->block == (is_free ? NULL : block))
            return at;
    }
    return NULL;
}

/*
 * A block counts as long as the table has the block, since a child of fork() looks at the table
 * only where the count is not 0.
 */
static void count(int change)
{
    atomic_fetch_add(&io_async_known, (unsigned)change);
}

static bool put(struct under_way new)
{
    if (!io_hold(&hold))
        return false;
    struct under_way *at = place(new.block, true);
    if (at) {
        count(1);
        *at = new;
    }
    io_let_go(&hold);
    return at != NULL;
}

/* Without a block: the table does not have the block. */
static struct under_way get(const void *block, bool is_taken)
{
    struct under_way found = {0};
    if (!io_async_any() || !block || !io_hold(&hold))
        return found;
    struct under_way *at = place(block, false);
    if (at)
        found = *at;
    if (at && is_taken) {
        *at = (struct under_way){0};
        count(-1);
    }
    io_let_go(&hold);
    return found;
}

/* A block of the descriptor, from place `*from` of the table on; moves `*from`. */
static const void *next_of(int fd, unsigned *from)
{
    const void *block = NULL;
    if (!io_hold(&hold))
        return NULL;
    while (!block && *from < MOST) {
        const struct under_way *at = &table[(*from)++];
        block = at->block && at->fd == fd ? at->block : NULL;
    }
    io_let_go(&hold);
    return block;
}

bool io_async_has(const void *block)
{
    return get(block, false).block != NULL;
}

bool io_async_has_any(const void *const *blocks, int n)
{
    bool has = false;
    for (int i = 0; !has && i < n && io_async_any(); i++)
        has = io_async_has(blocks[i]);
    return has;
}

void io_async_forget(const void *block)
{
    (void)get(block, true);
}

/* ---- operations ---- */

/* LIO_NOP, and a block that the C library will refuse, is no operation. */
static bool is_operation(const struct aiocb *block)
{
    return block && (block->aio_lio_opcode == LIO_READ || block->aio_lio_opcode == LIO_WRITE);
}

bool io_async_wants_any(const void *const *blocks, int n)
{
    bool wants = false;
    for (int i = 0; !wants && i < n; i++) {
        const struct aiocb *block = blocks[i];
        wants = is_operation(block) && io_async_wants(block->aio_fildes);
    }
    return wants;
}

/*
 * The operation before on the same block. Nobody has asked for the end, so the number of bytes
 * moved is not known.
 */
static void end_unseen(struct spur_loc *loc, const void *block)
{
    const struct under_way old = get(block, true);
    if (old.block)
        spur_put_IoOperationComplete(loc, old.handle, OTF2_UNDEFINED_UINT64, old.id);
}

bool io_async_may(int fd, OTF2_IoOperationMode mode)
{
    const int access = io_flags_of(fd) & O_ACCMODE;
    return mode == OTF2_IO_OPERATION_MODE_FLUSH ||
           access != (mode == OTF2_IO_OPERATION_MODE_READ ? O_WRONLY : O_RDONLY);
}

void io_async_begins(struct spur_loc *loc, const void *block, OTF2_IoOperationMode mode)
{
    const struct aiocb *what = block;
    const bool is_flush = mode == OTF2_IO_OPERATION_MODE_FLUSH;
    const OTF2_IoHandleRef handle = io_handle_of(IO_POSIX, what->aio_fildes);
    const uint64_t id = wrapper_operation_id();
    end_unseen(loc, block);
    if (handle == OTF2_UNDEFINED_IO_HANDLE || !io_async_may(what->aio_fildes, mode) ||
        !put((struct under_way){block, id, handle, what->aio_fildes, is_flush}))
        return;
    io_begin(loc, handle, mode, OTF2_IO_OPERATION_FLAG_NON_BLOCKING,
             is_flush ? OTF2_UNDEFINED_UINT64 : what->aio_nbytes, id,
             is_flush ? IO_HERE : (int64_t)what->aio_offset);
    spur_put_IoOperationIssued(loc, handle, id);
}

static void end(struct spur_loc *loc, const struct under_way *one, int64_t ret, int why)
{
    if (ret < 0 && why == ECANCELED)
        spur_put_IoOperationCancelled(loc, one->handle, one->id);
    else
        io_complete(loc, one->handle, one->is_flush ? OTF2_UNDEFINED_UINT64 : (uint64_t)ret,
                    ret < 0, why, one->id);
}

void io_async_begun(struct spur_loc *loc, const void *block, int ret, int error)
{
    spur_tick(loc);
    const struct under_way refused = ret == 0 ? (struct under_way){0} : get(block, true);
    if (refused.block)
        end(loc, &refused, -1, error);
}

void io_async_begin_all(struct spur_loc *loc, const void *const *blocks, int n)
{
    for (int i = 0; i < n; i++) {
        const struct aiocb *block = blocks[i];
        if (is_operation(block))
            io_async_begins(loc, block,
                            block->aio_lio_opcode == LIO_READ ? OTF2_IO_OPERATION_MODE_READ
                                                              : OTF2_IO_OPERATION_MODE_WRITE);
    }
}

/*
 * If some operations were refused, aio_error() tells of each. If the call was refused, no operation
 * began.
 */
void io_async_begun_all(struct spur_loc *loc, const void *const *blocks, int n, int ret, int error)
{
    spur_tick(loc);
    for (int i = 0; ret < 0 && error == EINVAL && i < n; i++) {
        const struct under_way refused = get(blocks[i], true);
        if (refused.block)
            end(loc, &refused, -1, error);
    }
}

void io_async_tested(struct spur_loc *loc, const void *block, int ret)
{
    const struct under_way one = get(block, false);
    spur_tick(loc);
    if (one.block && ret == EINPROGRESS)
        spur_put_IoOperationTest(loc, one.handle, one.id);
}

int io_async_error(const void *block)
{
    int saved = errno;
    int why = IO_REAL(aio_error)(block);
    errno = saved;
    return why;
}

void io_async_returned(struct spur_loc *loc, const void *block, int64_t ret, int why)
{
    spur_tick(loc);
    if (why == EINPROGRESS)
        return;
    const struct under_way one = get(block, true);
    if (one.block)
        end(loc, &one, ret, why);
}

/* A block that the program has given back without asking for the end cannot be looked at. */
static void cancel_all(struct spur_loc *loc, int fd)
{
    const void *block;
    unsigned from = 0;
    while ((block = next_of(fd, &from)) != NULL) {
        if (!spur_is_readable(block) || io_async_error(block) != ECANCELED)
            continue;
        const struct under_way one = get(block, true);
        if (one.block)
            spur_put_IoOperationCancelled(loc, one.handle, one.id);
    }
}

void io_async_cancelled(struct spur_loc *loc, int fd, const void *block, int ret)
{
    spur_tick(loc);
    if (!block) {
        cancel_all(loc, fd);
        return;
    }
    const struct under_way one = ret == AIO_CANCELED ? get(block, true) : (struct under_way){0};
    if (one.block)
        spur_put_IoOperationCancelled(loc, one.handle, one.id);
}
