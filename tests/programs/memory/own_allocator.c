/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An allocator that takes memory from the kernel below a lock of its own, as those of programs do:
 * whoever takes a block meanwhile, on the same thread, hangs. MAPS says by which calls, LOCKS which
 * lock. With -DLIBRARY it is one to be preloaded.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BY_MMAP, BY_MPROTECT, BY_MREMAP, BY_SBRK };
enum { A_SPIN, A_MUTEX };
enum { HEAD = 16, PIECE = 1 << 20 };

static char *pool;
static size_t left;

#if LOCKS == A_SPIN
static volatile char taken;
static void lock(void)
{
    while (__atomic_test_and_set(&taken, __ATOMIC_ACQUIRE))
        sched_yield();
}
static void unlock(void)
{
    __atomic_clear(&taken, __ATOMIC_RELEASE);
}
#else
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void lock(void)
{
    pthread_mutex_lock(&mutex);
}
static void unlock(void)
{
    pthread_mutex_unlock(&mutex);
}
#endif

static char *take_piece(void)
{
    enum { SMALL = 4096, FLAGS = MAP_PRIVATE | MAP_ANONYMOUS };
    char *at;
    switch (MAPS) {
    case BY_MMAP:
        at = mmap(NULL, 2 * PIECE, PROT_READ | PROT_WRITE, FLAGS, -1, 0);
        return munmap(at, PIECE) == 0 ? at + PIECE : NULL;
    case BY_MPROTECT:
        at = mmap(NULL, PIECE, PROT_NONE, FLAGS, -1, 0);
        return mprotect(at, PIECE, PROT_READ | PROT_WRITE) == 0 ? at : NULL;
    case BY_MREMAP:
        at = mmap(NULL, SMALL, PROT_READ | PROT_WRITE, FLAGS, -1, 0);
        return mremap(at, SMALL, PIECE, MREMAP_MAYMOVE);
    default:
        at = sbrk(PIECE);
        return (char *)(((uintptr_t)at + HEAD - 1) & ~(uintptr_t)(HEAD - 1));
    }
}

void *malloc(size_t size)
{
    size_t bytes = HEAD + ((size + HEAD - 1) & ~(size_t)(HEAD - 1));
    lock();
    if (left < bytes + HEAD) {
        pool = take_piece();
        left = PIECE;
    }
    char *p = pool + HEAD;
    memcpy(pool, &size, sizeof size);
    pool += bytes;
    left -= bytes;
    unlock();
    return p;
}

void free(void *p)
{
    (void)p;
}

void *calloc(size_t n, size_t size)
{
    return malloc(n * size); /* what the kernel gives is 0, and nothing is used again */
}

void *realloc(void *p, size_t size)
{
    void *to = malloc(size);
    size_t before = 0;
    if (p)
        memcpy(&before, (char *)p - HEAD, sizeof before);
    return p ? memcpy(to, p, before < size ? before : size) : to;
}

#ifndef LIBRARY
#include <stdio.h>

static void *take(void *sum)
{
    for (size_t i = 0; i < 2000; i++)
        *(size_t *)sum += malloc(1000) != NULL;
    return NULL;
}

int main(void)
{
    enum { THREADS = 3 };
    pthread_t thread[THREADS];
    size_t sums[THREADS] = {0};
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, take, &sums[i]);
    for (int i = 0; i < 100; i++)
        if (dlsym(RTLD_DEFAULT, "no_such_name") || dlopen("no_such_library", RTLD_NOW))
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return printf("%zu %zu %zu\n", sums[0], sums[1], sums[2]) > 0 ? 5 : 1;
}
#endif
