/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of liburing from 2.6 on that submit, wait or make a ring. Debian 12 has none of
 * them: there they are a stand-in's (fake_uring.c).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdlib.h>
#include <unistd.h>

#include "../expect.h"

enum { BYTES = 1000, PAGES = 16 * 4096 };

#ifdef STAND_IN
int io_uring_queue_init_mem(unsigned entries, struct io_uring *ring, struct io_uring_params *params,
                            void *memory, size_t bytes);
int io_uring_submit_and_wait_min_timeout(struct io_uring *ring, struct io_uring_cqe **completion,
                                         unsigned n, struct __kernel_timespec *limit,
                                         unsigned least_us, sigset_t *mask);
int io_uring_submit_and_wait_reg(struct io_uring *ring, struct io_uring_cqe **completion,
                                 unsigned n, int index);
int io_uring_wait_cqes_min_timeout(struct io_uring *ring, struct io_uring_cqe **completion,
                                   unsigned n, struct __kernel_timespec *limit, unsigned least_us,
                                   sigset_t *mask);
#endif

static struct io_uring ring;
static char data[BYTES];

static void prepare(int fd, unsigned bytes)
{
    struct io_uring_sqe *request = io_uring_get_sqe(&ring);
    io_uring_prep_write(request, fd, data, bytes, 0);
    request->user_data = bytes;
}

static void expect(struct io_uring_cqe *completion, int bytes)
{
    EXPECT(completion && completion->res == bytes);
    io_uring_cq_advance(&ring, 1);
}

int main(void)
{
    struct io_uring_params params = {0};
    struct io_uring_cqe *completion = NULL;
    struct __kernel_timespec limit = {.tv_sec = 10};
    void *memory = aligned_alloc(PAGES, PAGES);
    const int ret = io_uring_queue_init_mem(4, &ring, &params, memory, PAGES);
    if (ret < 0) {
        printf("not permitted %d\n", -ret);
        return ret != -ENOSYS && ret != -EPERM;
    }
    int fd = open("next", O_RDWR | O_CREAT | O_TRUNC, 0600);
    prepare(fd, 100);
    EXPECT(io_uring_submit_and_wait_min_timeout(&ring, &completion, 1, &limit, 1, NULL) == 1);
    expect(completion, 100);
    prepare(fd, 200);
    /* Without registered memory for waits a real library says so when it has submitted. */
    const int submitted = io_uring_submit_and_wait_reg(&ring, &completion, 1, 0);
    EXPECT(submitted == 1 || submitted == -EFAULT || submitted == -EINVAL);
    EXPECT(io_uring_wait_cqes_min_timeout(&ring, &completion, 1, &limit, 1, NULL) >= 0);
    expect(completion, 200);
    io_uring_queue_exit(&ring);
    close(fd);
    free(memory);
    return unexpected;
}
