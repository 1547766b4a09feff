/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serial_steps: for each number that it reads, takes a lock so many times, and says the number
 * again. All of it within a call that stays open the whole time.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_once_t outer = PTHREAD_ONCE_INIT;

static void work(void)
{
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    long n;
    while (scanf("%ld", &n) == 1) {
        for (long i = 0; i < n; i++) {
            pthread_mutex_lock(&own);
            pthread_mutex_unlock(&own);
        }
        printf("%ld\n", n);
        fflush(stdout);
    }
}

int main(void)
{
    pthread_once(&outer, work);
    return 0;
}
