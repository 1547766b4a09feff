/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread_left LOCKS: a process and its child, of two threads each, take locks inside of a call that
 * stays open; then both are killed, with all of that done and nothing closed.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OTHERS = 3 }; /* threads beside the first one of the parent */

static pthread_once_t outer = PTHREAD_ONCE_INIT;
static long locks;
static int done[2];
static pid_t child;

static void take_locks(void)
{
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    for (long n = 0; n < locks; n++) {
        pthread_mutex_lock(&own);
        pthread_mutex_unlock(&own);
    }
}

static void wait_to_be_killed(void)
{
    if (write(done[1], "", 1) != 1)
        abort();
    for (;;)
        pause();
}

static void kill_all(void)
{
    char byte;
    for (int i = 0; i < OTHERS; i++)
        if (read(done[0], &byte, 1) != 1)
            abort();
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    raise(SIGKILL);
}

static void *work(void *unused)
{
    take_locks();
    wait_to_be_killed();
    return unused;
}

static void work_on(void)
{
    take_locks();
    if (child)
        kill_all();
    wait_to_be_killed();
}

int main(int argc, char **argv)
{
    pthread_t thread;
    locks = argc > 1 ? atol(argv[1]) : 1000;
    if (pipe(done) != 0)
        return 1;
    child = fork();
    if (child < 0 || pthread_create(&thread, NULL, work, NULL) != 0)
        return 1;
    pthread_setname_np(thread, "second");
    pthread_once(&outer, work_on);
    return 1;
}
