/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 400 threads made by the C library's own pthread_create(), as an allocator finds it behind all
 * that is preloaded. Each locks a mutex, and leaves nothing behind when it has ended.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sys/resource.h>

#include "expect.h"

typedef int (*creation)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *locks(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static long peak_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

int main(void)
{
    enum { THREADS = 400, WARM_UP = 100, SLACK_KIB = 1024 };
    long before = 0;
    void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    creation create = library ? (creation)dlsym(library, "pthread_create") : NULL;
    EXPECT(create);
    for (int i = 0; create && i < THREADS; i++) {
        pthread_t thread;
        EXPECT(create(&thread, NULL, locks, NULL) == 0);
        EXPECT(pthread_join(thread, NULL) == 0);
        if (i == WARM_UP)
            before = peak_kib();
    }
    EXPECT(peak_kib() - before <= SLACK_KIB);
    return unexpected;
}
