/* SPDX-License-Identifier: BSD-3-Clause */
/* C11 threads: 4 threads with a mutex and a condition variable, ended by return and thrd_exit. */
#include <threads.h>

#include "expect.h"

enum { THREADS = 4 };

static mtx_t mutex;
static cnd_t all_here;
static int here;

static int work(void *arg)
{
    int number = *(int *)arg;
    mtx_lock(&mutex);
    if (++here == THREADS)
        cnd_broadcast(&all_here);
    while (here < THREADS)
        cnd_wait(&all_here, &mutex);
    mtx_unlock(&mutex);
    if (number % 2)
        thrd_exit(100 + number);
    return 100 + number;
}

int main(void)
{
    thrd_t thread[THREADS];
    int number[THREADS];
    mtx_init(&mutex, mtx_plain);
    cnd_init(&all_here);
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        EXPECT(thrd_create(&thread[i], work, &number[i]) == thrd_success);
    }
    for (int i = 0; i < THREADS; i++) {
        int value = 0;
        EXPECT(thrd_join(thread[i], &value) == thrd_success);
        EXPECT(value == 100 + i);
    }
    mtx_destroy(&mutex);
    cnd_destroy(&all_here);
    return unexpected;
}
