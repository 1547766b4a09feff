/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks a mutex LOCKS times: many megabytes of records from one thread. */
#include <pthread.h>
#include <stdio.h>

#define LOCKS 200000

int main(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    long sum = 0;
    for (long i = 0; i < LOCKS; i++) {
        pthread_mutex_lock(&mutex);
        sum += i;
        pthread_mutex_unlock(&mutex);
    }
    printf("sum %ld\n", sum);
    return 0;
}
