/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A lock is released without a record, while another thread waits for the lock in a recorded call:
 * in a pause, at the end of the process, by a thread that holds very many locks. The first word is
 * the case, the second word a library that calls `at_the_end` at the end, after the agent's.
 */
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../include/spur/spur.h"

enum { MANY = 400, PATIENCE = 50000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, robust, many[MANY];
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static omp_lock_t lock;
static atomic_int has_it, may_go, is_taken, is_over;

/* With a limit of time: a failing test has to name the fault. */
static void await(const atomic_int *word)
{
    for (int i = 0; i < PATIENCE && !*word; i++)
        usleep(100);
}

static void hold(void)
{
    has_it = 1;
    await(&may_go);
}

/* ---- the holder, and the waiter ---- */

static void *unlocks(void *unused)
{
    pthread_mutex_lock(&mutex);
    hold();
    pthread_mutex_unlock(&mutex);
    await(&is_over);
    return unused;
}

static void *locks(void *unused)
{
    pthread_mutex_lock(&mutex);
    is_taken = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *waits(void *unused)
{
    pthread_mutex_lock(&mutex);
    hold();
    while (!is_taken)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    await(&is_over);
    return unused;
}

static void *ends(void *unused)
{
    pthread_mutex_lock(&robust);
    hold();
    return unused;
}

static void *inherits(void *unused)
{
    pthread_mutex_lock(&robust);
    is_taken = 1;
    pthread_mutex_consistent(&robust);
    pthread_mutex_unlock(&robust);
    return unused;
}

static void *unsets(void *unused)
{
    omp_set_lock(&lock);
    hold();
    omp_unset_lock(&lock);
    await(&is_over);
    return unused;
}

static void *sets(void *unused)
{
    omp_set_lock(&lock);
    is_taken = 1;
    omp_unset_lock(&lock);
    return unused;
}

static void *takes_many(void *unused)
{
    for (int i = 0; i < MANY; i++)
        pthread_mutex_lock(&many[i]);
    for (int i = 0; i < MANY; i++)
        pthread_mutex_unlock(&many[i]);
    return unused;
}

/* ---- */

static const struct {
    const char *word;
    void *(*holder)(void *);
    void *(*waiter)(void *);
} ways[] = {{"mutex", unlocks, locks},
            {"wait", waits, locks},
            {"robust", ends, inherits},
            {"omp", unsets, sets},
            {"end", unlocks, locks}};

/* The waiter is in its call for long before the lock is released. */
static void pass_on(void)
{
    enum { WELL_IN = 20000 };
    usleep(WELL_IN);
    spur_user_off();
    may_go = 1;
    await(&is_taken);
    spur_user_on();
}

static void at_the_end(void)
{
    may_go = 1;
    await(&is_taken);
}

static void prepare(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &attr);
    omp_init_lock(&lock);
    for (int i = 0; i < MANY; i++)
        pthread_mutex_init(&many[i], NULL);
}

static int one_way(const char *word, void *library)
{
    pthread_t holder, waiter;
    void (**call)(void) = library ? dlsym(library, "at_the_end") : NULL;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (strcmp(ways[i].word, word) != 0)
            continue;
        pthread_create(&holder, NULL, ways[i].holder, NULL);
        await(&has_it);
        pthread_create(&waiter, NULL, ways[i].waiter, NULL);
        if (call) {
            *call = at_the_end;
            usleep(20000);
            return 0;
        }
        pass_on();
        pthread_join(waiter, NULL);
        ways[i].waiter(NULL); /* once more, after the pause */
        is_over = 1;
        pthread_join(holder, NULL);
        return !is_taken;
    }
    return 2;
}

int main(int argc, char **argv)
{
    pthread_t other;
    prepare();
    if (argc > 1 && strcmp(argv[1], "many") != 0)
        return one_way(argv[1], argc > 2 ? dlopen(argv[2], RTLD_NOW) : NULL);
    takes_many(NULL);
    pthread_create(&other, NULL, takes_many, NULL);
    return pthread_join(other, NULL);
}
