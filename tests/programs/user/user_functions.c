/* SPDX-License-Identifier: BSD-3-Clause */
/* Built with -finstrument-functions: every function is a region. */
#include <pthread.h>
#include <stdio.h>

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

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    printf("%d %d\n", branch(10), factorial(6));
    return 0;
}
