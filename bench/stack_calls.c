/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A wrapped call at a depth of 10 and of 25 frames: `stack_calls ROUNDS` prints "CASE NS", ns of
 * CPU a call. hot     the same stack each time moving  the stack differs from its second frame on,
 * and each of both was seen before cold    the first one of a thread
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/least.h"

enum { SHALLOW = 10, DEEP = 25, THREADS = 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int sink;

typedef void work(long rounds);

static __attribute__((noinline)) void many(long rounds)
{
    for (long i = 0; i < rounds; i++)
        (void)pthread_mutex_trylock(&lock);
    sink++;
}

static __attribute__((noinline)) void deeper(int frames, work *then, long rounds)
{
    if (frames > 0)
        deeper(frames - 1, then, rounds);
    else
        then(rounds);
    sink++;
}

/* main() and a few more frames are there already. */
static __attribute__((noinline)) void hot(int depth, long rounds)
{
    enum { OTHERS = 5 };
    deeper(depth - OTHERS, many, rounds);
    sink++;
}

static __attribute__((noinline)) void moving(int depth, long rounds)
{
    for (long i = 0; i < rounds; i += 2) {
        hot(depth, 1);
        sink++;
        hot(depth, 1);
    }
}

struct first {
    int depth;
    long calls;
    double ns;
};

static void *in_thread(void *data)
{
    struct first *first = data;
    double start = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    hot(first->depth, first->calls);
    first->ns = cpu_ns(CLOCK_THREAD_CPUTIME_ID) - start;
    return NULL;
}

/* What a second call costs is not a thread's first. */
static double cold(int depth)
{
    double least = 1e18;
    for (int i = 0; i < THREADS; i++) {
        struct first first = {depth, 1, 0};
        pthread_t thread;
        if (pthread_create(&thread, NULL, in_thread, &first) != 0)
            return 0;
        pthread_join(thread, NULL);
        least = first.ns < least ? first.ns : least;
    }
    return least;
}

static void measure(const char *name, int depth, void (*work)(int, long), long rounds)
{
    double least = 1e18;
    for (int batch = 0; batch < BATCHES; batch++) {
        double start = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
        work(depth, rounds);
        double ns = (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - start) / (double)rounds;
        least = ns < least ? ns : least;
    }
    printf("%s-%d %.0f\n", name, depth, least);
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 10000;
    static const int depth[] = {SHALLOW, DEEP};
    for (int i = 0; i < 2; i++) {
        measure("hot", depth[i], hot, rounds);
        measure("moving", depth[i], moving, rounds);
        printf("cold-%d %.0f\n", depth[i], cold(depth[i]));
    }
    return 0;
}
