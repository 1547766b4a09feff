/* SPDX-License-Identifier: BSD-3-Clause */
/* links: fake-agent */
/*
 * Rings of io_uring in memory of the test. The test plays the kernel: rare cases, and cases of
 * newer kernels only. And the layouts, compared with liburing's header.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <liburing.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wrappers/io/io_async.h"
#include "wrappers/io/io_hold.h"
#include "wrappers/io/io_ring_marks.h"
#include "wrappers/io/io_ring_table.h"
/*
 * The module alone, since the family would stand in front of the test's own calls; and the real
 * readable.c, since the fake agent says that nothing can be read.
 */
/* NOLINTBEGIN(bugprone-suspicious-include) */
#include "base/readable.c"
#include "wrappers/io/io_ring.c"
#include "wrappers/io/io_ring_table.c"
/* NOLINTEND(bugprone-suspicious-include) */

/* ---- the layouts of liburing and the kernel ---- */

/* NOLINTBEGIN(bugprone-sizeof-expression, misc-redundant-expression) */
#define SAME(ours, our, theirs, their)                                                             \
    _Static_assert(offsetof(ours, our) == offsetof(theirs, their) &&                               \
                       sizeof(((ours *)0)->our) == sizeof(((theirs *)0)->their),                   \
                   #our)
SAME(struct io_ring, sq.tail, struct io_uring, sq.ktail);
SAME(struct io_ring, sq.mask, struct io_uring, sq.kring_mask);
SAME(struct io_ring, sq.requests, struct io_uring, sq.sqes);
SAME(struct io_ring, sq.own_head, struct io_uring, sq.sqe_head);
SAME(struct io_ring, sq.own_tail, struct io_uring, sq.sqe_tail);
SAME(struct io_ring, cq.tail, struct io_uring, cq.ktail);
SAME(struct io_ring, cq.mask, struct io_uring, cq.kring_mask);
SAME(struct io_ring, cq.completions, struct io_uring, cq.cqes);
SAME(struct io_ring, flags, struct io_uring, flags);
SAME(struct io_ring, fd, struct io_uring, ring_fd);
SAME(struct io_ring_request, opcode, struct io_uring_sqe, opcode);
SAME(struct io_ring_request, flags, struct io_uring_sqe, flags);
SAME(struct io_ring_request, ioprio, struct io_uring_sqe, ioprio);
SAME(struct io_ring_request, fd, struct io_uring_sqe, fd);
SAME(struct io_ring_request, off, struct io_uring_sqe, off);
SAME(struct io_ring_request, addr, struct io_uring_sqe, addr);
SAME(struct io_ring_request, len, struct io_uring_sqe, len);
SAME(struct io_ring_request, op_flags, struct io_uring_sqe, rw_flags);
SAME(struct io_ring_request, user_data, struct io_uring_sqe, user_data);
SAME(struct io_ring_request, other, struct io_uring_sqe, splice_fd_in);
SAME(struct io_ring_completion, user_data, struct io_uring_cqe, user_data);
SAME(struct io_ring_completion, res, struct io_uring_cqe, res);
SAME(struct io_ring_completion, flags, struct io_uring_cqe, flags);
_Static_assert(sizeof(struct io_ring_request) == sizeof(struct io_uring_sqe), "requests");
_Static_assert(sizeof(struct io_ring_completion) == sizeof(struct io_uring_cqe), "completions");
#ifndef IO_URING_CHECK_VERSION
#define IO_URING_CHECK_VERSION(major, minor) 1 /* older than any version asked for */
#endif
#if IO_URING_CHECK_VERSION(2, 12)
#define RING_NEWER(...)
#endif
#define RING_OPERATION(number, NAME, ...) _Static_assert((number) == IORING_OP_##NAME, #NAME);
#include "wrappers/io/io_ring_operations.def"
#undef RING_OPERATION
_Static_assert(IO_RING_FILE_IS_INDEX == IOSQE_FIXED_FILE, "");
_Static_assert(IO_RING_CHOOSES_BUFFER == IOSQE_BUFFER_SELECT, "");
_Static_assert(IO_RING_IS_SILENT == IOSQE_CQE_SKIP_SUCCESS, "");
_Static_assert(IO_RING_RECEIVES_AGAIN == IORING_RECV_MULTISHOT, "");
_Static_assert(IO_RING_COMES_MORE == IORING_CQE_F_MORE, "");
_Static_assert(IO_RING_IS_NOTE == IORING_CQE_F_NOTIF, "");
_Static_assert(IO_RING_WIDE_REQUESTS == IORING_SETUP_SQE128, "");
_Static_assert(IO_RING_WIDE_COMPLETIONS == IORING_SETUP_CQE32, "");
_Static_assert(IO_RING_SPLICES_INDEX == SPLICE_F_FD_IN_FIXED, "");
/* NOLINTEND(bugprone-sizeof-expression, misc-redundant-expression) */

/* ---- the rest of the family: a descriptor is its handle, and records are lines ---- */

static char lines[8192];

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
    const size_t n = strlen(lines);
    va_list list;
    va_start(list, format);
    vsnprintf(lines + n, sizeof lines - n, format, list);
    va_end(list);
}

