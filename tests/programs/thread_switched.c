/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A main thread and two others that take and give back locks when they are told to: a line on
 * standard input is a round. Each thread locks its own mutex CALLS times; in rounds 1 and 4 the
 * main thread takes a further one and keeps it until the end of the round after.
 * What the threads tell each other goes through pipes, which are not recorded.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { WORKERS = 2, CALLS = 10 };

static int to_worker[WORKERS][2], from_workers[2];
static pthread_mutex_t kept = PTHREAD_MUTEX_INITIALIZER;

static void use(pthread_mutex_t *mutex)
{
    for (int i = 0; i < CALLS; i++) {
        pthread_mutex_lock(mutex);
        pthread_mutex_unlock(mutex);
    }
}

static void *work(void *arg)
{
    const int *ends = arg;
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    char byte;
    while (read(ends[0], &byte, 1) == 1) {
        use(&own);
        if (write(from_workers[1], &byte, 1) != 1)
            break;
    }
    return NULL;
}

static void one_round(pthread_mutex_t *own, int round)
{
    char byte = 0;
    for (int i = 0; i < WORKERS; i++)
        if (write(to_worker[i][1], &byte, 1) != 1)
            return;
    use(own);
    for (int i = 0; i < WORKERS; i++)
        if (read(from_workers[0], &byte, 1) != 1)
            return;
    if (round % 3 == 1)
        pthread_mutex_lock(&kept);
    if (round % 3 == 2)
        pthread_mutex_unlock(&kept);
}

int main(void)
{
    pthread_t thread[WORKERS];
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    char line[64];
    int round = 0;
    if (pipe(from_workers) != 0)
        return 1;
    for (int i = 0; i < WORKERS; i++) {
        if (pipe(to_worker[i]) != 0 || pthread_create(&thread[i], NULL, work, to_worker[i]) != 0)
            return 1;
    }
    printf("%d\n", (int)getpid());
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        one_round(&own, ++round);
        printf("round %d\n", round);
        fflush(stdout);
    }
    for (int i = 0; i < WORKERS; i++) {
        close(to_worker[i][1]);
        pthread_join(thread[i], NULL);
    }
    return 0;
}
