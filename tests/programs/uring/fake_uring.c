/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What liburing has from 2.6 on, for rings of Debian 12's library. System calls of its own, so that
 * only a wrapper of the function itself sees the call.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <liburing.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The size of the memory that was used; this takes none. */
int io_uring_queue_init_mem(unsigned entries, struct io_uring *ring, struct io_uring_params *params,
                            void *memory, size_t bytes)
{
    void *library = dlopen("liburing.so.2", RTLD_NOW);
    int (*real)(unsigned, struct io_uring *, struct io_uring_params *) = NULL;
    (void)memory;
    *(void **)&real = library ? dlsym(library, "io_uring_queue_init_params") : NULL;
    const int ret = real ? real(entries, ring, params) : -ENOSYS;
    return ret ? ret : (int)bytes;
}

static int enter(struct io_uring *ring, struct io_uring_cqe **completion, unsigned n)
{
    struct io_uring_sq *sq = &ring->sq;
    const unsigned more = sq->sqe_tail - sq->sqe_head;
    for (; sq->sqe_head != sq->sqe_tail; sq->sqe_head++)
        sq->array[sq->sqe_head & *sq->kring_mask] = sq->sqe_head & *sq->kring_mask;
    atomic_store((_Atomic unsigned *)sq->ktail, sq->sqe_tail);
    const long ret = syscall(SYS_io_uring_enter, ring->ring_fd, more, n, IORING_ENTER_GETEVENTS,
                             NULL, _NSIG / 8);
    *completion = &ring->cq.cqes[*ring->cq.khead & *ring->cq.kring_mask];
    return ret < 0 ? -errno : (int)ret;
}

int io_uring_submit_and_wait_min_timeout(struct io_uring *ring, struct io_uring_cqe **completion,
                                         unsigned n, struct __kernel_timespec *limit,
                                         unsigned least_us, sigset_t *mask)
{
    (void)limit, (void)least_us, (void)mask;
    return enter(ring, completion, n);
}

int io_uring_submit_and_wait_reg(struct io_uring *ring, struct io_uring_cqe **completion,
                                 unsigned n, int index)
{
    (void)index;
    return enter(ring, completion, n);
}

int io_uring_wait_cqes_min_timeout(struct io_uring *ring, struct io_uring_cqe **completion,
                                   unsigned n, struct __kernel_timespec *limit, unsigned least_us,
                                   sigset_t *mask)
{
    (void)limit, (void)least_us, (void)mask;
    return enter(ring, completion, n);
}
