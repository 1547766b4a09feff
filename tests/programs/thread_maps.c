/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that are mapped where others were: memory around a place that a file has left, and threads
 * whose mappings get each other's places. tests/cases/file_maps_places.py knows the numbers.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "expect.h"

enum { PAGE = 4096, AREA = 256 * PAGE, THREADS = 4, ROUNDS = 400 };

static int open_of(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    EXPECT(fd >= 0 && ftruncate(fd, 2 * PAGE) == 0);
    return fd;
}

static char *map(void *at, int fd, size_t bytes, int flags)
{
    char *to = mmap(at, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    EXPECT(to != MAP_FAILED);
    return to;
}

/* Two files stay while a third one goes, and then all the memory around its place. */
static void around(void)
{
    int first = open_of("first"), second = open_of("second"), third = open_of("third");
    char *area = map(NULL, -1, AREA, MAP_PRIVATE | MAP_ANONYMOUS);
    char *one = map(NULL, first, PAGE, MAP_SHARED), *other = map(NULL, second, PAGE, MAP_SHARED);
    map(area + AREA / 2, third, PAGE, MAP_SHARED | MAP_FIXED);
    EXPECT(munmap(area + AREA / 2, PAGE) == 0);
    EXPECT(munmap(area, AREA) == 0);
    EXPECT(msync(one, PAGE, MS_SYNC) == 0);
    EXPECT(munmap(one, PAGE) == 0);
    EXPECT(munmap(other, PAGE) == 0);
}

static void *come_and_go(void *fd)
{
    for (int i = 0; i < ROUNDS; i++) {
        char *at = map(NULL, *(int *)fd, PAGE, MAP_SHARED);
        if (i % 2 == 0)
            EXPECT((at = mremap(at, PAGE, 2 * PAGE, MREMAP_MAYMOVE)) != MAP_FAILED);
        EXPECT(msync(at, PAGE, MS_ASYNC) == 0);
        EXPECT(munmap(at, i % 2 == 0 ? 2 * PAGE : PAGE) == 0);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    int fd = open_of("shared");
    around();
    for (int i = 0; i < THREADS; i++)
        EXPECT(pthread_create(&thread[i], NULL, come_and_go, &fd) == 0);
    for (int i = 0; i < THREADS; i++)
        EXPECT(pthread_join(thread[i], NULL) == 0);
    EXPECT(munmap(map(NULL, fd, PAGE, MAP_SHARED), PAGE) == 0);
    puts("mapped");
    return 0;
}
