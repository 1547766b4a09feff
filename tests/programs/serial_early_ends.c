/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Children that end at all moments of the first call that is recorded of them:
 *     serial_early_ends killed|handler
 * by SIGKILL from outside, or by _exit() in a handler of their own.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHILDREN = 200, STEP_US = 5 };

static void leave(int sig)
{
    (void)sig;
    _exit(0);
}

static void call(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    for (;;) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

static void spin(long microseconds)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 <
           microseconds);
}

int main(int argc, char **argv)
{
    int is_killed = argc > 1 && strcmp(argv[1], "killed") == 0;
    signal(SIGALRM, leave);
    for (int i = 1; i <= CHILDREN; i++) {
        struct itimerval when = {.it_value = {0, i * STEP_US}};
        pid_t pid = fork();
        if (pid == 0) {
            if (!is_killed)
                setitimer(ITIMER_REAL, &when, NULL);
            call();
        }
        if (is_killed) {
            spin((long)i * STEP_US);
            kill(pid, SIGKILL);
        }
        waitpid(pid, NULL, 0);
    }
    return 0;
}
