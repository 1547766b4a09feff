/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints what a question about its archive has to find: operations on a file, with the bytes that
 * were asked for and moved, the place and the line.
 *
 *     io KIND ASKED BYTES PLACE LINE     -1: not known
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

enum { FIRST = 100, SECOND = 50, LAST = 10, FAR = 4096, WANTED = 1000, TOO_FAR = 4100 };

static void must(long got, long wanted, int line)
{
    if (got != wanted) {
        fprintf(stderr, "line %d: %ld instead of %ld\n", line, got, wanted);
        exit(1);
    }
}

/* The call, in one line of the program. */
#define IO(kind, asked, bytes, place, call, result)                                                \
    do {                                                                                           \
        must((long)(call), (result), __LINE__);                                                    \
        printf("io %s %d %d %d %d\n", kind, asked, bytes, place, __LINE__);                        \
    } while (0)

static void work_on(const char *path)
{
    static char bytes[WANTED];
    const int end = FAR + LAST;
    int file;
    IO("OPEN", -1, 0, -1, (file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600)) >= 0, 1);
    IO("WRITE", FIRST, FIRST, 0, write(file, bytes, FIRST), FIRST);
    IO("WRITE", SECOND, SECOND, FIRST, write(file, bytes, SECOND), SECOND);
    IO("WRITE", LAST, LAST, FAR, pwrite(file, bytes, LAST, FAR), LAST);
    IO("SEEK", -1, 0, LAST, lseek(file, LAST, SEEK_SET), LAST);
    IO("READ", WANTED, WANTED, LAST, read(file, bytes, WANTED), WANTED);
    IO("SEEK", -1, 0, TOO_FAR, lseek(file, TOO_FAR, SEEK_SET), TOO_FAR);
    IO("READ", WANTED, end - TOO_FAR, TOO_FAR, read(file, bytes, WANTED), end - TOO_FAR);
    IO("READ", WANTED, 0, -1, read(file, bytes, WANTED), 0);
    IO("FLUSH", -1, -1, -1, fsync(file), 0);
    close(file);
    IO("OPEN", -1, 0, -1, (file = open(path, O_WRONLY | O_APPEND)) >= 0, 1);
    IO("WRITE", SECOND, SECOND, -1, write(file, bytes, SECOND), SECOND);
    close(file);
}

int main(void)
{
    work_on("queried.dat");
    return 0;
}
