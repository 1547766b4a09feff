/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * creation_ends exit|jump: while a thread is being created that has begun already, a signal handler
 * ends the process, or jumps out of pthread_create().
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern _Atomic int slow_create_has_begun;
static sigjmp_buf before;
static int jumps;

static void on_signal(int signal)
{
    (void)signal;
    if (jumps)
        siglongjmp(before, 1);
    _exit(9);
}

static void *begin(void *unused)
{
    slow_create_has_begun = 1;
    return unused;
}

int main(int argc, char **argv)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static pthread_t thread;
    jumps = argc > 1 && strcmp(argv[1], "jump") == 0;
    signal(SIGUSR1, on_signal);
    pthread_mutex_lock(&mutex);
    if (sigsetjmp(before, 1) == 0)
        pthread_create(&thread, NULL, begin, NULL);
    pthread_mutex_unlock(&mutex);
    puts(pthread_join(thread, NULL) == 0 ? "joined" : "lost");
    return 7;
}
