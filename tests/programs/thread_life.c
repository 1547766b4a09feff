/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts 8 threads that lock a mutex LOCKS times each, and joins them. */
#include <pthread.h>

#include "expect.h"

enum { THREADS = 8, LOCKS = 100 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *add(void *one)
{
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_lock(&mutex);
        sum += *(int *)one;
        pthread_mutex_unlock(&mutex);
    }
    return one;
}

int main(void)
{
    pthread_t thread[THREADS];
    int one[THREADS];
    for (int i = 0; i < THREADS; i++) {
        one[i] = 1;
        EXPECT(pthread_create(&thread[i], NULL, add, &one[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *value;
        EXPECT(pthread_join(thread[i], &value) == 0);
        EXPECT(value == &one[i]);
    }
    printf("sum %d\n", sum);
    return unexpected;
}
