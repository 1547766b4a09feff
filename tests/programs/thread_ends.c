/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every way to end a thread: return, pthread_exit, cancellation in pthread_cond_wait and in
 * sem_wait with handlers that call locks, asynchronous cancellation, three detached ones; in the
 * end the main thread leaves by pthread_exit and the last thread ends the process.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

#include "expect.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t never, ready;
static pthread_key_t key;
static _Atomic int handled, spinning, detached_ends;
static pthread_t main_thread;

static void *returns(void *arg)
{
    return arg;
}

static void *exits(void *arg)
{
    pthread_exit(arg);
}

static void unlocks(void *locked)
{
    pthread_mutex_unlock(locked);
    handled++;
}

static void *waits_for_cond(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlocks, &mutex);
    sem_post(&ready);
    pthread_cond_wait(&cond, &mutex);
    pthread_cleanup_pop(1);
    return arg;
}

static void posts(void *sem)
{
    sem_post(sem);
    handled++;
}

static void *waits_for_sem(void *arg)
{
    pthread_cleanup_push(posts, &ready);
    sem_wait(&never);
    pthread_cleanup_pop(1);
    return arg;
}

static void *spins(void *arg)
{
    (void)arg;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (spinning = 1;;)
        ;
    return NULL;
}

static void destroys(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    detached_ends++;
}

static void *sets_key(void *arg)
{
    pthread_setspecific(key, arg);
    if (arg == &mutex)
        pthread_detach(pthread_self());
    return NULL;
}

static void *ends_last(void *arg)
{
    (void)arg;
    EXPECT(pthread_join(main_thread, NULL) == 0);
    EXPECT(handled == 2);
    printf("done\n");
    return NULL;
}

static void *start_and_join(void *(*start)(void *), void *arg)
{
    pthread_t thread;
    void *value = NULL;
    EXPECT(pthread_create(&thread, NULL, start, arg) == 0);
    EXPECT(pthread_join(thread, &value) == 0);
    return value;
}

static void cancel(void *(*start)(void *))
{
    pthread_t thread;
    void *value = NULL;
    EXPECT(pthread_create(&thread, NULL, start, NULL) == 0);
    while (start == spins && !spinning)
        sched_yield();
    if (start == waits_for_cond) { /* with the mutex in hand it is known to wait */
        sem_wait(&ready);
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    EXPECT(pthread_cancel(thread) == 0);
    EXPECT(pthread_join(thread, &value) == 0);
    EXPECT(value == PTHREAD_CANCELED);
}

static void detach(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    EXPECT(pthread_create(&thread, &attr, sets_key, &key) == 0);
    EXPECT(pthread_create(&thread, NULL, sets_key, &key) == 0);
    EXPECT(pthread_detach(thread) == 0);
    EXPECT(pthread_create(&thread, NULL, sets_key, &mutex) == 0);
    while (detached_ends < 3)
        usleep(1000);
    usleep(20000); /* for the rest of their ends */
}

int main(void)
{
    pthread_t last;
    sem_init(&never, 0, 0);
    sem_init(&ready, 0, 0);
    pthread_key_create(&key, destroys);
    EXPECT(start_and_join(returns, &key) == &key);
    EXPECT(start_and_join(exits, &mutex) == &mutex);
    cancel(waits_for_cond);
    cancel(waits_for_sem);
    sem_wait(&ready);
    cancel(spins);
    detach();
    main_thread = pthread_self();
    EXPECT(pthread_create(&last, NULL, ends_last, NULL) == 0);
    pthread_exit(NULL);
}
