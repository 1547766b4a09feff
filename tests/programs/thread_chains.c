/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Works for 150 ms in each of several chains of calls, and prints who is in them, the innermost
 * first. Built without frame pointers: what leads to a function is found in other ways.
 */
#include <alloca.h>
#include <pthread.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define APART __attribute__((noinline, noclone))
/* So that what stands before is no tail call. */
#define COME_BACK() __asm__ volatile("" ::: "memory")

static volatile unsigned seen;

/* It calls nobody: where it returns to may be in a register only. */
static APART unsigned mix(unsigned seed)
{
    for (int i = 0; i < 20000; i++)
        seed = seed * 1664525u + 1013904223u;
    return seed;
}

static APART int differ(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Calls of a function of the C library, which go through a stub of the linker. */
static APART unsigned find(unsigned seed)
{
    static const int numbers[] = {1, 2, 3};
    for (int i = 0; i < 1000; i++) {
        size_t n = 1 + seed % 3;
        seed += lfind(&numbers[2], numbers, &n, sizeof numbers[0], differ) != NULL;
    }
    return seed;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

typedef unsigned (*work)(unsigned);

static APART void spend(work does)
{
    for (double end = now() + 0.15; now() < end;)
        seen = does(seen);
}

static APART void inner(work does)
{
    spend(does);
    COME_BACK();
}

static APART void plain(work does)
{
    inner(does);
    COME_BACK();
}

/* The size of its frame is not known when it is compiled. */
static APART void room(size_t bytes)
{
    char *some = alloca(bytes);
    memset(some, 1, bytes);
    inner(mix);
    seen += (unsigned)some[bytes - 1];
}

static APART int compare(const void *a, const void *b)
{
    static int calls;
    if (calls++ == 3)
        inner(mix);
    return *(const int *)a - *(const int *)b;
}

static APART void sort(void)
{
    int numbers[] = {5, 2, 4, 1, 3, 9, 7, 8};
    qsort(numbers, sizeof numbers / sizeof numbers[0], sizeof numbers[0], compare);
    seen += (unsigned)numbers[0];
}

static APART void down(int depth)
{
    if (depth)
        down(depth - 1);
    else
        inner(mix);
    COME_BACK();
}

static void handle(int number)
{
    (void)number;
    inner(mix);
    COME_BACK();
}

static APART void interrupted(void)
{
    raise(SIGUSR1);
    COME_BACK();
}

static void *begin(void *unused)
{
    inner(mix);
    COME_BACK();
    return unused;
}

int main(void)
{
    pthread_t thread;
    signal(SIGUSR1, handle);
    plain(mix);
    puts("mix spend inner plain main");
    plain(find);
    puts("differ find spend inner plain main");
    room(1000 + seen % 2);
    puts("mix spend inner room main");
    sort();
    puts("mix spend inner compare sort main");
    down(3);
    puts("mix spend inner down down down down main");
    interrupted();
    puts("mix spend inner handle interrupted main");
    if (pthread_create(&thread, NULL, begin, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 1;
    puts("mix spend inner begin");
    return 0;
}
