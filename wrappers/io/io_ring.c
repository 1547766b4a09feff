/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/io/io_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "wrappers/io/io_async.h"
#include "wrappers/io/io_ring_marks.h"
#include "wrappers/io/io_ring_table.h"
#include "wrappers/kit/wrapper_ids.h"

/* ---- the contents of requests ---- */

enum kind { NONE, MOVES, FLUSHES, SPLICES, OPENS, CLOSES };
enum bytes { BYTES_NONE, BYTES_LENGTH, BYTES_VECTOR, BYTES_MESSAGE };

static const struct operation {
    uint8_t kind; /* NONE: not recorded */
    uint8_t mode; /* OTF2_IoOperationMode */
    uint8_t bytes;
    bool has_place;
} operations[] = {
#define AT true
#define HERE false
#define RING_OPERATION(number, NAME, KIND, MODE, BYTES, PLACE)                                     \
    [number] = {KIND, OTF2_IO_OPERATION_MODE_##MODE, BYTES_##BYTES, PLACE},
#include "wrappers/io/io_ring_operations.def"
#undef RING_OPERATION
#undef HERE
#undef AT
};

static const struct operation *operation_of(const struct io_ring_request *request)
{
    static const struct operation none = {0};
    const size_t n = sizeof operations / sizeof operations[0];
    return request->opcode < n ? &operations[request->opcode] : &none;
}

/* The kernel may refuse memory that cannot be read: then the size is not known. */
static bool is_there(const void *from, size_t bytes)
{
    return bytes == 0 ||
           (spur_is_readable(from) && spur_is_readable((const char *)from + bytes - 1));
}

static uint64_t vector_bytes(const struct iovec *parts, size_t n)
{
    return n <= IOV_MAX && is_there(parts, n * sizeof *parts) ? io_total(parts, (int)n, 0)
                                                              : OTF2_UNDEFINED_UINT64;
}

static uint64_t asked_of(const struct io_ring_request *request)
{
    const void *there = (const void *)(uintptr_t)request->addr;
    const struct msghdr *message = there;
    switch (operation_of(request)->bytes) {
    case BYTES_LENGTH: /* 0 with a buffer of the kernel's choice: the buffer's size */
        return request->len || !(request->flags & IO_RING_CHOOSES_BUFFER) ? request->len
                                                                          : OTF2_UNDEFINED_UINT64;
    case BYTES_VECTOR:
        return vector_bytes(there, request->len);
    case BYTES_MESSAGE:
        return is_there(message, sizeof *message)
                   ? vector_bytes(message->msg_iov, message->msg_iovlen)
                   : OTF2_UNDEFINED_UINT64;
    default:
        return OTF2_UNDEFINED_UINT64;
    }
}

static bool comes_again(const struct io_ring_request *request)
{
    switch (request->opcode) {
    case IO_RING_READ_MULTISHOT:
    case IO_RING_RECV_ZC:
        return true;
    case IO_RING_RECV:
    case IO_RING_RECVMSG:
        return request->ioprio & IO_RING_RECEIVES_AGAIN;
    default:
        return false;
    }
}

static int opening_flags(const struct io_ring_request *request)
{
    const uint64_t *how = (const uint64_t *)(uintptr_t)request->off;
    if (request->opcode == IO_RING_OPENAT)
        return (int)request->op_flags;
    return is_there(how, sizeof *how) ? (int)*how : O_RDWR;
}

/* ---- begin ---- */

/*
 * If the file is not open for the mode, the kernel will refuse the request: then the request is no
 * operation.
 */
static OTF2_IoHandleRef handle_of(const void *ring, bool is_index, int fd,
                                  OTF2_IoOperationMode mode)
{
    if (is_index)
        return io_ring_file(ring, (unsigned)fd);
    const OTF2_IoHandleRef handle = io_handle_of(IO_POSIX, fd);
    return handle == OTF2_UNDEFINED_IO_HANDLE || io_async_may(fd, mode) ? handle
                                                                        : OTF2_UNDEFINED_IO_HANDLE;
}

static void begin_one(struct spur_loc *loc, const struct io_ring_pending *one, unsigned i,
                      int64_t place)
{
    if (one->handle[i] == OTF2_UNDEFINED_IO_HANDLE)
        return;
    io_begin(loc, one->handle[i], one->mode[i], OTF2_IO_OPERATION_FLAG_NON_BLOCKING, one->asked,
             one->id[i], place);
    spur_put_IoOperationIssued(loc, one->handle[i], one->id[i]);
}

static void set_end(struct io_ring_pending *one, unsigned i, OTF2_IoHandleRef handle,
                    OTF2_IoOperationMode mode)
{
    one->handle[i] = handle;
    one->mode[i] = mode;
    one->id[i] = handle != OTF2_UNDEFINED_IO_HANDLE ? wrapper_operation_id() : 0;
}

static void begin_move(struct spur_loc *loc, struct io_ring_pending *one,
                       const struct io_ring_request *request)
{
    const struct operation *what = operation_of(request);
    const bool is_splice = what->kind == SPLICES;
    const bool is_index = is_splice ? request->op_flags & IO_RING_SPLICES_INDEX : false;
    set_end(one, 0,
            handle_of(one->ring, request->flags & IO_RING_FILE_IS_INDEX, request->fd, what->mode),
            what->mode);
    set_end(one, 1,
            is_splice ? handle_of(one->ring, is_index, request->other, OTF2_IO_OPERATION_MODE_READ)
                      : OTF2_UNDEFINED_IO_HANDLE,
            OTF2_IO_OPERATION_MODE_READ);
    if (!io_ring_put(one))
        return;
    begin_one(loc, one, 1, (int64_t)request->addr);
    begin_one(loc, one, 0, what->has_place ? (int64_t)request->off : IO_HERE);
}

/*
 * The number of the descriptor may be given away before the program hears of the end of the
 * request.
 */
static void begin_close(struct io_ring_pending *one, const struct io_ring_request *request)
{
    const struct io_words words = io_take(request->fd);
    one->asked = words.of[IO_POSIX];
    one->flags = request->fd;
    if (!io_ring_put(one))
        io_put_back(request->fd, words);
}

static void begin(struct spur_loc *loc, const void *ring, const struct io_ring_request *request)
{
    const struct operation *what = operation_of(request);
    const bool has_index = request->other != 0; /* a file by index is opened or closed */
    struct io_ring_pending one = {.ring = ring,
                                  .mark = request->user_data,
                                  .kind = what->kind,
                                  .comes_again = comes_again(request),
                                  .is_silent = request->flags & IO_RING_IS_SILENT,
                                  .handle = {OTF2_UNDEFINED_IO_HANDLE, OTF2_UNDEFINED_IO_HANDLE}};
    if (what->kind == CLOSES && !has_index) {
        begin_close(&one, request);
    } else if (what->kind == MOVES || what->kind == FLUSHES || what->kind == SPLICES) {
        one.asked = asked_of(request);
        begin_move(loc, &one, request);
    } else { /* an unrecorded request may have the mark of a recorded request */
        one.kind = what->kind == OPENS && !has_index ? OPENS : NONE;
        one.flags = one.kind == OPENS ? opening_flags(request) : 0;
        (void)io_ring_put(&one);
    }
}

/* Begins the requests up to `end`, by the program's own count of requests. */
static void begin_up_to(struct spur_loc *loc, const struct io_ring *ring, unsigned end)
{
    struct io_ring_request request;
    const void *key = io_ring_key(ring);
    for (unsigned i; key && io_ring_next_request(ring, end, &i);) {
        const size_t bytes =
            ring->flags & IO_RING_WIDE_REQUESTS ? 2 * sizeof request : sizeof request;
        memcpy(&request, ring->sq.requests + bytes * (i & *ring->sq.mask), sizeof request);
        begin(loc, key, &request);
        if (ring->flags & IO_RING_MIXED_REQUESTS && request.opcode >= IO_RING_FIRST_WIDE &&
            request.opcode <= IO_RING_LAST_WIDE)
            (void)io_ring_next_request(ring, end, &i);
    }
}

/* ---- end ---- */

static void end_one(struct spur_loc *loc, const struct io_ring_pending *one, unsigned i, int res)
{
    if (one->handle[i] == OTF2_UNDEFINED_IO_HANDLE)
        return;
    if (res == -ECANCELED)
        spur_put_IoOperationCancelled(loc, one->handle[i], one->id[i]);
    else
        io_complete(loc, one->handle[i],
                    one->kind == FLUSHES ? OTF2_UNDEFINED_UINT64
                                         : (uint64_t)io_at_most(res, one->asked),
                    res < 0, res < 0 ? -res : 0, one->id[i]);
}

static void end(struct spur_loc *loc, const struct io_ring_pending *one, int res)
{
    struct io_words words = {.of = {[IO_POSIX] = one->asked}};
    switch ((int)one->kind) {
    case OPENS: /* known if the program has used the file before this call */
        if (res >= 0 && !io_knows(res))
            io_opened(loc, IO_POSIX, res, one->flags);
        break;
    case CLOSES:
        if (res < 0)
            io_put_back(one->flags, words);
        else
            io_destroyed(loc, &words);
        break;
    default:
        end_one(loc, one, 1, res);
        end_one(loc, one, 0, res);
    }
}

/* Nobody knows how the operation ended. */
static void end_unseen(struct spur_loc *loc, const struct io_ring_pending *one)
{
    for (unsigned i = 0; i < 2; i++)
        if (one->handle[i] != OTF2_UNDEFINED_IO_HANDLE)
            spur_put_IoOperationComplete(loc, one->handle[i], OTF2_UNDEFINED_UINT64, one->id[i]);
    if (one->kind == CLOSES)
        end(loc, one, 0);
}

/* A request that completes again and again is a new operation each time. */
static void begin_again(struct spur_loc *loc, struct io_ring_pending *one)
{
    set_end(one, 0, one->handle[0], one->mode[0]);
    if (io_ring_put(one))
        begin_one(loc, one, 0, IO_HERE);
}

/* Not inlined, for the sake of the caller's stack: see scripts/check_stack. */
static __attribute__((noinline)) void reap(struct spur_loc *loc, const void *key)
{
    struct io_ring_completion done;
    struct io_ring_pending one;
    while (io_ring_next_completion(key, &done)) {
        if (done.flags & (IO_RING_IS_NOTE | IO_RING_FILLS) ||
            !io_ring_take(key, done.user_data, &one))
            continue;
        end(loc, &one, done.res);
        if (one.comes_again && done.flags & IO_RING_COMES_MORE)
            begin_again(loc, &one);
    }
}

/* An operation that has succeeded without a completion is complete as far as anybody will hear. */
static __attribute__((noinline)) void end_silent(struct spur_loc *loc, const void *key)
{
    struct io_ring_pending one;
    while (io_ring_take_silent(key, &one))
        end_unseen(loc, &one);
}

/* ---- calls ---- */

/* What has ended in the old memory is known: the program may have asked for it there. */
void io_ring_moves(struct spur_loc *loc, const struct io_ring *ring)
{
    const void *key = io_ring_key(ring);
    if (loc && key)
        reap(loc, key);
}

void io_ring_submits(struct spur_loc *loc, const struct io_ring *ring)
{
    begin_up_to(loc, ring, ring->sq.own_tail);
}

void io_ring_called(struct spur_loc *loc, const struct io_ring *ring)
{
    const void *key = io_ring_key(ring);
    spur_tick(loc);
    begin_up_to(loc, ring, ring->sq.own_head);
    if (key) {
        reap(loc, key);
        end_silent(loc, key);
    }
}

void io_rings_reap(struct spur_loc *loc)
{
    const void *key;
    for (unsigned i = 0; io_ring_each(&i, &key);)
        reap(loc, key);
}

void io_ring_ends(struct spur_loc *loc, const struct io_ring *ring)
{
    const void *key = io_ring_key(ring);
    struct io_ring_pending one;
    OTF2_IoHandleRef file;
    if (loc && key)
        reap(loc, key);
    while (key && io_ring_take_any(key, &one))
        if (loc)
            end_unseen(loc, &one);
    for (unsigned i = 0; key && io_ring_take_file(key, i, &file); i++)
        if (loc && file != OTF2_UNDEFINED_IO_HANDLE)
            spur_put_IoDestroyHandle(loc, file);
    io_ring_new(ring);
}

static OTF2_IoHandleRef registered(struct spur_loc *loc, int fd)
{
    const OTF2_IoHandleRef old = fd >= 0 ? io_handle_of(IO_POSIX, fd) : OTF2_UNDEFINED_IO_HANDLE;
    const OTF2_IoHandleRef new = old != OTF2_UNDEFINED_IO_HANDLE ? io_handle_registered(fd) : old;
    if (new != OTF2_UNDEFINED_IO_HANDLE)
        spur_put_IoDuplicateHandle(loc, old, new, io_status_now(fd));
    return new;
}

void io_ring_files(struct spur_loc *loc, const struct io_ring *ring, unsigned first,
                   const int *files, unsigned n, bool is_first)
{
    enum { STAYS = -2 }; /* IORING_REGISTER_FILES_SKIP */
    const void *key = io_ring_key(ring);
    OTF2_IoHandleRef old;
    if (!key)
        return;
    for (unsigned i = 0; is_first && io_ring_take_file(key, i, &old); i++)
        if (loc && old != OTF2_UNDEFINED_IO_HANDLE)
            spur_put_IoDestroyHandle(loc, old);
    if (is_first)
        io_ring_room(key, n);
    for (unsigned i = 0; files && i < n; i++) {
        if (files[i] == STAYS || !io_ring_take_file(key, first + i, &old))
            continue;
        if (loc && old != OTF2_UNDEFINED_IO_HANDLE)
            spur_put_IoDestroyHandle(loc, old);
        if (loc)
            io_ring_set_file(key, first + i, registered(loc, files[i]));
    }
}
