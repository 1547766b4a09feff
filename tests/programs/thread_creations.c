/* SPDX-License-Identifier: BSD-3-Clause */
/* Many threads, one after the other, that do next to nothing. */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 400 };

static void *run(void *arg)
{
    return arg;
}

int main(void)
{
    int failed = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        failed += pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL);
    }
    printf("%d threads, %d failed\n", THREADS, failed);
    return 0;
}
