/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Built with -finstrument-functions: every function is a region. So are two of the program's own,
 * of 20 ms and more each; functions enter and leave one of them.
 */
#include <pthread.h>
#include <spur/spur.h>
#include <stdio.h>
#include <time.h>

static int __attribute__((noinline)) leaf(int i)
{
    return i * i;
}

static inline __attribute__((always_inline)) int inlined(int i)
{
    return leaf(i) + 1;
}

static int __attribute__((noinline)) branch(int n)
{
    int sum = inlined(n);
    for (int i = 0; i < n; i++)
        sum += leaf(i);
    return sum;
}

static int __attribute__((noinline)) factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

static void *work(void *unused)
{
    (void)factorial(5);
    return unused;
}

static struct spur_user_region timed = SPUR_USER_REGION("timed");
static struct spur_user_region helped = SPUR_USER_REGION("helped");

static double __attribute__((noinline, no_instrument_function)) now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void __attribute__((noinline)) spin(void)
{
    for (double end = now() + 0.02; now() < end;)
        ;
}

static void __attribute__((noinline)) begin(void)
{
    spur_user_enter(&helped);
}

static void __attribute__((noinline)) finish(void)
{
    spur_user_leave(&helped);
}

int main(void)
{
    spur_user_enter(&timed);
    spin();
    spur_user_leave(&timed);
    begin();
    spin();
    finish();
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    printf("%d %d\n", branch(10), factorial(6));
    return 0;
}
