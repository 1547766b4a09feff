/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asynchronous I/O of POSIX: operations with ends in another order, in lists, failing, cancelled,
 * or without any question about the end. Prints the bytes of each file as "FILE read written".
 */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

enum { N = 8, BYTES = 1000 };

static char data[N][BYTES];

static struct aiocb block_of(int fd, int i, int what)
{
    return (struct aiocb){.aio_fildes = fd,
                          .aio_buf = data[i],
                          .aio_nbytes = BYTES,
                          .aio_offset = (off_t)i * BYTES,
                          .aio_lio_opcode = what};
}

static ssize_t end_of(struct aiocb *block)
{
    const struct aiocb *list[] = {block};
    while (aio_error(block) == EINPROGRESS)
        aio_suspend(list, 1, NULL);
    return aio_return(block);
}

/* Written in a list, and asked for in reverse order; then read one by one, beyond the end. */
static void lists(int fd)
{
    struct aiocb blocks[N], *list[N];
    for (int i = 0; i < N; i++) {
        blocks[i] = block_of(fd, i, LIO_WRITE);
        list[i] = &blocks[i];
    }
    EXPECT(lio_listio(LIO_NOWAIT, list, N, NULL) == 0);
    for (int i = N - 1; i >= 0; i--)
        EXPECT(end_of(list[i]) == BYTES);
    EXPECT(aio_fsync(O_SYNC, list[0]) == 0 && end_of(list[0]) == 0);
    for (int i = 0; i < N; i++) {
        blocks[i] = block_of(fd, i, 0);
        blocks[i].aio_offset += BYTES / 2;
        EXPECT(aio_read(&blocks[i]) == 0);
    }
    for (int i = 0; i < N; i++)
        EXPECT(end_of(list[i]) == (i == N - 1 ? BYTES / 2 : BYTES));
}

/* Not open for reading; and a new operation before any question about the end of the last. */
static void unusual(void)
{
    int fd = open("unusual", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    struct aiocb block = block_of(fd, 0, 0);
    EXPECT(aio_read(&block) == 0 && end_of(&block) == -1);
    EXPECT(aio_write(&block) == 0);
    while (aio_error(&block) == EINPROGRESS)
        ;
    EXPECT(aio_write(&block) == 0 && end_of(&block) == BYTES);
    EXPECT(aio_cancel(fd, &block) == AIO_ALLDONE && aio_cancel(fd, NULL) == AIO_ALLDONE);
    close(fd);
}

/* A read from a pipe waits, so the operations behind the read are still to be done. */
static void cancelled(int fd)
{
    int ends[2];
    struct aiocb blocks[2], last = block_of(fd, 0, 0);
    EXPECT(pipe(ends) == 0);
    last.aio_offset = 0;
    for (int i = 0; i < 2; i++)
        blocks[i] = block_of(ends[0], i, 0);
    EXPECT(aio_read(&blocks[0]) == 0 && aio_read(&blocks[1]) == 0);
    usleep(1000);
    int how = aio_cancel(ends[0], &blocks[1]);
    EXPECT(how == AIO_CANCELED);
    EXPECT(aio_error(&blocks[1]) == ECANCELED && aio_return(&blocks[1]) == -1);
    EXPECT(write(ends[1], "x", 1) == 1 && end_of(&blocks[0]) == 1);
    EXPECT(aio_read(&last) == 0 && end_of(&last) == BYTES);
    close(ends[0]);
    close(ends[1]);
}

/* A child has neither the parent's operations nor the C library's threads for the operations. */
static void forked(int fd)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        EXPECT(pread(fd, data[1], BYTES, BYTES) == BYTES);
        _exit(0);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
}

int main(void)
{
    int fd = open("lists", O_RDWR | O_CREAT | O_TRUNC, 0600);
    lists(fd);
    unusual();
    cancelled(fd);
    forked(fd);
    close(fd);
    printf("lists %d %d\n", (N + 1) * BYTES + BYTES / 2, N * BYTES);
    printf("unusual 0 %d\n", BYTES);
    return 0;
}
