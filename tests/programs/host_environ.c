/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host_environ HOW: the environment goes, and what `environ` points to is no memory, as for a
 * moment within clearenv(); a signal handler or another thread may be recorded then. HOW: "records"
 * calls wrapped functions for the first time, "idles" does not, "forks" leaves either to a child,
 * and "works" long enough to be sampled; each ends by _exit().
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "expect.h"

extern char **environ;

static void *nothing(void *argument)
{
    return argument;
}

static void record(void)
{
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, nothing, NULL) == 0);
    EXPECT(pthread_join(thread, NULL) == 0);
}

static void work(void)
{
    static _Atomic unsigned long turns;
    while (clock() < CLOCKS_PER_SEC / 4)
        turns++;
}

static void fork_one(int is_idle)
{
    int status = 1;
    pid_t pid = fork();
    if (pid == 0) {
        if (!is_idle)
            record();
        _exit(unexpected);
    }
    EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    environ = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(environ != MAP_FAILED);
    if (strcmp(how, "records") == 0)
        record();
    else if (strcmp(how, "works") == 0)
        work();
    else if (strcmp(how, "forks") == 0) {
        fork_one(1);
        fork_one(0);
    }
    _exit(unexpected);
}
