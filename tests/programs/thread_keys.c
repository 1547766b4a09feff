/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread_keys TAKES: takes all thread-specific keys ("all", by pthread_key_create() or, with "tss",
 * by tss_create()), or some; "both": by two threads at once. Threads from before and from after
 * that end by return, pthread_exit() and cancellation, with keys whose destructors take locks; the
 * last one ends the process with exit().
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

#include "expect.h"

enum { SOME = 3, MANY = 2000, WAYS = 3 };

static char *const ways[] = {"return", "exit", "cancelled", "process"};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t taken;
static pthread_key_t once_key, stubborn_key;
static int begun, runs, rounds;

static void count(int *number)
{
    pthread_mutex_lock(&mutex);
    (*number)++;
    pthread_mutex_unlock(&mutex);
}

static void run_once(void *value)
{
    count(value);
}

static void run_again(void *value)
{
    count(value);
    pthread_setspecific(stubborn_key, value);
}

static void *end(void *how)
{
    EXPECT(!pthread_getspecific(once_key) && !pthread_getspecific(stubborn_key));
    pthread_setspecific(once_key, &runs);
    pthread_setspecific(stubborn_key, &rounds);
    count(&begun);
    if (strcmp(how, "exit") == 0)
        pthread_exit(how);
    if (strcmp(how, "cancelled") == 0)
        for (;;)
            pause();
    if (strcmp(how, "process") == 0) {
        printf("%d begun, %d runs, %d rounds\n", begun, runs, rounds);
        exit(unexpected);
    }
    return how;
}

static void *end_later(void *how)
{
    pthread_barrier_wait(&taken);
    return end(how);
}

static int end_c11(void *how)
{
    return end(how) == how;
}

static void join(pthread_t thread, char *way)
{
    void *value;
    if (strcmp(way, "cancelled") == 0)
        pthread_cancel(thread);
    EXPECT(pthread_join(thread, &value) == 0);
    EXPECT(value == (strcmp(way, "cancelled") == 0 ? PTHREAD_CANCELED : way));
    printf("%s\n", way);
}

struct taking {
    int limit, failed, n;
    int is_tss;
    pthread_key_t key[MANY];
};

static int make(int is_tss, pthread_key_t *key, void (*destroy)(void *))
{
    return is_tss ? tss_create(key, destroy) : pthread_key_create(key, destroy);
}

static void *take(void *arg)
{
    struct taking *t = arg;
    while (t->n < t->limit && (t->failed = make(t->is_tss, &t->key[t->n], NULL)) == 0)
        t->n++;
    return NULL;
}

static int take_keys(const char *how)
{
    static struct taking some, more;
    some.is_tss = strcmp(how, "tss") == 0;
    some.limit = strcmp(how, "some") == 0 ? SOME : MANY;
    more.limit = strcmp(how, "both") == 0 ? MANY : 0;
    pthread_t other;
    pthread_create(&other, NULL, take, &more);
    take(&some);
    pthread_join(other, NULL);
    printf("%d keys, then %d and %d\n", some.n + more.n, some.failed, more.failed);
    if (some.limit == MANY) { /* two of them anew, with destructors */
        struct taking *rich = some.n > 1 ? &some : &more;
        pthread_key_delete(rich->key[rich->n - 1]);
        pthread_key_delete(rich->key[rich->n - 2]);
    }
    return some.is_tss;
}

int main(int argc, char **argv)
{
    pthread_t early[WAYS], thread;
    pthread_barrier_init(&taken, NULL, WAYS + 1);
    for (int i = 0; i < WAYS; i++)
        EXPECT(pthread_create(&early[i], NULL, end_later, ways[i]) == 0);
    int is_tss = take_keys(argc > 1 ? argv[1] : "some");
    EXPECT(make(is_tss, &once_key, run_once) == 0);
    EXPECT(make(is_tss, &stubborn_key, run_again) == 0);
    pthread_barrier_wait(&taken);
    for (int i = 0; i < WAYS; i++)
        join(early[i], ways[i]);
    for (int i = 0; i < WAYS; i++) {
        EXPECT(pthread_create(&thread, NULL, end, ways[i]) == 0);
        join(thread, ways[i]);
    }
    EXPECT(thrd_create(&thread, end_c11, ways[0]) == thrd_success);
    int value = 0;
    EXPECT(thrd_join(thread, &value) == thrd_success && value == 1);
    EXPECT(pthread_create(&thread, NULL, end, ways[WAYS]) == 0);
    pthread_join(thread, NULL);
    return 1;
}
