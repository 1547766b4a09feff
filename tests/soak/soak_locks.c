/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that the agent records: locks of all kinds, what they return, and errno. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "soak.h"

void soak_calls(unsigned n)
{
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, NULL); /* where one may lie that was left locked by a jump */
    for (unsigned i = 0; i < n; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

void *soak_noise(void *stop)
{
    const struct timespec nap = {0, 200000};
    while (!atomic_load((atomic_int *)stop)) {
        soak_calls(300);
        nanosleep(&nap, NULL);
    }
    return NULL;
}

void soak_op_locks(struct soak_actor *actor)
{
    errno = 77;
    soak_calls(1 + (unsigned)soak_draw(actor, 50));
    soak_note(actor, errno);
}

/* Enough for the smallest buffer to be written, or to start again at its beginning. */
void soak_op_many_locks(struct soak_actor *actor)
{
    errno = 78;
    soak_calls(2000 + (unsigned)soak_draw(actor, 18000));
    soak_note(actor, errno);
}

static int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};

void soak_op_mutex_types(struct soak_actor *actor)
{
    pthread_mutexattr_t how;
    pthread_mutex_t mutex;
    const struct timespec past = {1, 0};
    int type = types[soak_draw(actor, 3)];
    pthread_mutexattr_init(&how);
    pthread_mutexattr_settype(&how, type);
    if (soak_draw(actor, 2))
        pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
    soak_note(actor, pthread_mutex_init(&mutex, &how));
    soak_note(actor, pthread_mutex_lock(&mutex));
    soak_note(actor, pthread_mutex_trylock(&mutex));
    soak_note(actor, pthread_mutex_timedlock(&mutex, &past));
    if (type != PTHREAD_MUTEX_NORMAL)
        soak_note(actor, pthread_mutex_lock(&mutex));
    for (int i = 0; i < 4; i++)
        soak_note(actor, type == PTHREAD_MUTEX_NORMAL && i ? 0 : pthread_mutex_unlock(&mutex));
    soak_note(actor, pthread_mutex_destroy(&mutex));
}

void soak_op_rwlock(struct soak_actor *actor)
{
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    for (uint64_t i = soak_draw(actor, 30); i > 0; i--) {
        soak_note(actor, i % 3 ? pthread_rwlock_rdlock(&lock) : pthread_rwlock_wrlock(&lock));
        soak_note(actor, pthread_rwlock_trywrlock(&lock));
        pthread_rwlock_unlock(&lock);
    }
}

void soak_op_semaphore(struct soak_actor *actor)
{
    sem_t sem;
    int value = -1;
    sem_init(&sem, 0, (unsigned)soak_draw(actor, 3));
    for (int i = 0; i < 4; i++) {
        errno = 0;
        soak_note(actor, sem_trywait(&sem));
        soak_note(actor, errno);
    }
    sem_post(&sem);
    soak_note(actor, sem_wait(&sem));
    sem_getvalue(&sem, &value);
    soak_note(actor, value);
    sem_destroy(&sem);
}

void soak_op_condition(struct soak_actor *actor)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    const struct timespec past = {1, 0};
    pthread_mutex_lock(&mutex);
    soak_note(actor, pthread_cond_timedwait(&cond, &mutex, &past));
    soak_note(actor, pthread_cond_broadcast(&cond));
    soak_note(actor, pthread_mutex_unlock(&mutex));
    soak_note(actor, pthread_cond_destroy(&cond));
}

void soak_op_spin(struct soak_actor *actor)
{
    pthread_spinlock_t lock;
    soak_note(actor, pthread_spin_init(&lock, 0));
    soak_note(actor, pthread_spin_lock(&lock));
    soak_note(actor, pthread_spin_trylock(&lock));
    soak_note(actor, pthread_spin_unlock(&lock));
}

struct pair {
    pthread_barrier_t barrier;
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    sem_t sem;
    unsigned n, turn;
};

/* Two threads take turns by a condition, meet at a barrier, and post to each other. */
static void *play(void *argument)
{
    struct pair *pair = argument;
    for (unsigned i = 0; i < pair->n; i++) {
        pthread_mutex_lock(&pair->mutex);
        while (pair->turn % 2 == 0)
            pthread_cond_wait(&pair->cond, &pair->mutex);
        pair->turn++;
        pthread_cond_signal(&pair->cond);
        pthread_mutex_unlock(&pair->mutex);
        sem_wait(&pair->sem);
    }
    pthread_barrier_wait(&pair->barrier);
    return NULL;
}

static void play_along(struct pair *pair)
{
    for (unsigned i = 0; i < pair->n; i++) {
        pthread_mutex_lock(&pair->mutex);
        while (pair->turn % 2 == 1)
            pthread_cond_wait(&pair->cond, &pair->mutex);
        pair->turn++;
        pthread_cond_signal(&pair->cond);
        pthread_mutex_unlock(&pair->mutex);
        sem_post(&pair->sem);
    }
    pthread_barrier_wait(&pair->barrier);
}

void soak_op_pair(struct soak_actor *actor)
{
    struct pair pair = {.mutex = PTHREAD_MUTEX_INITIALIZER,
                        .cond = PTHREAD_COND_INITIALIZER,
                        .n = 1 + (unsigned)soak_draw(actor, 10)};
    pthread_t thread;
    pthread_barrier_init(&pair.barrier, NULL, 2);
    sem_init(&pair.sem, 0, 0);
    pthread_create(&thread, NULL, play, &pair);
    play_along(&pair);
    soak_note(actor, pthread_join(thread, NULL));
    soak_note(actor, pair.turn);
    pthread_barrier_destroy(&pair.barrier);
}

static __thread jmp_buf out_of_once;
static pthread_mutex_t once_mutex = PTHREAD_MUTEX_INITIALIZER;

static void once(void)
{
    soak_calls(3);
}

static void once_jumps(void)
{
    soak_calls(3);
    longjmp(out_of_once, 1);
}

void soak_op_once(struct soak_actor *actor)
{
    pthread_once_t control = PTHREAD_ONCE_INIT, other = PTHREAD_ONCE_INIT;
    soak_note(actor, pthread_once(&control, once));
    soak_note(actor, pthread_once(&control, once));
    if (setjmp(out_of_once) == 0)
        pthread_once(&other, once_jumps);
    pthread_mutex_lock(&once_mutex);
    soak_note(actor, pthread_mutex_unlock(&once_mutex));
}

/* Where stacks are recorded, libunwind has one of the process's 1024 (docs/sampling.md). */
static int keys_of_tools;

__attribute__((constructor)) static void count_tools(void)
{
    keys_of_tools = getenv("SPUR_UNWIND") || getenv("SPUR_SAMPLE");
}

void soak_op_keys(struct soak_actor *actor)
{
    static pthread_key_t keys[2000];
    int n = 0;
    while (n < 2000 && pthread_key_create(&keys[n], NULL) == 0)
        n++;
    soak_note(actor, n >= PTHREAD_KEYS_MAX - keys_of_tools);
    soak_calls(2);
    while (n > 0)
        pthread_key_delete(keys[--n]);
}
