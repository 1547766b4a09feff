/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks that their thread leaves held for ever: on its stack, where the next thread's lie, and one
 * that another thread unlocks.
 */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4 };

static pthread_mutex_t handed_over = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;

static void *leaves_locks(void *unused)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    (void)unused;
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_rdlock(&shared);
    pthread_mutex_lock(&handed_over);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, leaves_locks, NULL);
        pthread_join(thread, NULL);
        pthread_mutex_unlock(&handed_over);
    }
    puts("all threads ended");
    return 0;
}
