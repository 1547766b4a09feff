/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pthread_create() that lies before the C library's: it comes back when the new thread has begun,
 * memory has been touched for the first time, and a signal was handled.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

enum { PAGE = 4096, PAGES = 50 };

_Atomic int slow_create_has_begun;

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
    int ret = create(thread, attr, start, arg);
    while (ret == 0 && !slow_create_has_begun) {
    }
    volatile char *fresh =
        mmap(NULL, PAGE * PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; fresh != MAP_FAILED && i < PAGES; i++)
        fresh[i * PAGE] = 1;
    raise(SIGUSR1);
    return ret;
}
