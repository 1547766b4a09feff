/* SPDX-License-Identifier: BSD-3-Clause */
/* No MPI: locks a mutex LOCKS times and starts one thread; ends with status 3. */
#include <pthread.h>
#include <stdio.h>

#define LOCKS 5

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *add(void *argument)
{
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_lock(&mutex);
        sum += *(const int *)argument;
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int one = 1, two = 2;
    pthread_create(&thread, NULL, add, &two);
    add(&one);
    pthread_join(thread, NULL);
    printf("sum %d\n", sum);
    fprintf(stderr, "this is stderr\n");
    return 3;
}
