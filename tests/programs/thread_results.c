/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that fail, or succeed in an unusual way: the values that a tracer must not touch. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "expect.h"

static sem_t go;

static void *waits(void *arg)
{
    sem_wait(&go);
    return arg;
}

static struct timespec in_ms(clockid_t clock, long ms)
{
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += ms * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static void creations(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    size_t bytes = 0;
    pthread_attr_init(&attr);
    EXPECT(pthread_attr_setstacksize(&attr, (size_t)1 << 46) == 0);
    EXPECT(pthread_create(&thread, &attr, waits, NULL) == EAGAIN);
    EXPECT(pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN) == 0);
    EXPECT(pthread_create(&thread, &attr, waits, &go) == 0);
    EXPECT(pthread_attr_getstacksize(&attr, &bytes) == 0 && bytes == (size_t)PTHREAD_STACK_MIN);
    sem_post(&go);
    EXPECT(pthread_join(thread, NULL) == 0);
}

static void joins(void)
{
    pthread_t thread;
    void *value = NULL;
    EXPECT(pthread_create(&thread, NULL, waits, &go) == 0);
    struct timespec soon = in_ms(CLOCK_REALTIME, 20);
    EXPECT(pthread_tryjoin_np(thread, &value) == EBUSY);
    EXPECT(pthread_timedjoin_np(thread, &value, &soon) == ETIMEDOUT);
    soon = in_ms(CLOCK_MONOTONIC, 20);
    EXPECT(pthread_clockjoin_np(thread, &value, CLOCK_MONOTONIC, &soon) == ETIMEDOUT);
    EXPECT(value == NULL);
    sem_post(&go);
    soon = in_ms(CLOCK_REALTIME, 10000);
    EXPECT(pthread_timedjoin_np(thread, &value, &soon) == 0);
    EXPECT(value == &go);
    EXPECT(pthread_join(pthread_self(), NULL) == EDEADLK);
}

static void locks(void)
{
    pthread_mutexattr_t attr;
    pthread_mutex_t mutex;
    pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    struct timespec past = {0, 0};
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &attr);
    EXPECT(pthread_mutex_unlock(&mutex) == EPERM);
    EXPECT(pthread_mutex_lock(&mutex) == 0);
    EXPECT(pthread_mutex_lock(&mutex) == EDEADLK);
    EXPECT(pthread_mutex_trylock(&mutex) == EBUSY);
    EXPECT(pthread_cond_timedwait(&cond, &mutex, &past) == ETIMEDOUT);
    EXPECT(pthread_mutex_unlock(&mutex) == 0);
    EXPECT(pthread_mutex_destroy(&mutex) == 0);
    EXPECT(pthread_rwlock_rdlock(&rwlock) == 0);
    EXPECT(pthread_rwlock_trywrlock(&rwlock) == EBUSY);
    EXPECT(pthread_rwlock_unlock(&rwlock) == 0);
}

static void others(void)
{
    struct timespec past = {0, 0};
    char name[16] = "";
    errno = 0;
    EXPECT(sem_trywait(&go) == -1 && errno == EAGAIN);
    EXPECT(sem_timedwait(&go, &past) == -1 && errno == ETIMEDOUT);
    errno = ENOENT;
    EXPECT(sem_post(&go) == 0 && sem_wait(&go) == 0 && errno == ENOENT);
    EXPECT(pthread_setname_np(pthread_self(), "much too long a name") == ERANGE);
    EXPECT(prctl(PR_SET_NAME, "short", 0, 0, 0) == 0);
    EXPECT(prctl(PR_GET_NAME, name, 0, 0, 0) == 0);
    errno = 0;
    EXPECT(prctl(-1, 0, 0, 0, 0) == -1 && errno == EINVAL);
    printf("%s\n", name);
}

int main(void)
{
    sem_init(&go, 0, 0);
    creations();
    joins();
    locks();
    others();
    return unexpected;
}