_Thread_local bool io_is_holding;
struct io_table io_tables[IO_LAYERS];

uint64_t wrapper_operation_id(void)
{
    static uint64_t last;
    return ++last;
}

void io_begin(struct spur_loc *loc, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,
              OTF2_IoOperationFlag flags, uint64_t asked, uint64_t id, int64_t offset)
{
    (void)loc, (void)flags, (void)id;
    say("begin %u %c %d at %d\n", handle, "RWF"[mode], (int)asked, (int)offset);
}

void io_complete(struct spur_loc *loc, OTF2_IoHandleRef handle, uint64_t bytes, bool has_failed,
                 int error, uint64_t id)
{
    (void)loc, (void)id;
    if (has_failed)
        say("failed %u %d\n", handle, error);
    else
        say("end %u %d\n", handle, (int)bytes);
}

void spur_put_IoOperationComplete(struct spur_loc *loc, OTF2_IoHandleRef handle, uint64_t bytes,
                                  uint64_t id)
{
    io_complete(loc, handle, bytes, false, 0, id);
}

void spur_put_IoOperationCancelled(struct spur_loc *loc, OTF2_IoHandleRef handle, uint64_t id)
{
    (void)loc, (void)id;
    say("cancelled %u\n", handle);
}

void spur_put_IoDuplicateHandle(struct spur_loc *loc, OTF2_IoHandleRef old, OTF2_IoHandleRef new,
                                OTF2_IoStatusFlag flags)
{
    (void)loc, (void)flags;
    say("duplicate %u %u\n", old, new);
}

void spur_put_IoDestroyHandle(struct spur_loc *loc, OTF2_IoHandleRef handle)
{
    (void)loc;
    say("destroy %u\n", handle);
}

void io_opened(struct spur_loc *loc, enum io_layer layer, int fd, int flags)
{
    (void)loc, (void)layer;
    say("opened %d %d\n", fd, flags);
}

void io_destroyed(struct spur_loc *loc, const struct io_words *words)
{
    spur_put_IoDestroyHandle(loc, (OTF2_IoHandleRef)words->of[IO_POSIX]);
}

OTF2_IoHandleRef io_handle_of(enum io_layer layer, int fd)
{
    (void)layer;
    return fd >= 0 ? (OTF2_IoHandleRef)fd : OTF2_UNDEFINED_IO_HANDLE;
}

OTF2_IoHandleRef io_handle_registered(int fd)
{
    return (OTF2_IoHandleRef)fd + 100;
}

OTF2_IoStatusFlag io_status_now(int fd)
{
    (void)fd;
    return OTF2_IO_STATUS_FLAG_NONE;
}

bool io_async_may(int fd, OTF2_IoOperationMode mode)
{
    (void)fd, (void)mode;
    return true;
}

struct io_words io_take(int fd)
{
    return (struct io_words){.of = {[IO_POSIX] = IO_TRACED | (io_word)fd}};
}

void io_put_back(int fd, struct io_words words)
{
    (void)words;
    say("put back %d\n", fd);
}

