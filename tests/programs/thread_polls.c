/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `thread_polls ROUNDS MICROSECONDS`: with each function for polling, a thread waits that long for
 * another thread. Prints the function, the number of calls, and the ns of polling.
 *
 * `thread_polls SEED`: polls without success and with success, in rows of random length; between
 * the rows locks, signals, forks and pauses of recording. Prints the number of calls of each
 * function while recording was on, by the process and its children.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spur/spur.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define MUST(is_so)                                                                                \
    do {                                                                                           \
        if (!(is_so))                                                                              \
            abort();                                                                               \
    } while (0)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static mtx_t mtx;
static sem_t sem;
static int ends[2], queue;

/* ---- objects held by the main thread until the poll succeeds ---- */

static void hold(void)
{
    pthread_mutex_lock(&mutex);
    mtx_lock(&mtx);
    pthread_spin_lock(&spin);
    pthread_rwlock_wrlock(&rwlock);
}

static void take_mutex(void)
{
    pthread_mutex_lock(&mutex);
}
static void give_mutex(void)
{
    pthread_mutex_unlock(&mutex);
}
static void take_mtx(void)
{
    mtx_lock(&mtx);
}
static void give_mtx(void)
{
    mtx_unlock(&mtx);
}
static void take_spin(void)
{
    pthread_spin_lock(&spin);
}
static void give_spin(void)
{
    pthread_spin_unlock(&spin);
}
static void take_rwlock(void)
{
    pthread_rwlock_wrlock(&rwlock);
}
static void give_rwlock(void)
{
    pthread_rwlock_unlock(&rwlock);
}
static void give_sem(void)
{
    sem_post(&sem);
}
static void nothing(void)
{
}
static void give_byte(void)
{
    MUST(write(ends[1], "", 1) == 1);
}
static void take_byte(void)
{
    char byte;
    MUST(read(ends[0], &byte, 1) == 1);
}

/* ---- the polls: whether a poll has succeeded ---- */

static void make_pipe(void)
{
    struct epoll_event event = {.events = EPOLLIN};
    queue = epoll_create1(0);
    MUST(pipe(ends) == 0 && epoll_ctl(queue, EPOLL_CTL_ADD, ends[0], &event) == 0);
}

static const struct timespec no_time;

static bool try_mutex(void)
{
    return pthread_mutex_trylock(&mutex) == 0;
}
static bool try_other(void)
{
    return pthread_mutex_trylock(&other) == 0;
}
static bool try_mtx(void)
{
    return mtx_trylock(&mtx) == thrd_success;
}
static bool try_spin(void)
{
    return pthread_spin_trylock(&spin) == 0;
}
static bool try_read(void)
{
    return pthread_rwlock_tryrdlock(&rwlock) == 0;
}
static bool try_write(void)
{
    return pthread_rwlock_trywrlock(&rwlock) == 0;
}
static bool try_sem(void)
{
    errno = 0;
    if (sem_trywait(&sem) == 0)
        return true;
    MUST(errno == EAGAIN);
    return false;
}
static bool try_poll(void)
{
    struct pollfd one = {.fd = ends[0], .events = POLLIN};
    return poll(&one, 1, 0) == 1;
}
static bool try_ppoll(void)
{
    struct pollfd one = {.fd = ends[0], .events = POLLIN};
    return ppoll(&one, 1, &no_time, NULL) == 1;
}
static bool try_select(void)
{
    fd_set set;
    struct timeval none = {0};
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    return select(ends[0] + 1, &set, NULL, NULL, &none) == 1;
}
static bool try_pselect(void)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    return pselect(ends[0] + 1, &set, NULL, NULL, &no_time, NULL) == 1;
}
static bool try_epoll(void)
{
    struct epoll_event event;
    return epoll_wait(queue, &event, 1, 0) == 1;
}
static bool try_epoll_p(void)
{
    struct epoll_event event;
    return epoll_pwait(queue, &event, 1, 0, NULL) == 1;
}
static bool try_epoll_2(void)
{
    struct epoll_event event;
    return epoll_pwait2(queue, &event, 1, &no_time, NULL) == 1;
}

static const struct kind {
    const char *name;
    void (*take)(void);       /* by the holder */
    bool (*ask)(void);        /* by the waiter */
    void (*give)(void);       /* by the holder */
    void (*give_again)(void); /* by the waiter */
} kinds[] = {
    {"pthread_mutex_trylock", take_mutex, try_mutex, give_mutex, give_mutex},
    {"mtx_trylock", take_mtx, try_mtx, give_mtx, give_mtx},
    {"pthread_spin_trylock", take_spin, try_spin, give_spin, give_spin},
    {"pthread_rwlock_tryrdlock", take_rwlock, try_read, give_rwlock, give_rwlock},
    {"pthread_rwlock_trywrlock", take_rwlock, try_write, give_rwlock, give_rwlock},
    {"sem_trywait", nothing, try_sem, give_sem, nothing},
    {"poll", nothing, try_poll, give_byte, take_byte},
    {"ppoll", nothing, try_ppoll, give_byte, take_byte},
    {"select", nothing, try_select, give_byte, take_byte},
    {"pselect", nothing, try_pselect, give_byte, take_byte},
    {"epoll_wait", nothing, try_epoll, give_byte, take_byte},
    {"epoll_pwait", nothing, try_epoll_p, give_byte, take_byte},
    {"epoll_pwait2", nothing, try_epoll_2, give_byte, take_byte},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* ---- a thread that waits ---- */

static _Atomic bool is_late;
static _Atomic int turn; /* 2 n: the main thread's turn; 2 n + 1: the thread's */

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void *wait_in_turn(void *rounds)
{
    int at = 1;
    for (int kind = 0; kind < KINDS; kind++) {
        long calls = 0;
        int64_t ns = 0;
        for (int round = 0; round < *(int *)rounds; round++, at += 2) {
            while (atomic_load(&turn) != at)
                usleep(100);
            int64_t begin = now_ns();
            for (calls++; !kinds[kind].ask(); calls++)
                ;
            ns += now_ns() - begin;
            kinds[kind].give_again();
            atomic_store(&turn, at + 1);
        }
        printf("%s %ld %ld\n", kinds[kind].name, calls, (long)ns);
    }
    long calls = 0;
    int64_t begin = now_ns();
    for (; !atomic_load(&is_late); calls++)
        MUST(!try_spin());
    printf("pthread_spin_trylock %ld %ld\n", calls, (long)(now_ns() - begin));
    return NULL;
}

/* The last time the thread waits in vain. */
static void let_wait(int rounds, useconds_t late)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait_in_turn, &rounds);
    for (int at = 0; at < 2 * rounds * KINDS; at += 2) {
        const struct kind *kind = &kinds[at / 2 / rounds];
        if (at + 2 == 2 * rounds * KINDS)
            take_spin();
        kind->take();
        atomic_store(&turn, at + 1);
        usleep(late);
        kind->give();
        while (atomic_load(&turn) != at + 2)
            usleep(100);
    }
    usleep(late);
    atomic_store(&is_late, true);
    pthread_join(thread, NULL);
}

