/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that can be cancelled at any instruction are, in calls: who joins them is told. Half of
 * the threads take one lock, the others many, each only a few times; the main thread takes new ones
 * after each thread.
 */
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "expect.h"

enum { THREADS = 60, STEP_NS = 3000, LONGEST_NS = 300000, MANY = 2000, ROUNDS = 10 };

static sem_t ready;

static void *calls(void *arg)
{
    pthread_mutex_t own;
    (void)arg;
    pthread_mutex_init(&own, NULL); /* one that ended in between has left its own locked there */
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    sem_post(&ready);
    for (;;) {
        pthread_mutex_lock(&own);
        pthread_mutex_unlock(&own);
    }
    return NULL;
}

static void *many_calls(void *arg)
{
    static pthread_mutex_t many[MANY];
    (void)arg;
    for (int i = 0; i < MANY; i++)
        pthread_mutex_init(&many[i], NULL);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    sem_post(&ready);
    for (int i = 0;; i = (i + 1) % MANY) {
        pthread_mutex_lock(&many[i]);
        pthread_mutex_unlock(&many[i]);
        if (i % 2)
            pthread_mutex_destroy(&many[i]);
    }
    return NULL;
}

static void end_one(void *(*routine)(void *), long after_ns)
{
    const struct timespec nap = {0, after_ns};
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    pthread_t thread;
    void *value = NULL;
    EXPECT(pthread_create(&thread, NULL, routine, NULL) == 0);
    sem_wait(&ready);
    nanosleep(&nap, NULL);
    EXPECT(pthread_cancel(thread) == 0);
    EXPECT(pthread_join(thread, &value) == 0);
    EXPECT(value == PTHREAD_CANCELED);
    EXPECT(pthread_mutex_lock(&own) == 0 && pthread_mutex_unlock(&own) == 0);
    EXPECT(pthread_mutex_destroy(&own) == 0);
}

int main(void)
{
    sem_init(&ready, 0, 0);
    for (int i = 0; i < THREADS; i++) {
        end_one(calls, (long)i * STEP_NS);
        for (int round = 0; round < ROUNDS; round++)
            end_one(many_calls, (long)i * STEP_NS * round % LONGEST_NS);
    }
    printf("done\n");
    return 0;
}
