/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What every function returns, where it succeeds and where it fails: one line per call, to be
 * compared with those of the untraced program.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define SHOW(call)                                                                                 \
    do {                                                                                           \
        errno = 77;                                                                                \
        int ret = (call);                                                                          \
        printf("%-60s %d %d\n", #call, ret, errno);                                                \
    } while (0)

/* The same, and unlock what was locked. */
#define SHOW_LOCK(call)                                                                            \
    do {                                                                                           \
        int is_locked;                                                                             \
        SHOW(is_locked = (call));                                                                  \
        if (is_locked == 0)                                                                        \
            SHOW(pthread_mutex_unlock(&mutex));                                                    \
    } while (0)

static const struct timespec past = {1, 0};
static const struct timespec wrong = {1, -1};

static struct timespec soon(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_sec += 100;
    return t;
}

/* ---- mutexes of all types, free, held by this thread, and held by another ---- */

static pthread_mutex_t mutex;

static void *tries(void *unused)
{
    SHOW(pthread_mutex_trylock(&mutex));
    SHOW(pthread_mutex_timedlock(&mutex, &past));
    SHOW(pthread_mutex_timedlock(&mutex, &wrong));
    SHOW(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past));
    SHOW(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &wrong));
    SHOW(pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &past));
    return unused;
}

static void in_thread(void *(*start)(void *), void *arg)
{
    pthread_t thread;
    pthread_create(&thread, NULL, start, arg);
    pthread_join(thread, NULL);
}

static void use_mutex(int type, int protocol, int robust)
{
    pthread_mutexattr_t attr;
    struct timespec real = soon(CLOCK_REALTIME);
    struct timespec monotonic = soon(CLOCK_MONOTONIC);
    printf("mutex of type %d, protocol %d, robust %d\n", type, protocol, robust);
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, type);
    pthread_mutexattr_setprotocol(&attr, protocol);
    pthread_mutexattr_setrobust(&attr, robust);
    SHOW(pthread_mutex_init(&mutex, &attr));
    if (type != PTHREAD_MUTEX_NORMAL && type != PTHREAD_MUTEX_ADAPTIVE_NP)
        SHOW(pthread_mutex_unlock(&mutex));
    SHOW_LOCK(pthread_mutex_timedlock(&mutex, &real));
    SHOW_LOCK(pthread_mutex_timedlock(&mutex, &wrong));
    SHOW_LOCK(pthread_mutex_timedlock(&mutex, &past));
    SHOW_LOCK(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &monotonic));
    SHOW_LOCK(pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &real));
    SHOW(pthread_mutex_lock(&mutex));
    SHOW(pthread_mutex_trylock(&mutex));
    if (type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK) {
        SHOW(pthread_mutex_lock(&mutex));
        SHOW(pthread_mutex_timedlock(&mutex, &real));
    }
    in_thread(tries, NULL);
    for (int i = 0; i < (type == PTHREAD_MUTEX_RECURSIVE ? 4 : 1); i++)
        SHOW(pthread_mutex_unlock(&mutex));
    SHOW(pthread_mutex_consistent(&mutex));
    int old = 0;
    SHOW(pthread_mutex_setprioceiling(&mutex, 1, &old));
    SHOW(pthread_mutex_destroy(&mutex));
}

static void *dies_with_it(void *unused)
{
    SHOW(pthread_mutex_lock(&mutex));
    return unused;
}

static void robust(int repaired)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    SHOW(pthread_mutex_init(&mutex, &attr));
    in_thread(dies_with_it, NULL);
    SHOW(pthread_mutex_trylock(&mutex));
    if (repaired)
        SHOW(pthread_mutex_consistent(&mutex));
    SHOW(pthread_mutex_unlock(&mutex));
    SHOW(pthread_mutex_lock(&mutex));
    if (repaired) {
        SHOW(pthread_mutex_unlock(&mutex));
        in_thread(dies_with_it, NULL);
        SHOW(pthread_mutex_timedlock(&mutex, &past));
        SHOW(pthread_mutex_consistent(&mutex));
        SHOW(pthread_mutex_unlock(&mutex));
    }
    SHOW(pthread_mutex_destroy(&mutex));
}

/* ---- other locks ---- */

static pthread_rwlock_t rwlock;

static void *tries_rwlock(void *unused)
{
    int clock = CLOCK_MONOTONIC;
    SHOW(pthread_rwlock_tryrdlock(&rwlock));
    SHOW(pthread_rwlock_trywrlock(&rwlock));
    SHOW(pthread_rwlock_timedwrlock(&rwlock, &past));
    SHOW(pthread_rwlock_timedwrlock(&rwlock, &wrong));
    SHOW(pthread_rwlock_clockwrlock(&rwlock, clock, &past));
    SHOW(pthread_rwlock_clockwrlock(&rwlock, 77, &past));
    return unused;
}

