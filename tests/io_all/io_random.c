/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * io_random SEED SEQUENCES: sequences of random operations on descriptors and streams. A process
 * prints its operations at the end of a sequence or of the process, a line an operation:
 * `PROCESS:IMAGE OPERATION ARGUMENTS = RESULT`. The result of a failed operation is -errno. The
 * agent sees neither operations by direct system calls (raw) nor the printing. At the end of a
 * sequence each number is asked for its position, and everything is closed.
 *
 * io_random SEED IMAGE STEPS: the same program after exec.
 */
#define _GNU_SOURCE
#include "io_random.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT = 1 << 18, DEPTH = 2, LEAST_STEPS = 4, MORE_STEPS = 16, IMAGES = 3 };

static uint64_t state;
static char said[TEXT];
static size_t at;
static int pid, image;

unsigned below(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

void say(long ret, const char *form, ...)
{
    long told = ret < 0 ? -errno : ret;
    va_list args;
    va_start(args, form);
    at += (size_t)snprintf(said + at, sizeof said - at, "%d:%d ", pid, image);
    at += (size_t)vsnprintf(said + at, sizeof said - at, form, args);
    at += (size_t)snprintf(said + at, sizeof said - at, " = %ld\n", told);
    va_end(args);
}

static void tell(void)
{
    for (size_t done = 0; done < at;) {
        long n = syscall(SYS_write, STDOUT_FILENO, said + done, at - done);
        if (n <= 0)
            abort();
        done += (size_t)n;
    }
    at = 0;
}

/* A child of vfork() has descriptors of its own, and the parent's memory. */
static void do_vfork(void)
{
    int fd = some(), from = some(), to = some(), out = some(), kept = open_streams;
    volatile long ret = 0;
    pid_t child = vfork();
    if (child == 0) {
        close(fd);
        dup2(from, to);
        ret = write(out, data, 10);
        ret = ret < 0 ? -1 : ret;
        _exit(0);
    }
    waitpid(child, NULL, 0);
    open_streams = kept;
    errno = EBADF; /* the only reason there is */
    say(ret, "vfork %d %d %d %d 10", fd, from, to, out);
}

static void steps(int n, int depth);

static void do_fork(int n, int depth)
{
    pid_t child = fork();
    if (child == 0) {
        at = 0;
        pid = getpid();
        steps(n / 2, depth + 1);
        tell();
        _exit(0);
    }
    say(child, "fork");
    waitpid(child, NULL, 0);
}

/* A new image of the same process, with the descriptors that stay open. */
static void do_exec(void)
{
    char seed[32], number[32], count[32];
    if (image + 1 == IMAGES)
        return;
    snprintf(seed, sizeof seed, "%u", below(1u << 30));
    snprintf(number, sizeof number, "%d", image + 1);
    snprintf(count, sizeof count, "%u", 2 + below(MORE_STEPS));
    say(0, "exec");
    tell();
    execl("/proc/self/exe", "io_random", seed, number, count, (char *)NULL);
    abort();
}

static void steps(int n, int depth)
{
    for (int i = 0; i < n; i++) {
        unsigned what = below(1000);
        if (what >= 20 + (depth > 0 ? 50U : 0))
            do_something();
        else if (what < 8)
            do_vfork();
        else if (what < 20 && depth < DEPTH)
            do_fork(n, depth);
        else if (what >= 20)
            do_exec();
    }
    probe();
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    state = strtoull(argv[1], NULL, 10) * 2 + 1;
    pid = getpid();
    below(2);
    if (argc > 3) {
        image = atoi(argv[2]);
        steps(atoi(argv[3]), 1);
        tell();
        return 0;
    }
    for (int i = atoi(argv[2]); i > 0; i--) {
        steps(LEAST_STEPS + (int)below(MORE_STEPS), 0);
        close_all();
        tell();
    }
    return 0;
}
