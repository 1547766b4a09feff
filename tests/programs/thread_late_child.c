/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread_late_child HOW [FOLDER]: the end of a process, and a child that outlives the process.
 * joins     the child begins to record when there is a FOLDER, with which the parent begins to make
 *           the archive. The test stops the parent there. The child lets the parent go on, and
 *           waits until the parent is gone.
 * outlives  the child ends while the parent is in exit(), behind all exit handlers.
 * meets     the child begins as in `joins`, and ends as in `outlives`.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOCKS = 100, NAP_US = 5000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pid_t child;
static int begun[2], ends[2]; /* the child says it; the parent lets it */

static void lock(void)
{
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

static int join_late(pid_t parent, const char *folder, bool may_outlive)
{
    struct pollfd end = {ends[0], POLLIN, 0};
    if (!may_outlive && write(begun[1], "", 1) != 1)
        return 4;
    while (access(folder, F_OK) != 0)
        usleep(NAP_US);
    lock();
    while (may_outlive ? getppid() == parent : poll(&end, 1, 0) == 0) {
        kill(parent, SIGCONT);
        usleep(NAP_US);
    }
    lock();
    return 0;
}

static int outlive(void)
{
    char byte = 0;
    lock();
    if (write(begun[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1)
        return 4;
    lock();
    return 0;
}

/* The C library writes what is left in its streams after it has called all exit handlers. */
static ssize_t see_child_end(void *unused, const char *bytes, size_t n)
{
    int status = -1;
    (void)unused;
    if (write(ends[1], bytes, 1) != 1 || waitpid(child, &status, 0) != child || status != 0)
        _exit(5);
    return (ssize_t)n;
}

static int end_slowly(void)
{
    static const cookie_io_functions_t last = {.write = see_child_end};
    char byte;
    FILE *stream = fopencookie(NULL, "w", last);
    return stream && read(begun[0], &byte, 1) == 1 && fputs("end", stream) >= 0 ? 0 : 6;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    const pid_t parent = getpid();
    lock();
    if (pipe(begun) != 0 || pipe(ends) != 0 || (child = fork()) < 0)
        return 3;
    const bool is_joining = strcmp(how, "joins") == 0;
    if (child)
        return is_joining ? 0 : end_slowly();
    if (strcmp(how, "outlives") == 0)
        return outlive();
    return argc > 2 ? join_late(parent, argv[2], is_joining) : 7;
}