static void rwlocks(void)
{
    struct timespec real = soon(CLOCK_REALTIME);
    struct timespec monotonic = soon(CLOCK_MONOTONIC);
    SHOW(pthread_rwlock_init(&rwlock, NULL));
    SHOW(pthread_rwlock_rdlock(&rwlock));
    SHOW(pthread_rwlock_timedrdlock(&rwlock, &real));
    SHOW(pthread_rwlock_timedrdlock(&rwlock, &wrong));
    SHOW(pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &monotonic));
    SHOW(pthread_rwlock_clockrdlock(&rwlock, 77, &real));
    SHOW(pthread_rwlock_trywrlock(&rwlock));
    SHOW(pthread_rwlock_unlock(&rwlock));
    SHOW(pthread_rwlock_unlock(&rwlock));
    SHOW(pthread_rwlock_unlock(&rwlock));
    SHOW(pthread_rwlock_wrlock(&rwlock));
    SHOW(pthread_rwlock_rdlock(&rwlock));
    SHOW(pthread_rwlock_wrlock(&rwlock));
    SHOW(pthread_rwlock_timedrdlock(&rwlock, &real));
    in_thread(tries_rwlock, NULL);
    SHOW(pthread_rwlock_unlock(&rwlock));
    SHOW(pthread_rwlock_timedwrlock(&rwlock, &real));
    SHOW(pthread_rwlock_unlock(&rwlock));
    SHOW(pthread_rwlock_clockwrlock(&rwlock, CLOCK_REALTIME, &real));
    SHOW(pthread_rwlock_unlock(&rwlock));
    SHOW(pthread_rwlock_destroy(&rwlock));
}

static void spins_and_barriers(void)
{
    pthread_spinlock_t spin;
    pthread_barrier_t barrier;
    SHOW(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE));
    SHOW(pthread_spin_lock(&spin));
    SHOW(pthread_spin_trylock(&spin));
    SHOW(pthread_spin_unlock(&spin));
    SHOW(pthread_spin_trylock(&spin));
    SHOW(pthread_spin_unlock(&spin));
    SHOW(pthread_spin_destroy(&spin));
    SHOW(pthread_barrier_init(&barrier, NULL, 0));
    SHOW(pthread_barrier_init(&barrier, NULL, 1));
    SHOW(pthread_barrier_wait(&barrier));
    SHOW(pthread_barrier_destroy(&barrier));
}

static void conditions(void)
{
    pthread_cond_t cond;
    cnd_t cnd;
    mtx_t mtx;
    SHOW(pthread_cond_init(&cond, NULL));
    SHOW(pthread_mutex_init(&mutex, NULL));
    SHOW(pthread_mutex_lock(&mutex));
    SHOW(pthread_cond_timedwait(&cond, &mutex, &past));
    SHOW(pthread_cond_timedwait(&cond, &mutex, &wrong));
    SHOW(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &past));
    SHOW(pthread_cond_clockwait(&cond, &mutex, 77, &past));
    SHOW(pthread_cond_signal(&cond));
    SHOW(pthread_cond_broadcast(&cond));
    SHOW(pthread_mutex_unlock(&mutex));
    SHOW(pthread_cond_destroy(&cond));
    SHOW(cnd_init(&cnd));
    SHOW(mtx_init(&mtx, mtx_timed | mtx_recursive));
    SHOW(mtx_lock(&mtx));
    SHOW(mtx_trylock(&mtx));
    SHOW(mtx_timedlock(&mtx, &past));
    SHOW(cnd_signal(&cnd));
    SHOW(cnd_broadcast(&cnd));
    SHOW(mtx_unlock(&mtx));
    SHOW(mtx_unlock(&mtx));
    SHOW(cnd_timedwait(&cnd, &mtx, &past));
    SHOW(mtx_unlock(&mtx));
    SHOW(mtx_unlock(&mtx));
    mtx_destroy(&mtx);
    SHOW(mtx_init(&mtx, mtx_plain));
    SHOW(mtx_lock(&mtx));
    SHOW(mtx_trylock(&mtx));
    SHOW(mtx_unlock(&mtx));
    mtx_destroy(&mtx);
    cnd_destroy(&cnd);
    SHOW(mtx_init(&mtx, 77));
}

/* ---- semaphores ---- */

