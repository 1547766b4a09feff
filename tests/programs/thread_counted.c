/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread_counted SEED THREADS STEPS: threads that take locks, semaphores and conditions at random,
 * and count their actions; then a child of fork() does the same. Each process says "PID NAME
 * ACQUISITIONS SIGNALS". thread_counted wait: a lock without earlier waits, held by `keeper` while
 * the main thread waits for the lock: "line N", and the ns of holding, at least and at most.
 * thread_counted circle: two locks without earlier waits, each taken by a thread that then wants
 * the second lock too. thread_counted killed: a lock taken 5,000 times, and SIGKILL. thread_counted
 * readers: locks read by two threads when a third call finds the locks busy, and released by both
 * threads at once.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "truth.h"

enum { MUTEX, RECURSIVE, SPIN, RWLOCK, SEMAPHORE, CONDITION, OBJECTS };
enum { THREADS = 16, CALM = 300, HELD_US = 200000, READERS = 2 };

static pthread_mutex_t plain_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive_mutex;
static pthread_spinlock_t spin_lock;
static pthread_rwlock_t rw_lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static const char *const names[OBJECTS] = {"plain_mutex", "recursive_mutex", "spin_lock",
                                           "rw_lock",     "semaphore",       "condition"};

struct worker {
    unsigned seed;
    int steps;
    long acquired[OBJECTS], signals[OBJECTS];
};

static unsigned draw(struct worker *w, unsigned n)
{
    w->seed = w->seed * 1103515245u + 12345u;
    return (w->seed >> 16) % n;
}

static void take_mutex(struct worker *w, pthread_mutex_t *mutex, int object)
{
    if (draw(w, 3) == 0) {
        if (pthread_mutex_trylock(mutex) != 0)
            return;
    } else {
        pthread_mutex_lock(mutex);
    }
    w->acquired[object]++;
    if (object == RECURSIVE && draw(w, 2)) {
        pthread_mutex_lock(mutex);
        w->acquired[object]++;
        pthread_mutex_unlock(mutex);
    }
    if (draw(w, 400) == 0)
        usleep(100);
    pthread_mutex_unlock(mutex);
}

static void take_rwlock(struct worker *w)
{
    if (draw(w, 4))
        pthread_rwlock_rdlock(&rw_lock);
    else
        pthread_rwlock_wrlock(&rw_lock);
    w->acquired[RWLOCK]++;
    pthread_rwlock_unlock(&rw_lock);
}

static void wait_a_little(struct worker *w)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    pthread_mutex_lock(&plain_mutex);
    pthread_cond_timedwait(&condition, &plain_mutex, &until);
    pthread_mutex_unlock(&plain_mutex);
    w->acquired[MUTEX] += 2; /* the wait takes the mutex again */
}

static void take_semaphore(struct worker *w)
{
    if (draw(w, 3) == 0) {
        if (sem_trywait(&semaphore) != 0)
            return;
    } else {
        sem_wait(&semaphore);
    }
    w->acquired[SEMAPHORE]++;
    sem_post(&semaphore);
    w->signals[SEMAPHORE]++;
}

static void step(struct worker *w)
{
    unsigned what = draw(w, 600);
    if (what < 200) {
        take_mutex(w, &plain_mutex, MUTEX);
    } else if (what < 300) {
        take_mutex(w, &recursive_mutex, RECURSIVE);
    } else if (what < 400) {
        pthread_spin_lock(&spin_lock);
        w->acquired[SPIN]++;
        pthread_spin_unlock(&spin_lock);
    } else if (what < 500) {
        take_rwlock(w);
    } else if (what < 550) {
        take_semaphore(w);
    } else if (what < 599) {
        pthread_cond_signal(&condition);
        w->signals[CONDITION]++;
    } else {
        wait_a_little(w);
    }
}

static void *work(void *of)
{
    struct worker *w = of;
    for (int i = 0; i < w->steps; i++)
        step(w);
    return NULL;
}

static void run(unsigned seed, int n, int steps)
{
    struct worker workers[THREADS] = {0};
    pthread_t thread[THREADS];
    for (int i = 0; i < n; i++)
        workers[i] = (struct worker){.seed = seed * 31u + (unsigned)i, .steps = steps};
    for (int i = 1; i < n; i++)
        if (pthread_create(&thread[i], NULL, work, &workers[i]) != 0)
            abort();
    work(&workers[0]);
    for (int i = 1; i < n; i++)
        pthread_join(thread[i], NULL);
    for (int o = 0; o < OBJECTS; o++) {
        long acquired = 0, signals = 0;
        for (int i = 0; i < n; i++) {
            acquired += workers[i].acquired[o];
            signals += workers[i].signals[o];
        }
        printf("%d %s %ld %ld\n", (int)getpid(), names[o], acquired, signals);
    }
    fflush(stdout);
}