uint64_t io_total(const struct iovec *parts, int count, int64_t ret)
{
    uint64_t total = 0;
    (void)ret;
    for (int i = 0; i < count; i++)
        total += parts[i].iov_len;
    return total;
}

void *spur_mem_new(size_t bytes)
{
    return calloc(1, bytes);
}

void spur_mem_free(void *memory, size_t bytes)
{
    (void)bytes;
    free(memory);
}

/* ---- rings ---- */

enum { PLACES = 4, WIDE = 2 };

static unsigned sq_tail, sq_mask = PLACES - 1, cq_mask = PLACES - 1;
static _Atomic unsigned cq_tail;
static struct io_uring_sqe requests[WIDE * PLACES];
static struct io_ring_completion completions[WIDE * PLACES];
static struct io_ring ring;
static struct spur_loc *const loc = (struct spur_loc *)&ring;

static void start(unsigned flags)
{
    sq_tail = 0;
    atomic_store(&cq_tail, 0);
    ring = (struct io_ring){.flags = flags};
    ring.sq.tail = &sq_tail;
    ring.sq.mask = &sq_mask;
    ring.sq.requests = (const char *)requests;
    ring.cq.tail = &cq_tail;
    ring.cq.mask = &cq_mask;
    ring.cq.completions = (const char *)completions;
    io_ring_new(&ring);
    lines[0] = '\0';
}

static struct io_uring_sqe *prepare(int opcode, int fd, unsigned bytes, uint64_t mark)
{
    const unsigned width = ring.flags & IORING_SETUP_SQE128 ? WIDE : 1;
    struct io_uring_sqe *request = &requests[width * (ring.sq.own_tail++ & sq_mask)];
    *request =
        (struct io_uring_sqe){.opcode = (uint8_t)opcode, .fd = fd, .len = bytes, .user_data = mark};
    return request;
}

static void submit(void)
{
    io_ring_submits(loc, &ring);
    ring.sq.own_head = ring.sq.own_tail;
    io_ring_called(loc, &ring);
}

static void complete(uint64_t mark, int res, unsigned flags)
{
    const unsigned width = ring.flags & IORING_SETUP_CQE32 ? WIDE : 1;
    completions[width * (atomic_load(&cq_tail) & cq_mask)] =
        (struct io_ring_completion){mark, res, flags};
    atomic_fetch_add(&cq_tail, 1);
}

static void expect(const char *want)
{
    cr_expect_str_eq(lines, want, "%s", lines);
    lines[0] = '\0';
}

Test(io_ring, equal_marks)
{
    start(0);
    for (int fd = 1; fd <= 3; fd++)
        prepare(fd == 2 ? IORING_OP_NOP : IORING_OP_READ, fd, 10, 7);
    submit();
    expect("begin 1 R 10 at 0\nbegin 3 R 10 at 0\n");
    for (int i = 1; i <= 3; i++)
        complete(7, i, 0);
    io_ring_called(loc, &ring);
    expect("end 1 1\nend 3 3\n");
    cr_expect_eq(atomic_load(&io_rings_pending), 0);
}

/* Begun once, though two calls follow before the submission. */
Test(io_ring, prepared)
{
    start(0);
    prepare(IORING_OP_WRITE, 1, 10, 7);
    io_ring_called(loc, &ring);
    expect("");
    io_ring_submits(loc, &ring);
    io_ring_submits(loc, &ring);
    expect("begin 1 W 10 at 0\n");
    ring.sq.own_head = ring.sq.own_tail;
    prepare(IORING_OP_WRITE, 2, 10, 7);
    ring.sq.own_head = ring.sq.own_tail; /* by a call that nobody sees */
    io_ring_called(loc, &ring);
    expect("begin 2 W 10 at 0\n");
    prepare(IORING_OP_WRITE, 3, 10, 7);
    io_ring_skip(&ring);
    ring.sq.own_head = ring.sq.own_tail;
    io_ring_called(loc, &ring);
    expect("");
}

