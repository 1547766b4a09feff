/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks of every kind that reaches the runtime in a way of its own. Prints what each has computed,
 * and how many tasks there were.
 */
#include <omp.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int tasks; /* that have run */

static void count(void)
{
#pragma omp atomic
    tasks++;
}

struct aligned {
    alignas(64) int number;
    char rest[100];
};

static long many(void)
{
    long sum = 0;
    for (int i = 0; i < 10000; i++) {
#pragma omp task shared(sum) firstprivate(i)
        {
            count();
#pragma omp atomic
            sum += i;
        }
    }
#pragma omp taskwait
    return sum;
}

/* Data of a size known at run time, of a large alignment, and none. */
static int data(int n)
{
    int bad = 0, list[n];
    struct aligned one = {.number = 7};
    for (int i = 0; i < n; i++)
        list[i] = i;
    memset(one.rest, 'r', sizeof one.rest);
    for (int round = 0; round < 20; round++) {
#pragma omp task shared(bad) firstprivate(list, one) if (round % 2) final(round % 3 == 0)
        {
            count();
            int wrong = (uintptr_t)&one % 64 != 0 || one.number != 7 || one.rest[99] != 'r';
            for (int i = 0; i < n; i++)
                wrong += list[i] != i;
            one.number = 8;
            list[0] = 9;
#pragma omp atomic
            bad += wrong;
        }
#pragma omp task untied priority(round) mergeable
        count();
    }
#pragma omp taskwait
    return bad;
}

static int chain(void)
{
    int value = 1;
    for (int i = 0; i < 10; i++) {
#pragma omp task depend(inout : value) shared(value) if (i != 5)
        {
            count();
            value = 3 * value + i;
        }
    }
#pragma omp taskwait depend(in : value)
#pragma omp taskwait
    return value;
}

static long loops(void)
{
    long sum = 0, last = 0;
    unsigned long long up = 0;
    int factor = 2;
#pragma omp taskloop grainsize(1) firstprivate(factor)
    for (int i = 0; i < 3000; i++) {
        count();
#pragma omp atomic
        sum += (long)factor * i;
    }
#pragma omp taskloop num_tasks(7) reduction(+ : last)
    for (int i = 20; i > 0; i -= 3)
        last += i;
#pragma omp taskloop nogroup num_tasks(3) shared(up)
    for (unsigned long long i = 0; i < 30; i++)
#pragma omp atomic
        up += i;
#pragma omp taskwait
    return sum + 100000000 * last + 1000000000000 * (long)up;
}

static int detached(void)
{
    int value = 0;
    omp_event_handle_t early, late;
#pragma omp task detach(early) shared(value)
    {
        count();
        omp_fulfill_event(early);
#pragma omp atomic
        value += 1;
    }
#pragma omp task detach(late) shared(value)
    {
        count();
#pragma omp atomic
        value += 10;
    }
#pragma omp task firstprivate(late)
    {
        count();
        omp_fulfill_event(late);
    }
#pragma omp taskwait
    return value;
}

static int reduced(void)
{
    int sum = 0;
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 1; i <= 50; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
        {
            count();
            sum += i;
        }
    }
    return sum;
}

/* Nobody can tell how many begin, but what is created is completed; so no number is printed. */
static int cancelled(void)
{
    int is_right = 1;
#pragma omp taskgroup
    for (int i = 0; i < 100; i++) {
#pragma omp task shared(is_right)
        {
#pragma omp cancel taskgroup
            if (omp_get_cancellation()) {
#pragma omp atomic write
                is_right = 0;
            }
        }
    }
    return is_right;
}

int main(void)
{
    long results[8] = {0};
    int sum = 0;
    omp_set_num_threads(4);
    results[6] = chain() + data(3); /* outside of any parallel region */
#pragma omp parallel
#pragma omp single
    {
        results[0] = many();
        results[1] = data(50);
        results[2] = chain();
        results[3] = loops();
        results[4] = detached();
        results[5] = reduced();
        results[7] = cancelled();
    }
#pragma omp parallel reduction(task, + : sum)
    {
#pragma omp task in_reduction(+ : sum)
        {
            count();
            sum += 5;
        }
    }
    for (int i = 0; i < 8; i++)
        printf("%ld ", results[i]);
    printf("%d\n%d tasks\n", sum, tasks);
    return 0;
}
