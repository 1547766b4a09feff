/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations by io_uring, made with liburing. Where the kernel permits no rings the program prints
 * "not permitted ERRNO".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

enum { ENTRIES = 8, N = 8, ROUNDS = 5, BYTES = 1000 };

static struct io_uring ring;
static char data[N][BYTES];

static struct io_uring_sqe *next(uint64_t mark)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
    EXPECT(sqe);
    sqe->user_data = mark;
    return sqe;
}

/* io_uring_prep_...() clears the mark. */
#define PREP(mark, what, ...)                                                                      \
    do {                                                                                           \
        struct io_uring_sqe *sqe_ = next(0);                                                       \
        io_uring_prep_##what(sqe_, __VA_ARGS__);                                                   \
        sqe_->user_data = (mark);                                                                  \
    } while (0)

/* The result of the next operation to end; the operation's mark is left in *mark. */
static int result(uint64_t *mark)
{
    struct io_uring_cqe *cqe;
    EXPECT(io_uring_wait_cqe(&ring, &cqe) == 0);
    int res = cqe->res;
    if (mark)
        *mark = cqe->user_data;
    io_uring_cqe_seen(&ring, cqe);
    return res;
}

static int one(void)
{
    EXPECT(io_uring_submit(&ring) == 1);
    return result(NULL);
}

/* More rounds than the ring has places, each with the same marks; then beyond the end. */
static void many(int fd)
{
    struct iovec parts[2] = {{data[0], 300}, {data[1], 200}};
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N; i++)
            PREP((uint64_t)i, write, fd, data[i], BYTES, (uint64_t)(round * N + i) * BYTES);
        EXPECT(io_uring_submit_and_wait(&ring, N) == N);
        for (int i = 0; i < N; i++)
            EXPECT(result(NULL) == BYTES);
    }
    PREP(7, fsync, fd, 0);
    EXPECT(one() == 0);
    PREP(7, read, fd, data[0], BYTES, (uint64_t)ROUNDS * N * BYTES - BYTES / 2);
    EXPECT(one() == BYTES / 2);
    PREP(0, writev, fd, parts, 2, 0);
    EXPECT(one() == 500);
    PREP(0, readv, fd, parts, 2, 100);
    EXPECT(one() == 500);
}

/* Opened and closed by the ring, with the C library's calls between; the last three are linked. */
static void opened(void)
{
    PREP(1, openat, AT_FDCWD, "opened", O_RDWR | O_CREAT | O_TRUNC, 0600);
    const int fd = one();
    EXPECT(fd >= 0 && write(fd, data[0], 100) == 100);
    for (int i = 1; i < 3; i++) {
        PREP(2, write, fd, data[i], BYTES, (uint64_t)i * BYTES);
        ring.sq.sqes[(ring.sq.sqe_tail - 1) & *ring.sq.kring_mask].flags |= IOSQE_IO_LINK;
    }
    PREP(3, close, fd);
    EXPECT(io_uring_submit(&ring) == 3);
    for (int i = 0; i < 3; i++)
        EXPECT(result(NULL) == (i < 2 ? BYTES : 0));
    EXPECT(fcntl(fd, F_GETFD) == -1);
}

