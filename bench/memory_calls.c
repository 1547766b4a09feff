/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPU time of malloc() and free(), in nanoseconds a pair, one line a case: "NAME NS". Compiled and
 * run by bench/memory_calls, bare and traced.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/least.h"

enum { MANY = 64 };

static void *volatile block[MANY];

static void small(void)
{
    block[0] = malloc(64);
    free(block[0]);
}

static void zeroed(void)
{
    block[0] = calloc(8, 8);
    free(block[0]);
}

static void large(void)
{
    block[0] = malloc(4096);
    free(block[0]);
}

/* So many at once that they do not all come from the thread's own cache of blocks. */
static void many(void)
{
    for (int i = 0; i < MANY; i++)
        block[i] = malloc(64);
    for (int i = 0; i < MANY; i++)
        free(block[i]);
}

static const struct {
    const char *name;
    void (*round)(void);
    int pairs;
} cases[] = {{"malloc,64", small, 1},
             {"calloc,64", zeroed, 1},
             {"malloc,4096", large, 1},
             {"64_x_malloc,64", many, MANY}};

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 20000;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        printf("%s %.1f\n", cases[i].name,
               least_ns(CLOCK_THREAD_CPUTIME_ID, cases[i].round, rounds / cases[i].pairs) /
                   cases[i].pairs);
    return 0;
}
