/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entries of libgomp that today's compiler does not use: code of older ones calls them as this
 * program does. And a task of a parallel region whose team begins in two parts.
 */
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>

void GOMP_parallel_start(void (*)(void *), void *, unsigned);
void GOMP_parallel_end(void);
void GOMP_parallel_loop_dynamic_start(void (*)(void *), void *, unsigned, long, long, long, long);
void GOMP_parallel_loop_static(void (*)(void *), void *, unsigned, long, long, long, long,
                               unsigned);
void GOMP_parallel_sections_start(void (*)(void *), void *, unsigned, unsigned);
bool GOMP_loop_dynamic_next(long *, long *);
bool GOMP_loop_static_next(long *, long *);
void GOMP_loop_end_nowait(void);
unsigned GOMP_sections_next(void);
void GOMP_sections_end_nowait(void);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);

static int sum;

static void add(int n)
{
    GOMP_atomic_start();
    sum += n;
    GOMP_atomic_end();
}

static void body(void *number)
{
    add(*(int *)number);
#pragma omp task
    add(1);
}

static void inner(void *number)
{
    GOMP_parallel_start(body, number, 2);
    body(number);
    GOMP_parallel_end();
}

static void loop(void *next)
{
    long from, to;
    while ((*(bool (**)(long *, long *))next)(&from, &to))
        for (long i = from; i < to; i++)
            add((int)i);
    GOMP_loop_end_nowait();
}

static void sections(void *number)
{
    for (unsigned which = GOMP_sections_next(); which; which = GOMP_sections_next())
        add((int)which * *(int *)number);
    GOMP_sections_end_nowait();
}

int main(void)
{
    int number = 10;
    bool (*dynamic_next)(long *, long *) = GOMP_loop_dynamic_next;
    bool (*static_next)(long *, long *) = GOMP_loop_static_next;
    omp_set_max_active_levels(2);
    GOMP_parallel_start(inner, &number, 3);
    inner(&number);
    GOMP_parallel_end();
    GOMP_parallel_loop_dynamic_start(loop, &dynamic_next, 3, 0, 100, 1, 10);
    loop(&dynamic_next);
    GOMP_parallel_end();
    GOMP_parallel_loop_static(loop, &static_next, 3, 0, 100, 1, 10, 0);
    GOMP_parallel_sections_start(sections, &number, 2, 5);
    sections(&number);
    GOMP_parallel_end();
    printf("%d\n", sum);
    return 0;
}
