/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks and unlocks for ever, and counts the pairs: `thread_kills MODE FILE`. Besides:
 *   locks    nothing
 *   flush    nothing, and without a rest, so that buffers are full soon
 *   threads  threads come and go
 *   files    the same, with so many records that each thread needs a file of its own
 *   names    names are given, as definitions
 *   exit     the process ends soon
 *   long     the same, after the main thread has filled a few chunks, and without further threads
 *   memory   the main thread takes more and more memory
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "kill_counts.h"

enum {
    THREADS = 3,
    CALLS = 3,
    MANY_CALLS = 1000,
    LONG = 20, /* times as many */
    PAUSE_US = 30,
    LIFE_US = 5000,
    MEBIBYTE = 1 << 20
};

static struct kill_count *counts;
static const char *mode;
static _Atomic int is_over, idle;

static void lock_once(struct kill_count *count, pthread_mutex_t *mutex)
{
    COUNTED(count, pthread_mutex_lock(mutex));
    COUNTED(count, pthread_mutex_unlock(mutex));
}

static void *lock_for_ever(void *count)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    for (unsigned i = 0; !is_over; i++) {
        char name[16];
        lock_once(count, &mutex);
        if (strcmp(mode, "names") == 0) {
            snprintf(name, sizeof name, "name %u", i);
            pthread_setname_np(pthread_self(), name);
        }
        if (strcmp(mode, "flush") != 0)
            usleep(PAUSE_US);
    }
    atomic_fetch_add(&idle, 1);
    for (;;)
        usleep(LIFE_US);
    return NULL;
}

static void *lock_a_little(void *count)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    const int calls = strcmp(mode, "files") == 0 ? MANY_CALLS : CALLS;
    for (int i = 0; i < calls; i++)
        lock_once(count, &mutex);
    return NULL;
}

static int lock_much(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < LONG * MANY_CALLS; i++)
        lock_once(&counts[0], &mutex);
    return 0;
}

static void come_and_go(void)
{
    pthread_t thread[THREADS];
    for (int n = 1; n + THREADS < KILL_COUNTS; n += THREADS) {
        for (int i = 0; i < THREADS; i++)
            pthread_create(&thread[i], NULL, lock_a_little, &counts[n + i]);
        lock_a_little(&counts[0]);
        for (int i = 0; i < THREADS; i++)
            pthread_join(thread[i], NULL);
    }
    exit(0);
}

static void take_memory(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    for (;;) {
        lock_once(&counts[0], &mutex);
        char *memory = malloc(MEBIBYTE);
        if (!memory)
            exit(3); /* the expected kill did not come */
        memset(memory, 1, MEBIBYTE);
    }
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc != 3)
        return 2;
    mode = argv[1];
    counts = kill_counts_open(argv[2]);
    if (strcmp(mode, "threads") == 0 || strcmp(mode, "files") == 0)
        come_and_go();
    if (strcmp(mode, "long") == 0)
        return lock_much();
    for (int i = 1; i <= THREADS; i++)
        pthread_create(&thread, NULL, lock_for_ever, &counts[i]);
    if (strcmp(mode, "exit") == 0) {
        lock_a_little(&counts[0]);
        usleep(LIFE_US);
        is_over = 1; /* records of threads end here: the process is about to end */
        while (idle < THREADS)
            usleep(PAUSE_US);
        return 0;
    }
    if (strcmp(mode, "memory") == 0)
        take_memory();
    lock_for_ever(&counts[0]);
}
