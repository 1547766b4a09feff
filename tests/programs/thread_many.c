/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 1000 threads one after the other, then 64 that live at the same time. Prints nothing about cost;
 * the arguments, if any, are the two numbers.
 */
#include <pthread.h>
#include <stdlib.h>

#include "expect.h"

static pthread_barrier_t barrier;

static void *nothing(void *arg)
{
    return arg;
}

static void *meets(void *arg)
{
    pthread_barrier_wait(&barrier);
    return arg;
}

int main(int argc, char **argv)
{
    int in_turn = argc > 1 ? atoi(argv[1]) : 1000;
    int at_once = argc > 2 ? atoi(argv[2]) : 64;
    for (int i = 0; i < in_turn; i++) {
        pthread_t thread;
        EXPECT(pthread_create(&thread, NULL, nothing, NULL) == 0);
        EXPECT(pthread_join(thread, NULL) == 0);
    }
    pthread_t *thread = calloc((size_t)at_once + 1, sizeof *thread);
    if (at_once)
        pthread_barrier_init(&barrier, NULL, (unsigned)at_once);
    for (int i = 0; i < at_once; i++)
        EXPECT(pthread_create(&thread[i], NULL, meets, NULL) == 0);
    for (int i = 0; i < at_once; i++)
        EXPECT(pthread_join(thread[i], NULL) == 0);
    free(thread);
    return unexpected;
}
