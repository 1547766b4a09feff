/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks that sem_post() is called on: chains, inlined functions, recursion, threads. */
#include <pthread.h>
#include <search.h>
#include <semaphore.h>
#include <stddef.h>

#define NOINLINE __attribute__((noinline))

static sem_t semaphore;
static volatile int sink;

static inline __attribute__((always_inline)) void innermost(int n)
{
    sem_post(&semaphore);
    sink += n;
}

static inline __attribute__((always_inline)) void inlined(int n)
{
    sink++;
    innermost(n);
}

static NOINLINE void calls(int n)
{
    inlined(n);
    sem_post(&semaphore);
    sink += n;
}

static NOINLINE void middle(int n)
{
    calls(n);
    calls(n + 1);
    sink++;
}

static NOINLINE void deeper(int n)
{
    if (n > 0)
        deeper(n - 1);
    else
        calls(n);
    sink++;
}

static void *thread(void *argument)
{
    middle(1);
    return argument;
}

static int compare(const void *a, const void *b)
{
    sem_post(&semaphore);
    return *(const int *)a - *(const int *)b;
}

int main(int argc, char **argv)
{
    int numbers[] = {2, 1};
    size_t n = 2;
    pthread_t id;
    (void)argv;
    sem_init(&semaphore, 0, 0);
    for (int i = 0; i < 2; i++)
        middle(argc);
    deeper(200);
    lfind(&numbers[1], numbers, &n, sizeof numbers[0], compare);
    pthread_create(&id, NULL, thread, NULL);
    pthread_join(id, NULL);
    return 0;
}
