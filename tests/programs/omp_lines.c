/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * OpenMP constructs that the program says the lines of: "KIND LINE" on standard output. Before and
 * behind each stand statements of other lines, of the same function and of functions that are
 * inlined.
 */
#include <stdio.h>

enum { LENGTH = 64 };

static volatile double sum, cells[LENGTH];
static volatile int flag = 1;

/* The construct begins on the line behind. */
#define NEXT(kind) __LINE__ + 1 + 0 * printf("%s %d\n", kind, __LINE__ + 1)

static void spin(int n)
{
    for (int i = 0; i < n; i++)
        cells[i % LENGTH] = cells[(i + 1) % LENGTH] + 1;
}

/* One construct, however often its function is inlined. */
static inline __attribute__((always_inline)) void twice(int n)
{
    spin(n);
    if (n == 1)
        sum = NEXT("parallel");
#pragma omp parallel num_threads(2)
    spin(n + 1);
    spin(n);
}

__attribute__((noinline)) static void loops(int n)
{
    spin(n);
    for (int r = 0; r < 3; r++) {
        sum = r ? 0 : NEXT("parallel");
#pragma omp parallel num_threads(2)
        {
            spin(4);
#pragma omp barrier
            spin(4);
        }
    }
    spin(n);
    sum = NEXT("parallel");
#pragma omp parallel for num_threads(2) schedule(dynamic)
    for (int i = 0; i < n; i++)
        cells[i] = i;
    spin(n);
    sum = NEXT("parallel");
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < n; i++)
        spin(i);
    spin(n);
}

/* Two bodies alike are two constructs. */
__attribute__((noinline)) static void alike(int n)
{
    sum = NEXT("parallel");
#pragma omp parallel num_threads(2)
    cells[0] = 1;
    spin(n);
    sum = NEXT("parallel");
#pragma omp parallel num_threads(2)
    cells[0] = 1;
    spin(n);
}

__attribute__((noinline)) static void exclusion(int n)
{
    sum = NEXT("parallel");
#pragma omp parallel num_threads(2)
    for (int k = 0; k < n; k++) {
        spin(1);
        cells[1] = k ? 0 : NEXT("critical");
#pragma omp critical(queue)
        sum = sum + k;
        spin(2);
    }
    spin(n);
}

static void deferred(int n)
{
    for (int k = 0; k < n; k++) {
        cells[1] = k ? 0 : NEXT("task");
#pragma omp task firstprivate(n)
        cells[2] = n;
    }
    spin(n);
    cells[1] = NEXT("task");
#pragma omp task
    spin(n);
    spin(1);
    cells[1] = NEXT("taskwait");
#pragma omp taskwait
    spin(2);
    cells[1] = NEXT("taskloop");
#pragma omp taskloop num_tasks(4)
    for (int i = 0; i < n; i++)
        spin(i);
    spin(1);
}

__attribute__((noinline)) static void tasks(int n)
{
    spin(n);
    sum = NEXT("parallel");
#pragma omp parallel num_threads(2)
    {
        spin(1);
#pragma omp single
        deferred(n);
        spin(1);
    }
    spin(n);
}

__attribute__((noinline)) static void leagues(int n)
{
    spin(n);
    sum = NEXT("target");
#pragma omp target
    sum = sum + 1;
    spin(n);
    sum = NEXT("teams");
#pragma omp teams num_teams(1)
    spin(n);
    spin(n);
}

#ifdef ENDS_IN_CALLS
/* The call of the runtime may become a jump. */
__attribute__((noinline)) static void last(int n)
{
    spin(n);
    sum = NEXT("parallel");
#pragma omp parallel num_threads(2)
    spin(2);
}
#endif

int main(void)
{
    twice(flag);
    loops(8);
    twice(flag + 1);
    alike(5);
    exclusion(5);
    tasks(5);
    leagues(5);
#ifdef ENDS_IN_CALLS
    last(5);
#endif
    return 0;
}