/* ---- at random ---- */

static _Atomic long *calls; /* by kind, and of pthread_mutex_lock() */
static bool is_on = true;
static pthread_mutex_t free_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t signal_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void count(int kind)
{
    if (is_on)
        atomic_fetch_add(&calls[kind], 1);
}

static void lock(pthread_mutex_t *which)
{
    count(KINDS);
    pthread_mutex_lock(which);
    pthread_mutex_unlock(which);
}

static void poll_often(int kind, int times)
{
    for (int i = 0; i < times; i++) {
        count(kind);
        MUST(!kinds[kind].ask());
    }
}

static volatile int in_handler; /* the task of a signal */

static void on_signal(int number)
{
    (void)number;
    if (in_handler < 0)
        lock(&signal_mutex);
    else
        poll_often(in_handler, 70);
}

/* At any instruction; whether the call is recorded depends on the place of interruption. */
static void on_timer(int number)
{
    (void)number;
    pthread_cond_signal(&cond);
}

static void succeed(int kind)
{
    if (kinds[kind].give_again == take_byte || kinds[kind].ask == try_sem) {
        kinds[kind].give();
        count(kind);
        MUST(kinds[kind].ask());
        kinds[kind].give_again();
    } else {
        count(0);
        MUST(try_other());
        pthread_mutex_unlock(&other);
    }
}

static int drawn(unsigned *seed, int n)
{
    return (int)((unsigned)rand_r(seed) / 7 % (unsigned)n);
}

static void act(unsigned *seed, int depth);

static void fork_here(unsigned *seed, int kind)
{
    fflush(stdout);
    pid_t child = fork();
    MUST(child >= 0);
    if (child) {
        poll_often(kind, drawn(seed, 100));
        return;
    }
    make_pipe(); /* the old pipe is the parent's, too */
    poll_often(kind, drawn(seed, 200));
    for (int i = 0; i < 5; i++)
        act(seed, 1);
    _exit(0);
}

static void act(unsigned *seed, int depth)
{
    static const int rows[] = {1, 5, 62, 63, 64, 65, 66, 130, 300};
    int kind = drawn(seed, KINDS), times = rows[drawn(seed, sizeof rows / sizeof rows[0])];
    poll_often(kind, times);
    switch (drawn(seed, 8)) {
    case 0:
        succeed(kind);
        break;
    case 1:
        lock(&free_mutex);
        break;
    case 2:
        in_handler = drawn(seed, KINDS + 1) - 1;
        raise(SIGUSR1);
        break;
    case 3:
        if (!depth)
            fork_here(seed, kind);
        break;
    case 4:
        if (is_on)
            spur_user_off();
        is_on = !is_on;
        if (is_on)
            spur_user_on();
        break;
    case 5:
        poll_often(drawn(seed, KINDS), drawn(seed, 10));
        break;
    default:
        break;
    }
    poll_often(kind, drawn(seed, 150));
}

static void *act_at_random(void *seed)
{
    const struct itimerval often = {.it_interval = {.tv_usec = 300}, .it_value = {.tv_usec = 300}};
    signal(SIGALRM, on_timer);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 60; i++)
        act(seed, 0);
    if (!is_on)
        spur_user_on();
    return NULL;
}

static void be_random(unsigned seed)
{
    pthread_t thread;
    signal(SIGUSR1, on_signal);
    calls = mmap(NULL, (KINDS + 1) * sizeof *calls, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    MUST(calls != MAP_FAILED);
    hold();
    pthread_create(&thread, NULL, act_at_random, &seed);
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, NULL);
    pthread_join(thread, NULL);
    while (wait(NULL) > 0)
        ;
    for (int kind = 0; kind < KINDS; kind++)
        printf("%s %ld\n", kinds[kind].name, calls[kind]);
    printf("pthread_mutex_lock %ld\n", calls[KINDS] + 1);
}

int main(int argc, char **argv)
{
    mtx_init(&mtx, mtx_plain);
    pthread_spin_init(&spin, 0);
    sem_init(&sem, 0, 0);
    make_pipe();
    if (argc < 2)
        return 1;
    if (argc == 3)
        let_wait(atoi(argv[1]), (useconds_t)atoi(argv[2]));
    else
        be_random((unsigned)atoi(argv[1]));
    return 0;
}
