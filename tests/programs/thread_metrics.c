/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Known use of threads: each thread touches PAGES pages, spins for SPIN_NS of its CPU time, and
 * waits HANDSHAKES times for another thread. Before and after each step the thread makes a traced
 * call, pthread_mutex_trylock(), and prints getrusage(2) right before and right after the call:
 * "sample THREAD STEP minflt majflt nvcsw nivcsw utime stime cputime clock", times in microseconds
 * but for the last two, in nanoseconds: the thread's CPU time, and the task clock of
 * perf_event_open(2), without the kernel's time of a change of threads. Then a child of fork() does
 * the same.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 2
#define STEPS 4
#define PAGES 600
#define SPIN_NS 60000000u
#define HANDSHAKES 25
#define NAP_NS 300000

struct sample {
    struct rusage usage;
    uint64_t cpu_ns, clock_ns;
};

static struct sample samples[THREADS][STEPS][2];
static pthread_mutex_t mutexes[THREADS];
static sem_t asked[THREADS], answered[THREADS];

static uint64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static _Thread_local int clock_of_thread;

static void open_clock(void)
{
    struct perf_event_attr clock = {.type = PERF_TYPE_SOFTWARE,
                                    .size = sizeof clock,
                                    .config = PERF_COUNT_SW_TASK_CLOCK};
    clock_of_thread = (int)syscall(SYS_perf_event_open, &clock, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* By unrecorded system calls. */
static uint64_t clock_ns(void)
{
    uint64_t ns = 0;
    if (syscall(SYS_read, clock_of_thread, &ns, sizeof ns) != sizeof ns)
        abort();
    return ns;
}

static void sample(struct sample *to)
{
    getrusage(RUSAGE_THREAD, &to->usage);
    to->cpu_ns = cpu_ns();
    to->clock_ns = clock_ns();
}

static void mark(int thread, int step)
{
    sample(&samples[thread][step][0]);
    if (pthread_mutex_trylock(&mutexes[thread]) != 0)
        abort();
    sample(&samples[thread][step][1]);
}

static void touch(void)
{
    long bytes = sysconf(_SC_PAGESIZE);
    size_t size = (size_t)bytes * PAGES;
    volatile char *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    madvise((void *)memory, size, MADV_NOHUGEPAGE);
    for (int i = 0; i < PAGES; i++)
        memory[(size_t)i * (size_t)bytes] = 1;
}

static void spin(void)
{
    uint64_t end = cpu_ns() + SPIN_NS;
    while (cpu_ns() < end)
        ;
}

/* The answering side takes its time, so that the asking thread has to wait. */
static void *answer(void *argument)
{
    const int thread = *(const int *)argument;
    const struct timespec nap = {0, NAP_NS};
    for (int i = 0; i < HANDSHAKES; i++) {
        sem_wait(&asked[thread]);
        nanosleep(&nap, NULL);
        sem_post(&answered[thread]);
    }
    return NULL;
}

static void *work(void *argument)
{
    const int thread = *(const int *)argument;
    pthread_t other;
    open_clock();
    sem_init(&asked[thread], 0, 0);
    sem_init(&answered[thread], 0, 0);
    pthread_create(&other, NULL, answer, argument);
    for (int step = 0; step < STEPS; step++) {
        mark(thread, step);
        pthread_mutex_unlock(&mutexes[thread]);
        if (step == 0)
            touch();
        if (step == 1)
            spin();
        for (int i = 0; step == 2 && i < HANDSHAKES; i++) {
            sem_post(&asked[thread]);
            sem_wait(&answered[thread]);
        }
    }
    pthread_join(other, NULL);
    return NULL;
}

static long microseconds(const struct timeval *time)
{
    return time->tv_sec * 1000000 + time->tv_usec;
}

static void print(const char *who)
{
    for (int thread = 0; thread < THREADS; thread++)
        for (int step = 0; step < STEPS; step++)
            for (int i = 0; i < 2; i++) {
                const struct sample *s = &samples[thread][step][i];
                printf("%s %d %d %ld %ld %ld %ld %ld %ld %llu %llu\n", who, thread, step,
                       s->usage.ru_minflt, s->usage.ru_majflt, s->usage.ru_nvcsw,
                       s->usage.ru_nivcsw, microseconds(&s->usage.ru_utime),
                       microseconds(&s->usage.ru_stime), (unsigned long long)s->cpu_ns,
                       (unsigned long long)s->clock_ns);
            }
}

/* Thread 0 is the main thread. */
static void run(const char *who)
{
    int number[THREADS];
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        pthread_mutex_init(&mutexes[i], NULL);
    }
    for (int i = 1; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, &number[i]);
    work(&number[0]);
    for (int i = 1; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    print(who);
    fflush(stdout);
}

int main(void)
{
    run("parent");
    pid_t child = fork();
    if (child == 0) {
        run("child");
        return 0;
    }
    int status;
    waitpid(child, &status, 0);
    return status != 0;
}
