/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * io_random SEED STEPS: random operations on descriptors. Each process prints what it has done when
 * it ends, one line an operation: `PID OPERATION ARGUMENTS = RESULT`. What is done by system calls
 * of its own (raw) the agent cannot see.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES = 4, LOWEST = 20, NUMBERS = 24, TEXT = 1 << 20, DEPTH = 2 };

static uint64_t state;
static char said[TEXT];
static size_t at;
static char data[5000];

static unsigned below(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

static void say(const char *form, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *form, ...)
{
    va_list args;
    va_start(args, form);
    at += (size_t)snprintf(said + at, sizeof said - at, "%d ", (int)getpid());
    at += (size_t)vsnprintf(said + at, sizeof said - at, form, args);
    at += (size_t)snprintf(said + at, sizeof said - at, "\n");
    va_end(args);
}

static int some(void)
{
    return LOWEST + (int)below(NUMBERS);
}

static const char *path(void)
{
    static char name[16];
    snprintf(name, sizeof name, "r%u", below(FILES));
    return name;
}

static void do_open(void)
{
    static const int ways[] = {O_RDONLY,
                               O_WRONLY | O_CREAT,
                               O_RDWR | O_CREAT,
                               O_RDWR | O_CREAT | O_TRUNC,
                               O_WRONLY | O_APPEND | O_CREAT,
                               O_RDWR | O_CREAT | O_CLOEXEC};
    const char *name = below(8) ? path() : "/dev/null";
    int flags = ways[below(6)];
    int fd = open(name, flags, 0600);
    say("open %s %d = %d", name, flags, fd);
    if (fd < 0 || fd >= LOWEST)
        return;
    /* To a number of ours, by a call that is recorded as well. */
    int to = fcntl(fd, F_DUPFD, some());
    say("dupfd %d = %d", fd, to);
    say("close %d = %d", fd, close(fd));
}

static void do_raw_open(void)
{
    const char *name = path();
    int to = some();
    if (syscall(SYS_fcntl, to, F_GETFD, 0L) >= 0)
        return; /* what is open is not replaced behind the agent's back */
    int fd = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CREAT, 0600);
    if (fd < 0)
        return;
    syscall(SYS_dup3, fd, to, 0);
    syscall(SYS_close, fd);
    say("raw %s = %d", name, to);
}

static void do_transfer(void)
{
    int fd = some();
    size_t n = below(sizeof data);
    long offset = (long)below(9000), ret;
    switch (below(4)) {
    case 0:
        ret = read(fd, data, n);
        say("read %d %zu = %ld", fd, n, ret);
        break;
    case 1:
        ret = write(fd, data, n);
        say("write %d %zu = %ld", fd, n, ret);
        break;
    case 2:
        ret = pread(fd, data, n, offset);
        say("pread %d %zu %ld = %ld", fd, n, offset, ret);
        break;
    default:
        ret = pwrite(fd, data, n, offset);
        say("pwrite %d %zu %ld = %ld", fd, n, offset, ret);
    }
}

static void do_seek(void)
{
    int fd = some(), whence = (int)below(3);
    long offset = (long)below(3000) - 500;
    long ret = lseek(fd, offset, whence);
    say("lseek %d %ld %d = %ld", fd, offset, whence, ret);
}

static void do_duplicate(void)
{
    int fd = some(), to = some();
    switch (below(3)) {
    case 0:
        say("dup2 %d %d = %d", fd, to, dup2(fd, to));
        break;
    case 1:
        say("dup3 %d %d = %d", fd, to, dup3(fd, to, O_CLOEXEC));
        break;
    default:
        say("dupfd %d = %d", fd, fcntl(fd, F_DUPFD, to));
    }
}

static void do_flags(void)
{
    int fd = some(), flags = below(2) ? O_APPEND : O_NONBLOCK;
    say("setfl %d %d = %d", fd, flags, fcntl(fd, F_SETFL, flags));
}

static void do_close(void)
{
    int fd = some();
    if (below(12)) {
        say("close %d = %d", fd, close(fd));
        return;
    }
    int last = fd + (int)below(4);
    say("close_range %d %d = %d", fd, last, close_range((unsigned)fd, (unsigned)last, 0));
}

static void do_unlink(void)
{
    const char *name = path();
    say("unlink %s = %d", name, unlink(name));
}

/* Its descriptors are its own, and the memory is ours. */
static void do_vfork(void)
{
    int fd = some();
    pid_t pid = vfork();
    if (pid == 0) {
        close(fd);
        dup2(some(), some());
        (void)!write(some(), data, 10);
        open("r0", O_RDWR);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
}

static void steps(int n, int depth);

static void do_fork(int n, int depth)
{
    pid_t pid = fork();
    if (pid == 0) {
        at = 0;
        steps(n / 4, depth + 1);
        fputs(said, stdout);
        fflush(stdout);
        _exit(0);
    }
    say("fork = %d", (int)pid);
    waitpid(pid, NULL, 0);
}

static void steps(int n, int depth)
{
    said[0] = '\0';
    for (int i = 0; i < n; i++) {
        unsigned what = below(100);
        if (what < 14)
            do_open();
        else if (what < 18)
            do_raw_open();
        else if (what < 50)
            do_transfer();
        else if (what < 60)
            do_seek();
        else if (what < 73)
            do_duplicate();
        else if (what < 78)
            do_flags();
        else if (what < 92)
            do_close();
        else if (what < 95)
            do_unlink();
        else if (what < 97)
            do_vfork();
        else if (depth < DEPTH)
            do_fork(n, depth);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    state = strtoull(argv[1], NULL, 10) * 2 + 1;
    below(2);
    steps(atoi(argv[2]), 0);
    fputs(said, stdout);
    return 0;
}
