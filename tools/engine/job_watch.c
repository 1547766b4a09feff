/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/engine/job_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/base/say.h"

static int word = -1; /* to the watcher */

_Noreturn static void watch(int from)
{
    static const int ignored[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE};
    char byte;
    ssize_t n;
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        (void)signal(ignored[i], SIG_IGN);
    (void)setsid();
    /* What it has inherited is the rank's: a launcher sees by it that a rank is gone. */
    (void)dup2(from, STDIN_FILENO);
    (void)close(STDOUT_FILENO);
    (void)close_range(STDERR_FILENO + 1, ~0U, 0);
    do {
        n = read(STDIN_FILENO, &byte, 1);
    } while (n < 0 && errno == EINTR);
    if (n == 0)
        say("a rank of this job was killed: there is no result");
    _exit(EXIT_SUCCESS);
}

void job_watch(void)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return;
    pid_t child = fork();
    if (child == 0)
        watch(ends[0]);
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
