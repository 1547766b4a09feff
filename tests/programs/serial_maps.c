/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that are mapped to memory: taken apart, replaced, moved, kept after the descriptor was
 * closed, inherited by a child. tests/cases/file_maps.py knows all of it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

enum { PAGE = 4096, PAGES = 16 };

static char *map(int fd, int pages, int protection, int flags)
{
    char *at = mmap(NULL, (size_t)pages * PAGE, protection, flags, fd, 0);
    EXPECT(at != MAP_FAILED);
    return at;
}

static int open_of(const char *path, int flags)
{
    int fd = open(path, flags | O_CREAT, 0600);
    EXPECT(fd >= 0 && ftruncate(fd, PAGES * PAGE) == 0);
    return fd;
}

/* Its descriptor is gone before it is; it ends with its last page. */
static void in_parts(void)
{
    int fd = open_of("parts", O_RDWR);
    char *at = map(fd, PAGES, PROT_READ | PROT_WRITE, MAP_SHARED);
    close(fd);
    memset(at, 'x', PAGE);
    EXPECT(msync(at, PAGE, MS_SYNC) == 0);
    EXPECT(munmap(at + 4 * PAGE, 4 * PAGE) == 0);
    EXPECT(munmap(at, 4 * PAGE) == 0);
    at[8 * PAGE] = 'y';
    EXPECT(munmap(at + 8 * PAGE, 8 * PAGE) == 0);
}

/* Moved, and then something else is there. */
static void moved(void)
{
    int fd = open_of("moved", O_RDWR);
    char *at = map(fd, 2, PROT_READ | PROT_WRITE, MAP_PRIVATE);
    at = mremap(at, 2 * PAGE, PAGES * PAGE, MREMAP_MAYMOVE);
    EXPECT(at != MAP_FAILED);
    EXPECT(mmap(at, PAGES * PAGE, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == at);
    EXPECT(munmap(at, PAGES * PAGE) == 0);
    close(fd);
}

static void not_recorded(void)
{
    int fd = open("/etc/passwd", O_RDONLY);
    EXPECT(munmap(map(fd, 1, PROT_READ, MAP_PRIVATE), PAGE) == 0);
    close(fd);
    EXPECT(munmap(map(-1, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS), PAGE) == 0);
    EXPECT(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, 99, 0) == MAP_FAILED);
}

/* The child's mapping is its own, and the one that it has inherited its parent's. */
static void inherited(void)
{
    int fd = open_of("inherited", O_RDWR), status = 0;
    char *at = map(fd, 1, PROT_WRITE, MAP_SHARED);
    pid_t child = fork();
    if (child == 0) {
        EXPECT(munmap(at, PAGE) == 0);
        EXPECT(munmap(map(fd, 3, PROT_READ, MAP_SHARED), 3 * PAGE) == 0);
        _exit(0);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    EXPECT(munmap(at, PAGE) == 0);
    close(fd);
}

static int handled_fd;

static void handle(int number)
{
    (void)number;
    munmap(map(handled_fd, 1, PROT_READ, MAP_SHARED), PAGE);
}

static void in_handler(void)
{
    handled_fd = open_of("handled", O_RDWR);
    signal(SIGUSR1, handle);
    raise(SIGUSR1);
    close(handled_fd);
}

int main(void)
{
    in_parts();
    moved();
    not_recorded();
    inherited();
    in_handler();
    puts("mapped");
    return 0;
}
