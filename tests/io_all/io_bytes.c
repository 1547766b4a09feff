/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads and writes files in every way, also from a signal handler, in threads' absence, and prints
 * how many bytes it has moved to and from each. Sizes are not known to the compiler, so that a
 * fortified build calls the checked functions. With an argument it also prints what the kernel has
 * counted meanwhile.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MOST = 1 << 15, ROUNDS = 20 };

static char room[MOST];
static volatile size_t piece = 100;
static int handler_fd;
static long in_handler;

static void on_signal(int signal)
{
    (void)signal;
    in_handler += write(handler_fd, "signal\n", 7);
}

static long moved(long *total, ssize_t n)
{
    if (n > 0)
        *total += n;
    return n;
}

static void in_pieces(void)
{
    long read_bytes = 0, written = 0;
    int fd = open("pieces", O_RDWR | O_CREAT | O_TRUNC, 0600);
    for (int i = 0; i < ROUNDS; i++)
        moved(&written, write(fd, room, piece * (size_t)i));
    lseek(fd, 0, SEEK_SET);
    while (moved(&read_bytes, read(fd, room, piece)) > 0)
        ;
    for (int i = 0; i < ROUNDS; i++) {
        moved(&written, pwrite(fd, room, piece, i * 5000));
        moved(&read_bytes, pread(fd, room, piece, i * 4000));
    }
    moved(&written, write(fd, room, sizeof room));
    close(fd);
    printf("pieces %ld %ld\n", read_bytes, written);
}

static void in_vectors(void)
{
    long read_bytes = 0, written = 0;
    struct iovec parts[] = {{room, piece}, {room + piece, 3 * piece}};
    int fd = openat(AT_FDCWD, "./vectors", O_RDWR | O_CREAT, 0600);
    moved(&written, writev(fd, parts, 2));
    moved(&written, pwritev(fd, parts, 2, 1000));
    moved(&written, pwritev2(fd, parts, 2, -1, 0));
    moved(&read_bytes, preadv(fd, parts, 2, 0));
    moved(&read_bytes, preadv2(fd, parts, 2, 1300, 0));
    moved(&read_bytes, readv(fd, parts, 2));
    close(fd);
    printf("vectors %ld %ld\n", read_bytes, written);
}

/* Calls that fail, which move nothing. */
static void in_vain(void)
{
    int fd = open("vain", O_WRONLY | O_CREAT, 0600);
    errno = 0;
    long got = read(fd, room, piece);
    printf("not for reading: %ld %d\n", got, errno);
    got = write(fd, (const void *)8, piece);
    printf("no address: %ld %d\n", got, errno);
    got = lseek(fd, -5, SEEK_SET);
    printf("no position: %ld %d\n", got, errno);
    got = open((const char *)8, O_RDONLY);
    printf("no path: %ld %d\n", got, errno);
    got = pread(fd, room, piece, -1);
    printf("no offset: %ld %d\n", got, errno);
    close(fd);
    got = close(fd);
    printf("closed: %ld %d\n", got, errno);
    int full = open("/dev/full", O_WRONLY);
    got = write(full, room, piece);
    printf("full: %ld %d\n", got, errno);
    close(full);
    printf("vain 0 0\n");
}

static void in_handlers(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &action, NULL);
    handler_fd = open("handler", O_WRONLY | O_CREAT | O_APPEND, 0600);
    for (int i = 0; i < ROUNDS; i++)
        raise(SIGUSR1);
    close(handler_fd);
    printf("handler 0 %ld\n", in_handler);
}

/* What the kernel has counted; `own` is what reading that adds to it. */
static struct counters {
    long read, written, own;
} counters_now(void)
{
    char text[500] = "";
    struct counters counters = {0, 0, 0};
    int fd = open("/proc/self/io", O_RDONLY);
    counters.own = read(fd, text, sizeof text - 1);
    close(fd);
    if (sscanf(text, "rchar: %ld wchar: %ld", &counters.read, &counters.written) != 2)
        counters.own = -1;
    return counters;
}

int main(int argc, char **argv)
{
    (void)argv;
    struct counters before = {0, 0, 0}, after;
    if (argc > 1)
        before = counters_now();
    in_pieces();
    in_vectors();
    in_vain();
    in_handlers();
    if (argc > 1) {
        after = counters_now();
        printf("kernel %ld %ld\n", after.read - before.read - before.own,
               after.written - before.written);
    }
    return 0;
}
