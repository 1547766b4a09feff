/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serial_uring_raw [FILE]: writes 5 bytes to FILE by a ring of io_uring that it has made by system
 * calls, and 3 bytes by write(). Prints what the ring says, or "not permitted ERRNO". Without FILE
 * it maps a file where a ring would have its requests.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "expect.h"

enum { BYTES = 5, PAGE = 4096 };

static int ring;

static void *part(off_t offset)
{
    void *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, offset);
    EXPECT(at != MAP_FAILED);
    return at;
}

static unsigned *word(char *in, unsigned at)
{
    return (unsigned *)(void *)(in + at);
}

static int write_by_ring(const struct io_uring_params *made, int fd)
{
    char *submissions = part(IORING_OFF_SQ_RING), *completions = part(IORING_OFF_CQ_RING);
    struct io_uring_sqe *request = part(IORING_OFF_SQES);
    *request = (struct io_uring_sqe){.opcode = IORING_OP_WRITE,
                                     .fd = fd,
                                     .addr = (unsigned long)"12345",
                                     .len = BYTES};
    *word(submissions, made->sq_off.array) = 0;
    __atomic_store_n(word(submissions, made->sq_off.tail), 1, __ATOMIC_RELEASE);
    EXPECT(syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) == 1);
    const char *first = completions + made->cq_off.cqes;
    return ((const struct io_uring_cqe *)(const void *)first)->res;
}

static void maps_file(void)
{
    ring = open("large", O_RDWR | O_CREAT, 0600);
    EXPECT(ftruncate(ring, IORING_OFF_SQES + PAGE) == 0);
    EXPECT(munmap(part(IORING_OFF_SQES), PAGE) == 0);
    EXPECT(close(ring) == 0 && unlink("large") == 0);
}

int main(int argc, char **argv)
{
    struct io_uring_params made = {0};
    if (argc < 2) {
        maps_file();
        return unexpected;
    }
    ring = (int)syscall(SYS_io_uring_setup, 1, &made);
    if (ring < 0) {
        printf("not permitted %d\n", errno);
        return 0;
    }
    int fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0600);
    printf("%d\n", write_by_ring(&made, fd));
    EXPECT(write(fd, "678", 3) == 3);
    EXPECT(close(fd) == 0 && close(ring) == 0);
    return unexpected;
}
