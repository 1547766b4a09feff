/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
/*
 * Signals that new threads handle before their routine begins: the C library lets them through
 * first. The handler makes a call that is recorded. Prints what went wrong with the masks of the
 * threads, which are those of their creator or of their attributes.
 *   timer     a signal of the process every 200 us, while threads are created
 *   pending   one is pending, and only the new thread's attributes let it through
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { THREADS = 1500, PENDING = 50 };

static sem_t posts;
static pthread_t main_thread;
static volatile sig_atomic_t in_others;

static void handle(int signal)
{
    (void)signal;
    const int saved = errno;
    sem_post(&posts);
    if (!pthread_equal(pthread_self(), main_thread))
        in_others++;
    errno = saved;
}

/* What is blocked in the calling thread, of these: bits. */
static long blocked(void)
{
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    return sigismember(&mask, SIGALRM) | sigismember(&mask, SIGUSR1) << 1 |
           sigismember(&mask, SIGUSR2) << 2 | sigismember(&mask, SIGTERM) << 3 |
           sigismember(&mask, SIGRTMIN + 3) << 4;
}

static void *run(void *arg)
{
    (void)arg;
    return (void *)blocked();
}

/* Create and join that many; how many of them had another mask than `want`. */
static int create(int threads, const pthread_attr_t *attr, long want, int signal)
{
    int wrong = 0;
    for (int i = 0; i < threads; i++) {
        if (signal)
            kill(getpid(), signal);
        pthread_t thread;
        void *mask = NULL;
        if (pthread_create(&thread, attr, run, NULL) || pthread_join(thread, &mask))
            return -1;
        wrong += (long)mask != want || blocked() != (signal ? 2 : 4);
    }
    return wrong;
}

static void block(int signal)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static int by_timer(void)
{
    block(SIGUSR2);
    const struct itimerval often = {{0, 200}, {0, 200}};
    setitimer(ITIMER_REAL, &often, NULL);
    int wrong = create(THREADS, NULL, 4, 0);
    const struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
    return wrong;
}

static int by_pending(void)
{
    block(SIGUSR1);
    pthread_attr_t attr;
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGTERM);
    pthread_attr_init(&attr);
    pthread_attr_setsigmask_np(&attr, &mask);
    int wrong = create(PENDING, &attr, 8, SIGUSR1);
    printf("handled by threads: %d\n", (int)in_others);
    return wrong;
}

int main(int argc, char **argv)
{
    main_thread = pthread_self();
    sem_init(&posts, 0, 0);
    const struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    int wrong = argc > 1 && strcmp(argv[1], "pending") == 0 ? by_pending() : by_timer();
    printf("wrong masks: %d\n", wrong);
    return 0;
}
