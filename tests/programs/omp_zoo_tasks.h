/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of omp_zoo.c that is about tasks; included by it in the middle. */
#ifndef TESTS_OMP_ZOO_TASKS_H
#define TESTS_OMP_ZOO_TASKS_H

static void tasks_of_one(int *done)
{
    for (int i = 0; i < N; i++) {
        did(DID_task);
#pragma omp task firstprivate(i)
        __atomic_fetch_add(done, i, __ATOMIC_RELAXED);
    }
    did(DID_taskwait);
#pragma omp taskwait
    EXPECT(__atomic_load_n(done, __ATOMIC_RELAXED) == sum_to(N));
    did(DID_task);
    did(DID_task_undeferred);
#pragma omp task if (0)
    __atomic_fetch_add(done, 1, __ATOMIC_RELAXED);
    did(DID_task);
    did(DID_task_untied);
#pragma omp task untied mergeable priority(1)
    {
        __atomic_fetch_add(done, 1, __ATOMIC_RELAXED);
        did(DID_taskyield);
#pragma omp taskyield
        __atomic_fetch_add(done, 1, __ATOMIC_RELAXED);
    }
    did(DID_task);
#pragma omp task final(1)
    {
        __atomic_fetch_add(done, 1, __ATOMIC_RELAXED);
        did(DID_task);
        did(DID_task_undeferred);
#pragma omp task /* included */
        __atomic_fetch_add(done, 1, __ATOMIC_RELAXED);
    }
    did(DID_taskwait);
#pragma omp taskwait
    EXPECT(__atomic_load_n(done, __ATOMIC_RELAXED) == sum_to(N) + 5);
}

static int fibonacci(int n)
{
    if (n < 2)
        return n;
    int a, b;
    did(DID_task);
#pragma omp task shared(a)
    a = fibonacci(n - 1);
    did(DID_task);
#pragma omp task shared(b)
    b = fibonacci(n - 2);
    did(DID_taskwait);
#pragma omp taskwait
    return a + b;
}

static void tasks(void)
{
    int done = 0, fib = 0, here = 0;
    did(DID_parallel);
#pragma omp parallel
    {
        member();
        did_joined(DID_single);
#pragma omp single
        {
            tasks_of_one(&done);
            fib = fibonacci(10);
        }
    }
    EXPECT(fib == 55);
    did(DID_task); /* outside of any parallel region */
    did(DID_task_serial);
#pragma omp task shared(here)
    here = 1;
    did(DID_taskwait);
    did(DID_taskwait_serial);
#pragma omp taskwait
    EXPECT(here == 1);
}

static void dependences(void)
{
    int a = 0, b = 0, c = 0, set = 0, waited = 0;
    did(DID_parallel);
#pragma omp parallel
    {
        member();
        did_joined(DID_single);
#pragma omp single
        {
            for (int i = 0; i < 8; i++) {
                did(DID_task);
#pragma omp task depend(inout : a)
                a = a * 2 + 1;
            }
            did(DID_task);
#pragma omp task depend(in : a) depend(out : b)
            b = a;
            did(DID_task);
#pragma omp task depend(in : a, b) depend(out : c)
            c = a + b;
            for (int i = 0; i < 4; i++) {
                did(DID_task);
#pragma omp task depend(mutexinoutset : set)
                set++;
            }
            did(DID_task);
            did(DID_task_undeferred);
            did(DID_task_depends);
#pragma omp task depend(in : c) if (0)
            EXPECT(c == 510);
            did(DID_taskwait_depend);
#pragma omp taskwait depend(in : set)
            waited = set;
        }
    }
    EXPECT(a == 255 && b == 255 && c == 510 && set == 4 && waited == 4);
}