/* Not open for reading, no descriptor; behind an operation that has ended too early. */
static void refused(void)
{
    int fd = open("refused", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int both = open("opened", O_RDWR);
    PREP(1, read, fd, data[0], BYTES, 0);
    EXPECT(one() == -EBADF);
    PREP(1, write, -1, data[0], BYTES, 0);
    EXPECT(one() == -EBADF);
    PREP(1, write, fd, (void *)8, 50, 0);
    EXPECT(one() == -EFAULT);
    PREP(1, readv, both, (void *)8, 2, 0);
    EXPECT(one() == -EFAULT);
    PREP(1, read, both, data[0], BYTES, 10 * BYTES);
    ring.sq.sqes[(ring.sq.sqe_tail - 1) & *ring.sq.kring_mask].flags |= IOSQE_IO_LINK;
    PREP(1, write, both, data[0], 30, 0);
    EXPECT(io_uring_submit(&ring) == 2);
    EXPECT(result(NULL) == 0 && result(NULL) == -ECANCELED);
    close(both);
    close(fd);
}

/* The descriptor is closed; the file stays registered. Only the end of the second round is
 * heard. */
static void registered(void)
{
    int fds[2] = {-1, open("registered", O_RDWR | O_CREAT | O_TRUNC, 0600)}, none = -1;
    EXPECT(io_uring_register_files(&ring, fds, 2) == 0);
    close(fds[1]);
    for (int i = 0; i < 2; i++) {
        PREP(9, write, 1, data[i], BYTES, (uint64_t)i * BYTES);
        struct io_uring_sqe *sqe = &ring.sq.sqes[(ring.sq.sqe_tail - 1) & *ring.sq.kring_mask];
        sqe->flags |= IOSQE_FIXED_FILE | (i ? IOSQE_CQE_SKIP_SUCCESS : 0);
        EXPECT(io_uring_submit(&ring) == 1);
    }
    EXPECT(result(NULL) == BYTES);
    EXPECT(io_uring_register_files_update(&ring, 1, &none, 1) == 1);
    EXPECT(io_uring_unregister_files(&ring) == 0);
}

/* From a file to a pipe; a reader of the pipe waits, and is told to stop. */
static void piped(int fd)
{
    int ends[2];
    EXPECT(pipe(ends) == 0);
    PREP(1, splice, fd, 200, ends[1], -1, 300, 0);
    EXPECT(one() == 300);
    PREP(2, read, ends[0], data[0], BYTES, 0);
    EXPECT(one() == 300);
    PREP(3, read, ends[0], data[0], 77, 0);
    EXPECT(io_uring_submit(&ring) == 1);
    PREP(4, cancel64, 3, 0);
    EXPECT(io_uring_submit(&ring) == 1);
    for (int i = 0; i < 2; i++) {
        uint64_t mark;
        int res = result(&mark);
        EXPECT(mark == 3 ? res == -ECANCELED || res == -EINTR : res == 0 || res == -EALREADY);
    }
    PREP(5, read, ends[0], data[0], 66, 0); /* ends with the ring */
    EXPECT(io_uring_submit(&ring) == 1);
}

/* Another thread takes the results of the caller's operations. */
static void *taker(void *unused)
{
    (void)unused;
    for (int i = 0; i < N; i++)
        EXPECT(result(NULL) == 10);
    return NULL;
}

static void shared(int fd)
{
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, taker, NULL) == 0);
    for (int i = 0; i < N; i++) {
        PREP((uint64_t)(uintptr_t)data[i], read, fd, data[i], 10, (uint64_t)i * BYTES);
        EXPECT(io_uring_submit(&ring) == 1);
    }
    pthread_join(thread, NULL);
}

/* A child has no ring and no operations. */
static void forked(int fd)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        EXPECT(io_uring_queue_init(ENTRIES, &ring, 0) == 0);
        PREP(1, read, fd, data[0], 40, 0);
        EXPECT(one() == 40);
        io_uring_queue_exit(&ring);
        _exit(unexpected);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
}

int main(void)
{
    const int ret = io_uring_queue_init(ENTRIES, &ring, 0);
    EXPECT(io_uring_queue_init(0, &(struct io_uring){0}, 0) < 0);
    if (ret < 0) {
        printf("not permitted %d\n", -ret);
        return unexpected || (ret != -ENOSYS && ret != -EPERM);
    }
    int fd = open("many", O_RDWR | O_CREAT | O_TRUNC, 0600);
    many(fd);
    opened();
    refused();
    registered();
    shared(fd);
    forked(fd);
    piped(fd);
    io_uring_queue_exit(&ring);
    close(fd);
    return unexpected;
}
