/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads are named by themselves, by prctl() and by another thread; one has no name. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <sys/prctl.h>

#include "expect.h"

static sem_t ready, go;

static void *named_by_itself(void *arg)
{
    EXPECT(pthread_setname_np(pthread_self(), "by itself") == 0);
    return arg;
}

static void *named_by_prctl(void *arg)
{
    EXPECT(prctl(PR_SET_NAME, "by prctl", 0, 0, 0) == 0);
    return arg;
}

static void *named_by_another(void *arg)
{
    sem_post(&ready);
    sem_wait(&go);
    return arg;
}

static void *nameless(void *arg)
{
    return arg;
}

int main(void)
{
    void *(*const start[])(void *) = {named_by_itself, named_by_prctl, named_by_another, nameless};
    sem_init(&ready, 0, 0);
    sem_init(&go, 0, 0);
    for (int i = 0; i < 4; i++) {
        pthread_t thread;
        EXPECT(pthread_create(&thread, NULL, start[i], NULL) == 0);
        if (i == 2) {
            sem_wait(&ready);
            EXPECT(pthread_setname_np(thread, "by another") == 0);
            sem_post(&go);
        }
        EXPECT(pthread_join(thread, NULL) == 0);
    }
    EXPECT(pthread_setname_np(pthread_self(), "the first one") == 0);
    return unexpected;
}
