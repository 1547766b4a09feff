/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two processes open and close a file: the parent 50 times a second until its child is over, the
 * child 2,000 times a second for 1.2 s, from 0.3 s on. The child prints how many calls that were,
 * and the nanoseconds from the begin of the first to the end of the last.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SECOND = 1000000000,
    MS = 1000000,
    CALM_MS = 20,
    BEFORE_MS = 300,
    STORM_MS = 1200,
    PAIRS = 2
};

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}

static void wait_until(int64_t when)
{
    const struct timespec t = {when / SECOND, when % SECOND};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL))
        ;
}

static void open_and_close(const char *path)
{
    int fd = open(path, O_RDONLY | O_CREAT, 0600);
    if (fd < 0 || close(fd) != 0)
        abort();
}

static void storm(void)
{
    int calls = 0;
    wait_until(now() + (int64_t)BEFORE_MS * MS);
    const int64_t begin = now();
    for (int ms = 0; ms < STORM_MS; ms++) {
        wait_until(begin + (int64_t)ms * MS);
        for (int i = 0; i < PAIRS; i++, calls += 2)
            open_and_close("stormy");
    }
    printf("%d %lld\n", calls, (long long)(now() - begin));
}

int main(void)
{
    const pid_t child = fork();
    if (child == 0) {
        storm();
        return 0;
    }
    int64_t next = now();
    for (int status; waitpid(child, &status, WNOHANG) == 0; next += (int64_t)CALM_MS * MS) {
        wait_until(next);
        open_and_close("calm");
    }
    return 0;
}
