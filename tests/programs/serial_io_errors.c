/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Failing operations on a file. Each call reports the failure in its own way: a number below 0, 0,
 * NULL, EOF, WEOF. A line of each: the call, errno, and whether the call has failed. Beside the
 * failures, operations that only reach the end of the file, or move a part: no failures. And
 * failures on a full device, with 2 instead of 1 in the line: the device is no file. The device's
 * name does not tell its kind. Then locks: a line of each expected record.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

enum { LIMIT = 4096, BEFORE = 77, PAGE = 4096 };

static char data[2 * LIMIT], text[] = "x";
static void *no_memory; /* an inaccessible page */

/* By an unrecorded call: the output may be a file as well. */
static void say(const char *name, int error, int has_failed)
{
    char line[64];
    int n = snprintf(line, sizeof line, "%s %d %d\n", name, error, has_failed);
    if (syscall(SYS_write, STDOUT_FILENO, line, (size_t)n) != n)
        abort();
}

#define SAY(name, statement, has_failed)                                                           \
    do {                                                                                           \
        errno = BEFORE;                                                                            \
        statement;                                                                                 \
        const int error = errno;                                                                   \
        say(name, error, has_failed);                                                              \
    } while (0)

static void writes(int fd)
{
    struct iovec part = {data, 1};
    SAY("pwrite", (void)!pwrite(fd, data, 1, LIMIT), 1);
    SAY("pwritev", (void)!pwritev(fd, &part, 1, LIMIT), 1);
    lseek(fd, LIMIT, SEEK_SET);
    SAY("write", (void)!write(fd, data, 1), 1);
    SAY("writev", (void)!writev(fd, &part, 1), 1);
    SAY("dprintf", dprintf(fd, "x"), 1);
    lseek(fd, LIMIT - 1, SEEK_SET);
    SAY("write", (void)!write(fd, data, 2), 0); /* the first of two bytes */
    SAY("pread", (void)!pread(fd, no_memory, 1, 0), 1);
    SAY("read", (void)!read(fd, data, 1), 0); /* the end */
}

/* Without a buffer, at the limit. `is_wide` is fixed by the first call. */
static FILE *at_limit(const char *path)
{
    FILE *stream = fopen(path, "r+");
    if (!stream)
        exit(1);
    setvbuf(stream, NULL, _IONBF, 0);
    fseek(stream, LIMIT, SEEK_SET);
    return stream;
}

static void puts_narrow(const char *path)
{
    FILE *stream = at_limit(path);
    SAY("fputc", fputc('x', stream), 1);
    SAY("putc", (putc)('x', stream), 1);
    SAY("fwrite", (void)!fwrite(data, 1, 3, stream), 1);
    SAY("fputs", fputs(text, stream), 1);
    SAY("putw", putw(1, stream), 1);
    SAY("fprintf", fprintf(stream, "%d\n", 5), 1);
    fclose(stream);
}

static void puts_wide(const char *path)
{
    FILE *stream = at_limit(path);
    SAY("fputwc", fputwc(L'x', stream), 1);
    fclose(stream);
}

/* The buffer is memory where the kernel may not write. */
static FILE *into_nothing(const char *path)
{
    FILE *stream = fopen(path, "r");
    if (!stream)
        exit(1);
    setvbuf(stream, no_memory, _IOFBF, PAGE);
    return stream;
}

static void gets_narrow(const char *path)
{
    char *line = NULL;
    size_t room = 0;
    FILE *stream = into_nothing(path);
    SAY("fgetc", fgetc(stream), 1);
    clearerr(stream);
    SAY("getc", (getc)(stream), 1);
    clearerr(stream);
    SAY("fread", (void)!fread(data, 1, 3, stream), 1);
    clearerr(stream);
    SAY("fgets", (void)!fgets(data, 3, stream), 1);
    clearerr(stream);
    SAY("getw", getw(stream), 1);
    clearerr(stream);
    SAY("getdelim", (void)!getdelim(&line, &room, '\n', stream), 1);
    fclose(stream);
    free(line);
}

static void gets_wide(const char *path)
{
    wchar_t text[3];
    FILE *stream = into_nothing(path);
    SAY("fgetwc", fgetwc(stream), 1);
    clearerr(stream);
    SAY("fgetws", (void)!fgetws(text, 3, stream), 1);
    fclose(stream);
}

static void ends(const char *path)
{
    FILE *stream = fopen(path, "r");
    if (!stream)
        exit(1);
    fseek(stream, 0, SEEK_END);
    SAY("fgetc", fgetc(stream), 0);
    SAY("fread", (void)!fread(data, 1, 3, stream), 0);
    SAY("fgets", (void)!fgets(data, 3, stream), 0);
    fclose(stream);
}

static void full(void)
{
    if (symlink("/dev/full", "full") != 0)
        exit(1);
    int fd = open("full", O_WRONLY);
    SAY("write", (void)!write(fd, data, 1), 2);
    SAY("dprintf", dprintf(fd, "x"), 2);
    close(fd);
    FILE *stream = fopen("full", "w"), *other = fopen("full", "w");
    int taken = (int)fwrite(data, 1, 3, stream);
    taken += (int)fwrite(data, 1, 3, other);
    int end = 0;
    SAY("fflush", end = fflush(stream), taken == 6 && end == EOF ? 2 : 3);
    SAY("fclose", end = fclose(other), end == EOF ? 2 : 3);
    fclose(stream);
    unlink("full");
}

static void line(const char *words)
{
    (void)!syscall(SYS_write, STDOUT_FILENO, words, strlen(words));
}

/* Two descriptions of the same file. */
static void locks(const char *path)
{
    int fd = open(path, O_RDWR), other = open(path, O_RDWR);
    const struct {
        int fd, operation, ret;
        const char *lines;
    } steps[] = {{fd, LOCK_SH, 0, "Acquire 1\n"},
                 {fd, LOCK_SH, 0, ""},
                 {fd, LOCK_UN, 0, "Release 1\n"},
                 {fd, LOCK_UN, 0, ""},
                 {fd, LOCK_SH, 0, "Acquire 1\n"},
                 {other, LOCK_SH, 0, "Acquire 1\n"},
                 {fd, LOCK_EX | LOCK_NB, -1,
                  "Release 1\nTry 0\n"}, /* which loses the lock held so far */
                 {other, LOCK_EX, 0, "Release 1\nAcquire 0\n"},
                 {fd, LOCK_SH | LOCK_NB, -1, "Try 1\n"},
                 {other, LOCK_UN, 0, "Release 0\n"}};
    for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        line(steps[i].lines);
        if (flock(steps[i].fd, steps[i].operation) != steps[i].ret)
            line("otherwise\n");
    }
    struct flock range = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    line("Acquire 1\n");
    fcntl(fd, F_SETLK, &range);
    range = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 2, .l_len = 1};
    fcntl(fd, F_SETLK, &range);
    range = (struct flock){.l_type = F_UNLCK, .l_whence = SEEK_SET};
    line("Release 1\n");
    fcntl(fd, F_SETLK, &range);
    close(other);
    close(fd);
}

int main(void)
{
    const char *path = "errors.dat";
    const struct rlimit limit = {LIMIT, RLIM_INFINITY};
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    no_memory = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    signal(SIGXFSZ, SIG_IGN);
    if (fd < 0 || no_memory == MAP_FAILED || setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return 1;
    writes(fd);
    puts_narrow(path);
    puts_wide(path);
    gets_narrow(path);
    gets_wide(path);
    ends(path);
    close(fd);
    full();
    locks(path);
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    return setrlimit(RLIMIT_FSIZE, &none) != 0;
}