static void draw_all(unsigned seed, int n, int steps)
{
    run(seed, n, steps);
    pid_t child = fork();
    if (child == 0) {
        run(seed + 1, n, steps);
        exit(0);
    }
    waitpid(child, NULL, 0);
}

/* ---- a single lock, and two locks ---- */

static pthread_mutex_t other_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

static void calm(pthread_mutex_t *mutex)
{
    for (int i = 0; i < CALM; i++) {
        pthread_mutex_lock(mutex);
        pthread_mutex_unlock(mutex);
    }
}

static void *keep(void *unused)
{
    pthread_setname_np(pthread_self(), "keeper");
    int64_t before = truth_wall();
    printf("line %d\n", __LINE__ + 1);
    pthread_mutex_lock(&plain_mutex);
    int64_t begin = truth_wall();
    usleep(HELD_US / 2);
    pthread_barrier_wait(&barrier);
    usleep(HELD_US);
    int64_t end = truth_wall();
    pthread_mutex_unlock(&plain_mutex);
    truth_tell("least", end - begin);
    truth_tell("most", truth_wall() - before);
    return unused;
}

static void wait_once(void)
{
    pthread_t thread;
    calm(&plain_mutex);
    if (pthread_create(&thread, NULL, keep, NULL) != 0)
        abort();
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&plain_mutex);
    pthread_mutex_unlock(&plain_mutex);
    pthread_join(thread, NULL);
}

static void *take_both(void *unused)
{
    pthread_setname_np(pthread_self(), "second");
    calm(&other_mutex);
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&other_mutex);
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&plain_mutex);
    return unused;
}

static void circle(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, take_both, NULL) != 0)
        abort();
    calm(&plain_mutex);
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&plain_mutex);
    printf("%d\n", (int)getpid());
    fflush(stdout);
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&other_mutex);
}

static void be_killed(void)
{
    enum { TIMES = 5000 };
    for (int i = 0; i < TIMES; i++) {
        pthread_mutex_lock(&plain_mutex);
        pthread_mutex_unlock(&plain_mutex);
    }
    raise(SIGKILL);
}

enum { ROUNDS = 5000, BUSY = 10000 };
static pthread_rwlock_t read_locks[ROUNDS];
static atomic_int arrived, is_asleep;

/*
 * Both threads go on at once, if each has a processor. A thread that waits for a processor of a
 * busy machine is not waited for by spinning.
 */
static void meet(int times)
{
    int seen = atomic_fetch_add(&arrived, 1) + 1;
    for (int i = 0; seen < 2 * times; i++, seen = atomic_load(&arrived)) {
        if (i < 1000)
            continue;
        atomic_store(&is_asleep, 1);
        syscall(SYS_futex, &arrived, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    }
    if (atomic_exchange(&is_asleep, 0))
        syscall(SYS_futex, &arrived, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *read_all(void *unused)
{
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < BUSY; i++) {
        pthread_mutex_lock(&own);
        pthread_mutex_unlock(&own);
    }
    for (int i = 0; i < ROUNDS; i++) {
        pthread_rwlock_rdlock(&read_locks[i]);
        meet(2 * i + 1);
        if (pthread_rwlock_trywrlock(&read_locks[i]) == 0)
            abort();
        meet(2 * i + 2);
        pthread_rwlock_unlock(&read_locks[i]);
    }
    return unused;
}

static void read_together(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, read_all, NULL) != 0)
        abort();
    read_all(NULL);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive_mutex, &recursive);
    pthread_spin_init(&spin_lock, PTHREAD_PROCESS_PRIVATE);
    sem_init(&semaphore, 0, READERS);
    pthread_barrier_init(&barrier, NULL, 2);
    if (argc > 3)
        draw_all((unsigned)atoi(argv[1]), atoi(argv[2]), atoi(argv[3]));
    else if (argc > 1 && strcmp(argv[1], "wait") == 0)
        wait_once();
    else if (argc > 1 && strcmp(argv[1], "killed") == 0)
        be_killed();
    else if (argc > 1 && strcmp(argv[1], "readers") == 0)
        read_together();
    else if (argc > 1)
        circle();
    return 0;
}
