/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread ends the process while others live: `thread_process_end HOW`, HOW is exit, _exit, _Exit,
 * quick_exit, handler (_exit in a signal handler) or vfork (a child of vfork ends, then the
 * process returns). The status is 42.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t late = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t started;

static void *waits(void *unused)
{
    pthread_barrier_wait(&started);
    pthread_mutex_lock(&mutex); /* the main thread keeps it */
    return unused;
}

static void ends(int signal)
{
    (void)signal;
    _exit(42);
}

static void runs_at_quick_exit(void)
{
    pthread_mutex_lock(&late);
    pthread_mutex_unlock(&late);
}

static void end(const char *how)
{
    if (strcmp(how, "exit") == 0)
        exit(42);
    if (strcmp(how, "_exit") == 0)
        _exit(42);
    if (strcmp(how, "_Exit") == 0)
        _Exit(42);
    if (strcmp(how, "quick_exit") == 0)
        quick_exit(42);
    if (strcmp(how, "handler") == 0)
        raise(SIGUSR1);
}

int main(int argc, char **argv)
{
    pthread_t thread;
    const char *how = argc > 1 ? argv[1] : "exit";
    signal(SIGUSR1, ends);
    at_quick_exit(runs_at_quick_exit);
    pthread_mutex_lock(&mutex);
    if (strcmp(how, "vfork") == 0) {
        int status = 0;
        pid_t child = vfork();
        if (child == 0)
            _exit(7);
        EXPECT(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
        pthread_mutex_unlock(&mutex);
        return unexpected ? 1 : 42;
    }
    pthread_barrier_init(&started, NULL, 2);
    pthread_create(&thread, NULL, waits, NULL);
    pthread_barrier_wait(&started);
    usleep(20000);
    end(how);
    return 1;
}