Test(io_ring, again_and_notes)
{
    start(0);
    prepare(IORING_OP_RECV, 1, 0, 5)->ioprio = IORING_RECV_MULTISHOT;
    requests[0].flags = IOSQE_BUFFER_SELECT;
    prepare(IORING_OP_SEND_ZC, 2, 20, 6);
    submit();
    expect("begin 1 R -1 at -1\nbegin 2 W 20 at -1\n");
    complete(5, 8, IORING_CQE_F_MORE);
    complete(6, 20, IORING_CQE_F_MORE);
    complete(6, 0, IORING_CQE_F_NOTIF);
    complete(5, -ENOBUFS, 0);
    io_ring_called(loc, &ring);
    expect("end 1 8\nbegin 1 R -1 at -1\nend 2 20\nfailed 1 105\n");
}

/* A request that the kernel has overwritten is unknown; the end of the ring ends its operation. */
Test(io_ring, written_over)
{
    start(0);
    for (unsigned i = 0; i < PLACES + 2; i++) {
        prepare(IORING_OP_READ, (int)i, 10, i);
        io_ring_submits(loc, &ring);
        ring.sq.own_head = ring.sq.own_tail;
    }
    lines[0] = '\0';
    for (unsigned i = 0; i < PLACES + 2; i++)
        complete(i, 10, 0);
    io_ring_called(loc, &ring);
    expect("end 2 10\nend 3 10\nend 4 10\nend 5 10\n");
    io_ring_ends(loc, &ring);
    expect("end 0 -1\nend 1 -1\n");
    cr_expect_eq(atomic_load(&io_rings_pending), 0);
}

Test(io_ring, wide)
{
    start(IORING_SETUP_SQE128 | IORING_SETUP_CQE32);
    for (int round = 0; round < 3; round++) {
        prepare(IORING_OP_READ, 1, 10, 1);
        prepare(IORING_OP_WRITE, 2, 20, 2);
        submit();
        complete(2, 20, 0);
        complete(1, 10, 0);
        io_ring_called(loc, &ring);
        expect("begin 1 R 10 at 0\nbegin 2 W 20 at 0\nend 2 20\nend 1 10\n");
    }
}

/* A layout of tomorrow, a ring that was not made. */
Test(io_ring, not_known)
{
    start(1u << 20);
    prepare(IORING_OP_READ, 1, 10, 1);
    submit();
    start(0);
    ring.sq.requests = NULL;
    io_ring_submits(loc, &ring);
    io_ring_called(loc, &ring);
    io_ring_ends(loc, &ring);
    expect("");
}

Test(io_ring, opens_and_closes)
{
    start(0);
    prepare(IORING_OP_OPENAT, AT_FDCWD, 0, 1)->open_flags = 2;
    prepare(IORING_OP_OPENAT, AT_FDCWD, 0, 2)->file_index = 1;
    prepare(IORING_OP_CLOSE, 9, 0, 3);
    prepare(IORING_OP_CLOSE, 8, 0, 4);
    submit();
    complete(1, 5, 0);
    complete(2, 0, 0);
    complete(3, 0, 0);
    complete(4, -ECANCELED, 0);
    io_ring_called(loc, &ring);
    expect("opened 5 2\ndestroy 9\nput back 8\n");
}

Test(io_ring, files)
{
    const int files[] = {3, -1}, later[] = {-2, 4};
    start(0);
    io_ring_files(loc, &ring, 0, files, 2, true);
    expect("duplicate 3 103\n");
    for (int i = 0; i < 3; i++)
        prepare(IORING_OP_READ, i, 10, 1)->flags = IOSQE_FIXED_FILE;
    submit();
    expect("begin 103 R 10 at 0\n");
    io_ring_files(loc, &ring, 0, later, 2, false);
    expect("duplicate 4 104\n");
    io_ring_files(NULL, &ring, 1, files, 1, false); /* not recorded: nobody knows the file */
    prepare(IORING_OP_READ, 1, 10, 1)->flags = IOSQE_FIXED_FILE;
    submit();
    expect("");
    io_ring_files(loc, &ring, 0, NULL, 0, true);
    expect("destroy 103\n");
}

