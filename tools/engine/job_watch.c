/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/engine/job_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/base/say.h"

static int word = -1; /* to the watcher */

/*
 * The standard error of another process. The rank's own one leads there by way of the launcher, and
 * to nowhere when that has ended. -1: it is not to be had.
 */
static int standard_error_of(long process)
{
    char path[64];
    struct stat st;
    int pidfd = process ? (int)syscall(SYS_pidfd_open, process, 0) : -1;
    int fd = pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, pidfd, STDERR_FILENO, 0);
    if (pidfd >= 0)
        (void)close(pidfd);
    if (fd >= 0 || !process)
        return fd;
    /* Systems may forbid that. A file cannot be opened anew: its end is known to the launcher. */
    (void)snprintf(path, sizeof path, "/proc/%ld/fd/%d", process, STDERR_FILENO);
    if (stat(path, &st) || (!S_ISFIFO(st.st_mode) && !S_ISCHR(st.st_mode)))
        return -1;
    fd = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0)
        (void)fcntl(fd, F_SETFL, 0);
    return fd;
}

_Noreturn static void watch(int from, long launcher)
{
    static const int ignored[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE};
    char byte;
    ssize_t n;
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        (void)signal(ignored[i], SIG_IGN);
    (void)setsid();
    /* What it has inherited is the rank's: a launcher sees by it that a rank is gone. */
    (void)dup2(from, STDIN_FILENO);
    int to = standard_error_of(launcher);
    if (to >= 0)
        (void)dup2(to, STDERR_FILENO);
    (void)close(STDOUT_FILENO);
    (void)syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
    do {
        n = read(STDIN_FILENO, &byte, 1);
    } while (n < 0 && errno == EINTR);
    if (n == 0)
        say("a rank of this job was killed: there is no result");
    _exit(EXIT_SUCCESS);
}

void job_watch(long launcher)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return;
    pid_t child = fork();
    if (child == 0)
        watch(ends[0], launcher);
    (void)close(ends[0]);
    if (child > 0)
        word = ends[1];
    else
        (void)close(ends[1]);
}

void job_watch_end(void)
{
    if (word < 0)
        return;
    while (write(word, "", 1) < 0 && errno == EINTR) {
    }
    (void)close(word);
    word = -1;
}
