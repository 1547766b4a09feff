// SPDX-License-Identifier: BSD-3-Clause
/*
 * growth MODE    runs for a second; the clock decides on the moments, not the number of iterations:
 *                peak     a block that makes the peak stands beside a smaller, lasting block
 *                plateau  40 blocks stay; a larger block is there from 40 to 60 % of the run
 *                ends     40 blocks, all given back at the end
 *                paths    40 blocks by a helper with two callers; one caller gives its blocks back
 *                jump     one block at 70 % stays
 *                flat     each iteration gives all its blocks back
 * Prints the lasting blocks: LINE BYTES, as counted by malloc_usable_size().
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 40, MIB = 1 << 20 };
static const double LENGTH_S = 1.0;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void sleep_until(double begin, int step)
{
    double left = begin + LENGTH_S * step / STEPS - now();
    struct timespec t = {0, (long)(left * 1e9)};
    if (left > 0)
        nanosleep(&t, NULL);
}

/* Keeps the state for `seconds`. */
static void stand(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)((seconds - (int)seconds) * 1e9)};
    nanosleep(&t, NULL);
}

static void tell(int line, size_t bytes)
{
    printf("%d %zu\n", line, bytes);
}

static __attribute__((noinline)) void *helper(size_t bytes)
{
    return malloc(bytes); /* of both */
}

static __attribute__((noinline)) void *keeps(void)
{
    void *p = helper(MIB);
    tell(__LINE__ - 1, malloc_usable_size(p));
    return p;
}

static __attribute__((noinline)) void gives_back(void)
{
    void *p = helper(8 * MIB);
    memset(p, 1, 1);
    free(p);
}

static void peak(double begin)
{
    void *small = malloc(MIB);
    tell(__LINE__ - 1, malloc_usable_size(small));
    sleep_until(begin, STEPS / 4);
    void *big = malloc(32 * MIB);
    tell(__LINE__ - 1, malloc_usable_size(big));
    sleep_until(begin, STEPS / 2);
    free(big);
    sleep_until(begin, STEPS);
}

static void grow(double begin, int is_plateau, int is_given_back)
{
    void *kept[STEPS] = {0}, *big = NULL;
    for (int i = 0; i < STEPS; i++) {
        sleep_until(begin, i);
        kept[i] = malloc(MIB);
        tell(__LINE__ - 1, malloc_usable_size(kept[i]));
        if (is_plateau && i == STEPS * 2 / 5)
            big = malloc(64 * MIB);
        if (i == STEPS * 3 / 5)
            free(big);
    }
    /* All blocks stay until nineteen twentieths of the run, however long the run has become. */
    double took = now() - begin;
    stand(0.11 * took);
    for (int i = 0; is_given_back && i < STEPS; i++)
        free(kept[i]);
    stand(0.065 * took);
}

static void by_paths(double begin)
{
    for (int i = 0; i < STEPS; i++) {
        sleep_until(begin, i);
        void *volatile kept = keeps();
        (void)kept;
        gives_back();
    }
    sleep_until(begin, STEPS);
}

static void no_growth(double begin, int is_jump)
{
    for (int i = 0; i < STEPS; i++) {
        sleep_until(begin, i);
        void *volatile p = malloc(16 * MIB);
        if (!is_jump || i != STEPS * 7 / 10)
            free(p);
    }
    sleep_until(begin, STEPS);
}

int main(int n, char **words)
{
    const char *mode = n > 1 ? words[1] : "";
    double begin = now();
    if (!strcmp(mode, "peak"))
        peak(begin);
    else if (!strcmp(mode, "plateau") || !strcmp(mode, "ends"))
        grow(begin, !strcmp(mode, "plateau"), !strcmp(mode, "ends"));
    else if (!strcmp(mode, "paths"))
        by_paths(begin);
    else if (!strcmp(mode, "jump") || !strcmp(mode, "flat"))
        no_growth(begin, !strcmp(mode, "jump"));
    else
        return 2;
    return 0;
}