static void semaphores(void)
{
    sem_t sem;
    char name[64];
    struct timespec real = soon(CLOCK_REALTIME);
    SHOW(sem_init(&sem, 0, ~0u));
    SHOW(sem_init(&sem, 0, 2));
    SHOW(sem_wait(&sem));
    SHOW(sem_timedwait(&sem, &wrong));
    SHOW(sem_timedwait(&sem, &real));
    SHOW(sem_trywait(&sem));
    SHOW(sem_timedwait(&sem, &past));
    SHOW(sem_timedwait(&sem, &wrong));
    SHOW(sem_clockwait(&sem, CLOCK_MONOTONIC, &past));
    SHOW(sem_clockwait(&sem, 77, &past));
    SHOW(sem_post(&sem));
    SHOW(sem_clockwait(&sem, CLOCK_REALTIME, &real));
    SHOW(sem_destroy(&sem));
    SHOW(sem_unlink("/spur-there-is-none"));
    snprintf(name, sizeof name, "/spur-thread-codes-%d", (int)getpid());
    SHOW(sem_open("/spur-there-is-none", 0) == SEM_FAILED);
    sem_t *named = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
    printf("opened %d\n", named != SEM_FAILED);
    if (named == SEM_FAILED)
        return;
    SHOW(sem_wait(named));
    SHOW(sem_trywait(named));
    SHOW(sem_open(name, 0) == named);
    SHOW(sem_post(named));
    SHOW(sem_close(named));
    SHOW(sem_close(named));
    errno = 0;
    printf("unlinked %d\n", sem_unlink(name));
}

/* ---- threads ---- */

static sem_t go;
static thrd_t c11_thread;

static void *waits(void *arg)
{
    sem_wait(&go);
    return arg;
}

static int c11_waits(void *arg)
{
    sem_wait(&go);
    return *(int *)arg;
}

static void runs_once(void)
{
    printf("once\n");
}

static void threads(void)
{
    pthread_t thread;
    int value = 5;
    int got = 0;
    pthread_once_t control = PTHREAD_ONCE_INIT;
    once_flag flag = ONCE_FLAG_INIT;
    sem_init(&go, 0, 0);
    SHOW(pthread_create(&thread, NULL, waits, NULL));
    SHOW(pthread_tryjoin_np(thread, NULL));
    SHOW(pthread_timedjoin_np(thread, NULL, &past));
    SHOW(pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &past));
    SHOW(pthread_clockjoin_np(thread, NULL, 77, &past));
    SHOW(pthread_setname_np(thread, "far too long for a name"));
    SHOW(pthread_setname_np(thread, "short"));
    sem_post(&go);
    SHOW(pthread_join(thread, NULL));
    SHOW(pthread_join(pthread_self(), NULL));
    SHOW(thrd_create(&c11_thread, c11_waits, &value));
    sem_post(&go);
    SHOW(thrd_join(c11_thread, &got));
    printf("got %d\n", got);
    SHOW(pthread_create(&thread, NULL, waits, NULL));
    SHOW(pthread_detach(thread));
    SHOW(pthread_detach(thread));
    SHOW(pthread_join(thread, NULL));
    sem_post(&go);
    SHOW(pthread_once(&control, runs_once));
    SHOW(pthread_once(&control, runs_once));
    call_once(&flag, runs_once);
    call_once(&flag, runs_once);
    int old;
    SHOW(pthread_setcanceltype(77, &old));
    SHOW(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old));
    SHOW(pthread_mutex_init(&mutex, NULL));
    SHOW(pthread_mutex_lock(&mutex)); /* as nobody should */
    SHOW(pthread_mutex_unlock(&mutex));
    SHOW(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
    SHOW(old == PTHREAD_CANCEL_ASYNCHRONOUS);
}

/* ---- what waits ---- */

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static void *waits_for_lock(void *unused)
{
    pthread_barrier_wait(&both);
    SHOW(pthread_mutex_lock(&held));
    SHOW(pthread_mutex_unlock(&held));
    return unused;
}

static void waiting(void)
{
    pthread_t thread;
    pthread_barrier_init(&both, NULL, 2);
    pthread_mutex_lock(&held);
    pthread_create(&thread, NULL, waits_for_lock, NULL);
    pthread_barrier_wait(&both);
    usleep(100000);
    pthread_mutex_unlock(&held);
    pthread_join(thread, NULL);
}

int main(void)
{
    static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
                                PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP};
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    for (int i = 0; i < 4; i++)
        for (int protocol = PTHREAD_PRIO_NONE; protocol <= PTHREAD_PRIO_INHERIT; protocol++)
            for (int is_robust = 0; is_robust < 2; is_robust++)
                use_mutex(types[i], protocol, is_robust);
    robust(0);
    robust(1);
    rwlocks();
    spins_and_barriers();
    conditions();
    semaphores();
    threads();
    waiting();
    return 0;
}
