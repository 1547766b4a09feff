/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that can be cancelled at any instruction are, in calls: who joins them is told. */
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "expect.h"

enum { THREADS = 60, STEP_NS = 3000 };

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

int main(void)
{
    sem_init(&ready, 0, 0);
    for (int i = 0; i < THREADS; i++) {
        const struct timespec nap = {0, (long)i * STEP_NS};
        pthread_t thread;
        void *value = NULL;
        EXPECT(pthread_create(&thread, NULL, calls, NULL) == 0);
        sem_wait(&ready);
        nanosleep(&nap, NULL);
        EXPECT(pthread_cancel(thread) == 0);
        EXPECT(pthread_join(thread, &value) == 0);
        EXPECT(value == PTHREAD_CANCELED);
    }
    printf("done\n");
    return 0;
}
