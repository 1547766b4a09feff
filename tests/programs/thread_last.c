/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread_last SEED PROCESSES HOW...: so many processes, in turn, end in a drawn way of the named
 * ways, at a drawn moment, while threads begin, end, are cancelled, cannot be created, and create
 * threads, in the process and in its child. Prints the number of threads that ran before the ends.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "expect.h"

enum { STATUS = 42, WORKERS = 4, MOMENTS_US = 600, STACK_BYTES = 64 << 10 };

static _Atomic uint32_t random_state;
static _Atomic uint64_t began;    /* threads of the process that have run */
static _Atomic uint64_t *settled; /* of all processes: threads run before the end began */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static uint32_t draw(uint32_t n)
{
    uint32_t x = atomic_fetch_add(&random_state, 0x9e3779b9u);
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return (x ^ x >> 16) % n;
}

static void spin(uint32_t us)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < us);
}

/* ---- threads ---- */

static void *returns(void *unused)
{
    atomic_fetch_add(&began, 1);
    return unused;
}

static void *leaves(void *unused)
{
    atomic_fetch_add(&began, 1);
    pthread_exit(unused);
}

static void *locks(void *unused)
{
    atomic_fetch_add(&began, 1);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *waits(void *unused)
{
    atomic_fetch_add(&began, 1);
    for (;;)
        pause();
    return unused;
}

static void *creates(void *unused)
{
    pthread_t thread;
    atomic_fetch_add(&began, 1);
    if (pthread_create(&thread, NULL, locks, NULL) == 0)
        pthread_join(thread, NULL);
    return unused;
}

/* Creation fails without memory for the stack: a thread created meanwhile by another thread has
 * the next number. */
static void fail_to_create(void)
{
    pthread_t thread;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, (size_t)1 << 46);
    EXPECT(pthread_create(&thread, &attr, returns, NULL) == EAGAIN);
    pthread_attr_destroy(&attr);
}

static void create(void)
{
    void *(*const routine[])(void *) = {returns, leaves, locks, waits, creates};
    void *(*const start)(void *) = routine[draw(sizeof routine / sizeof routine[0])];
    bool is_detached = start != waits && draw(3) == 0;
    pthread_t thread;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    if (is_detached)
        pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    int error = pthread_create(&thread, &attr, start, NULL);
    pthread_attr_destroy(&attr);
    EXPECT(error == 0 || error == EAGAIN); /* while another thread is in exec() */
    if (error || is_detached)
        return;
    if (start == waits)
        pthread_cancel(thread);
    pthread_join(thread, NULL);
}

/* A child ends while its own thread begins, and the parent's threads go on. */
static void fork_one(void)
{
    pthread_t thread;
    pid_t child = fork();
    if (child == 0) {
        pthread_create(&thread, NULL, locks, NULL);
        spin(draw(MOMENTS_US / 4));
        _exit(STATUS);
    }
    int status;
    if (child > 0)
        EXPECT(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == STATUS);
}

static void *works(void *unused)
{
    atomic_fetch_add(&began, 1);
    for (;;) {
        uint32_t what = draw(16);
        if (what == 0)
            fork_one();
        else if (what < 4)
            fail_to_create();
        else
            create();
    }
    return unused;
}

/* ---- the end ---- */

static _Noreturn void end(const char *how)
{
    atomic_fetch_add(settled, atomic_load(&began));
    if (strcmp(how, "_exit") == 0)
        _exit(STATUS);
    if (strcmp(how, "quick_exit") == 0)
        quick_exit(STATUS);
    if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "exec") == 0)
        execl("/bin/sh", "sh", "-c", "exit 42", (char *)NULL);
    exit(STATUS);
}

static void *ends(void *how)
{
    atomic_fetch_add(&began, 1);
    end(how);
}

static _Noreturn void run(char *how)
{
    pthread_t thread;
    uint32_t workers = 1 + draw(WORKERS);
    for (uint32_t i = 0; i < workers; i++)
        EXPECT(pthread_create(&thread, NULL, works, NULL) == 0);
    spin(draw(MOMENTS_US));
    if (draw(4) == 0) {
        EXPECT(pthread_create(&thread, NULL, ends, how) == 0);
        for (;;)
            pause();
    }
    end(how);
}

static bool has_ended(const char *how, int status)
{
    if (strcmp(how, "kill") == 0 || strcmp(how, "abort") == 0)
        return WIFSIGNALED(status) && WTERMSIG(status) == (*how == 'k' ? SIGKILL : SIGABRT);
    return WIFEXITED(status) && WEXITSTATUS(status) == STATUS;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    random_state = (uint32_t)strtoul(argv[1], NULL, 10);
    settled =
        mmap(NULL, sizeof *settled, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (long left = strtol(argv[2], NULL, 10); left > 0; left--) {
        char *how = argv[3 + draw((uint32_t)argc - 3)];
        pid_t child = fork();
        if (child == 0)
            run(how);
        int status;
        EXPECT(waitpid(child, &status, 0) == child && has_ended(how, status));
    }
    printf("%llu\n", (unsigned long long)*settled);
    return unexpected;
}
