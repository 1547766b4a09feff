// SPDX-License-Identifier: BSD-3-Clause
/*
 * growth MODE [NUMBER...]
 *                runs for a second; the clock decides on the moments, not the number of iterations:
 *                peak     a block that makes the peak stands beside a smaller, lasting block
 *                plateau  40 blocks stay; a larger block is there from 40 to 60 % of the run
 *                ends     40 blocks, all given back at the end
 *                paths    40 blocks by a helper with two callers; one caller gives its blocks back
 *                jump     one block at 70 % stays
 *                flat     each iteration gives all its blocks back
 *                course   STEPS BYTES FROM TO BIG BIG_FROM BIG_TO SWAPS: a block of BYTES in each
 * step of [FROM, TO) stays; with SWAPS the step gives another one back, which was taken at the
 * begin; a block of BIG is there in steps [BIG_FROM, BIG_TO) Prints the lasting blocks: LINE BYTES,
 * as counted by malloc_usable_size(). A course prints the seconds since its begin behind, and last
 * the line 0 with them.
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

/* A step that begins late moves the later steps: after a pause of the machine no step is short. */
static void course(double begin, char **numbers)
{
    enum { N_STEPS, BYTES, FROM, TO, BIG, BIG_FROM, BIG_TO, SWAPS, NUMBERS };
    long of[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        of[i] = atol(numbers[i]);
    void **others = calloc((size_t)of[N_STEPS], sizeof *others), *volatile big = NULL;
    for (long i = 0; of[SWAPS] && i < of[N_STEPS]; i++)
        others[i] = malloc((size_t)of[BYTES]);
    for (long i = 0; i < of[N_STEPS]; i++) {
        stand(LENGTH_S / (double)of[N_STEPS]);
        if (i == of[BIG_FROM])
            big = malloc((size_t)of[BIG]);
        if (i == of[BIG_TO])
            free(big);
        if (i < of[FROM] || i >= of[TO])
            continue;
        free(others[i]);
        void *volatile kept = malloc((size_t)of[BYTES]);
        printf("%d %zu %.6f\n", __LINE__ - 1, malloc_usable_size(kept), now() - begin);
    }
    printf("0 0 %.6f\n", now() - begin);
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
    else if (!strcmp(mode, "course") && n == 10)
        course(begin, words + 2);
    else
        return 2;
    return 0;
}
