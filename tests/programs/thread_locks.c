/* SPDX-License-Identifier: BSD-3-Clause */
/* Known numbers of acquisitions: a recursive mutex, a contended trylock, ping-pong, readers. */
#include <pthread.h>
#include <semaphore.h>

#include "expect.h"

enum { ROUNDS = 200, READERS = 4 };

static pthread_mutex_t recursive, busy = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turns = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static sem_t sem;
static int turn, sum, written; /* sum under spin, written under rwlock */

static void nested(int depth)
{
    pthread_mutex_lock(&recursive);
    if (depth > 1)
        nested(depth - 1);
    pthread_mutex_unlock(&recursive);
}

static void *tries(void *unused)
{
    for (int i = 0; i < 10; i++)
        EXPECT(pthread_mutex_trylock(&busy) != 0);
    nested(2);
    return unused;
}

static void *plays(void *side)
{
    int mine = *(int *)side;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&table);
        while (turn != mine)
            pthread_cond_wait(&turns, &table);
        turn = !mine;
        pthread_cond_broadcast(&turns);
        pthread_mutex_unlock(&table);
    }
    return NULL;
}

static void *reads(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_rwlock_rdlock(&rwlock);
        pthread_rwlock_unlock(&rwlock);
        pthread_spin_lock(&spin);
        sum++;
        pthread_spin_unlock(&spin);
    }
    pthread_rwlock_wrlock(&rwlock);
    written++;
    pthread_rwlock_unlock(&rwlock);
    sem_post(&sem);
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void)
{
    pthread_t thread[READERS];
    int side[] = {0, 1};
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &attr);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_barrier_init(&barrier, NULL, READERS);
    sem_init(&sem, 0, 0);

    nested(8);
    pthread_mutex_lock(&busy);
    pthread_create(&thread[0], NULL, tries, NULL);
    pthread_join(thread[0], NULL);
    pthread_mutex_unlock(&busy);

    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, plays, &side[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);

    for (int i = 0; i < READERS; i++)
        pthread_create(&thread[i], NULL, reads, NULL);
    for (int i = 0; i < READERS; i++)
        sem_wait(&sem);
    for (int i = 0; i < READERS; i++)
        pthread_join(thread[i], NULL);
    printf("sum %d\n", sum + written);
    return unexpected;
}