/* Of requests with equal marks, a completion is for the oldest request that makes completions. */
Test(io_ring, silent)
{
    start(0);
    prepare(IORING_OP_WRITE, 1, 10, 7);
    prepare(IORING_OP_WRITE, 2, 10, 7)->flags = IOSQE_CQE_SKIP_SUCCESS;
    submit();
    expect("begin 1 W 10 at 0\nbegin 2 W 10 at 0\nend 2 -1\n");
    complete(7, 10, 0);
    io_rings_reap(loc);
    expect("end 1 10\n");
}

/*
 * More operations under way than the table has room for: the surplus has no records, and the
 * records of the rest are right.
 */
Test(io_ring, room)
{
    start(0);
    for (unsigned i = 0; i < IO_RING_MOST + 3; i++) {
        lines[0] = '\0';
        prepare(IORING_OP_READ, (int)(i % 50), 10, i);
        submit();
    }
    expect("");
    cr_expect_eq(atomic_load(&io_rings_pending), IO_RING_MOST);
    complete(IO_RING_MOST + 1, 10, 0);
    complete(0, 10, 0);
    io_ring_called(loc, &ring);
    expect("end 0 10\n");
    io_rings_forked();
    cr_expect_eq(atomic_load(&io_rings_pending), 0);
}

/* Absent from the header of Debian 12. */
enum { READ_MULTISHOT = 49, NOP128 = 63, CQE_F_SKIP = 1 << 5, CQE_F_32 = 1 << 15 };

Test(io_ring, read_again)
{
    start(0);
    prepare(READ_MULTISHOT, 1, 0, 5)->flags = IOSQE_BUFFER_SELECT;
    submit();
    complete(5, 8, IORING_CQE_F_MORE);
    complete(5, 0, 0);
    io_ring_called(loc, &ring);
    expect("begin 1 R -1 at 0\nend 1 8\nbegin 1 R -1 at -1\nend 1 0\n");
}

/* Wide requests and completions take two places; a completion fills the end before a wide one. */
Test(io_ring, mixed)
{
    start(IO_RING_MIXED_REQUESTS | IO_RING_MIXED_COMPLETIONS);
    prepare(NOP128, 1, 0, 1);
    prepare(IORING_OP_READ, 9, 9, 9); /* the second half of the wide request */
    prepare(IORING_OP_READ, 2, 10, 2);
    prepare(IORING_OP_READ, 3, 10, 3);
    submit();
    expect("begin 2 R 10 at 0\nbegin 3 R 10 at 0\n");
    complete(2, 10, CQE_F_32);
    complete(3, 9, 0); /* the second half of a wide completion */
    complete(3, 7, 0);
    complete(0, 0, CQE_F_SKIP);
    io_ring_called(loc, &ring);
    expect("end 2 10\nend 3 7\n");
}

/* The kernel copies the requests under way; here the marks are equal. */
Test(io_ring, resized)
{
    static struct io_uring_sqe more[2 * PLACES];
    static struct io_ring_completion done[2 * PLACES];
    static unsigned mask = 2 * PLACES - 1;
    start(0);
    for (int fd = 1; fd <= 3; fd++)
        prepare(IORING_OP_READ, fd, 10, 7);
    submit();
    lines[0] = '\0';
    complete(7, 1, 0);
    io_ring_moves(loc, &ring);
    ring.sq.requests = (const char *)more;
    ring.cq.completions = (const char *)done;
    ring.sq.mask = ring.cq.mask = &mask;
    io_ring_moved(requests, &ring);
    for (unsigned i = 1; i <= 2; i++)
        done[i] = (struct io_ring_completion){7, (int)i + 1, 0};
    atomic_fetch_add(&cq_tail, 2);
    more[3] = (struct io_uring_sqe){.opcode = IORING_OP_WRITE, .fd = 4, .len = 10};
    ring.sq.own_tail++;
    submit();
    expect("end 1 1\nbegin 4 W 10 at 0\nend 2 2\nend 3 3\n");
    io_ring_ends(loc, &ring);
    expect("end 4 -1\n");
    cr_expect_eq(atomic_load(&io_rings_pending), 0);
}
