/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs of a lock and an unlock of a mutex, for bench/gates: the second call of rounds() counts. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void rounds(int n)
{
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

__attribute__((noinline)) static void counted(int n)
{
    rounds(n);
    __asm__ volatile("" ::: "memory"); /* no tail call: what is toggled has to return */
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1;
    rounds(n);
    counted(n);
    return 0;
}