static void groups(void)
{
    int done = 0, sum = 0, before = 0;
    did(DID_parallel);
#pragma omp parallel
    {
        member();
        did_joined(DID_single);
#pragma omp single
        {
            did(DID_taskgroup);
#pragma omp taskgroup
            {
                for (int i = 0; i < 8; i++) {
                    did(DID_task);
#pragma omp task
                    {
                        did(DID_task);
#pragma omp task
                        __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
                    }
                }
            }
            before = __atomic_load_n(&done, __ATOMIC_RELAXED);
            did(DID_taskgroup);
#pragma omp taskgroup task_reduction(+ : sum)
            {
                for (int i = 0; i < N; i++) {
                    did(DID_task);
#pragma omp task in_reduction(+ : sum)
                    sum += i;
                }
            }
        }
    }
    EXPECT(before == 8 && sum == sum_to(N));
}

static void taskloops(void)
{
    int hit[N] = {0}, sum = 0, all = 0;
    did(DID_parallel);
#pragma omp parallel
    {
        member();
        did_joined(DID_single);
#pragma omp single
        {
            did(DID_taskloop);
            did(DID_taskloop_group);
            for (int i = 0; i < 8; i++)
                did(DID_taskloop_task);
#pragma omp taskloop num_tasks(8)
            for (int i = 0; i < N; i++)
                hit[i]++;
            did(DID_taskloop);
            did(DID_taskloop_group);
            for (int i = 0; i < 4; i++)
                did(DID_taskloop_task);
#pragma omp taskloop grainsize(N / 4) reduction(+ : sum)
            for (unsigned long long i = 0; i < N; i++)
                sum += (int)i;
            did(DID_taskgroup);
#pragma omp taskgroup
            {
                did(DID_taskloop);
                for (int i = 0; i < 2; i++)
                    did(DID_taskloop_task);
#pragma omp taskloop num_tasks(2) nogroup
                for (int i = 0; i < N; i++)
                    hit[i]++;
            }
        }
    }
    for (int i = 0; i < N; i++)
        all += hit[i];
    EXPECT(all == 2 * N && sum == sum_to(N));
}

static void detached(void)
{
    int early = 0, late = 0, after = 0;
    did(DID_parallel);
#pragma omp parallel
    {
        member();
        did_joined(DID_single);
#pragma omp single
        {
            omp_event_handle_t event;
            did(DID_task);
            did(DID_task_detached);
#pragma omp task detach(event) depend(out : early)
            {
                early = 1;
                omp_fulfill_event(event); /* before the task's end */
            }
            omp_event_handle_t later;
            did(DID_task);
            did(DID_task_detached);
#pragma omp task detach(later) depend(out : late)
            late = 1;
            did(DID_task);
#pragma omp task depend(in : late)
            __atomic_store_n(&after, 1, __ATOMIC_RELAXED);
            EXPECT(!__atomic_load_n(&after, __ATOMIC_RELAXED));
            did(DID_task);
#pragma omp task firstprivate(later)
            omp_fulfill_event(later);
            did(DID_taskwait);
#pragma omp taskwait
            EXPECT(early == 1 && late == 1 && __atomic_load_n(&after, __ATOMIC_RELAXED) == 1);
        }
    }
}

static void cancel_group(void)
{
    int beyond = 0, started = 0, are_all_made = 0;
    did(DID_parallel);
#pragma omp parallel
    {
        member();
        did_joined(DID_single);
#pragma omp single
        {
            did(DID_taskgroup);
#pragma omp taskgroup
            {
                for (int i = 0; i < 8; i++) {
                    did(DID_task);
#pragma omp task
                    { /* none is cancelled before it is made */
                        while (omp_get_num_threads() > 1 &&
                               !__atomic_load_n(&are_all_made, __ATOMIC_ACQUIRE))
                            sched_yield();
                        __atomic_fetch_add(&started, 1, __ATOMIC_RELAXED);
#pragma omp cancel taskgroup
                        beyond = 1;
                    }
                }
                __atomic_store_n(&are_all_made, 1, __ATOMIC_RELEASE);
            }
        }
    }
    EXPECT(beyond == 0 && started >= 1);
    for (int i = started; i < 8; i++)
        did(DID_task_discarded);
}

#endif
