/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts of a program's own wrapped calls, in a file that outlives it: one pair for each thread or
 * rank, in the order of their numbers. `begun` goes up before a call and `done` after it, so a
 * trace of the process that is true has at least `done` of them and at most `begun`.
 */
#ifndef KILL_COUNTS_H
#define KILL_COUNTS_H

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __cplusplus
#include <atomic>
typedef std::atomic<uint64_t> kill_number;
using std::atomic_fetch_add;
#else
#include <stdatomic.h>
typedef _Atomic uint64_t kill_number;
#endif

enum { KILL_COUNTS = 4096 };

struct kill_count {
    kill_number begun, done;
    kill_number pid; /* of a rank, when it is up */
    uint64_t unused;
};

#define COUNTED(count, call)                                                                       \
    do {                                                                                           \
        atomic_fetch_add(&(count)->begun, 1);                                                      \
        call;                                                                                      \
        atomic_fetch_add(&(count)->done, 1);                                                       \
    } while (0)

static struct kill_count *kill_counts_open(const char *path)
{
    size_t bytes = KILL_COUNTS * sizeof(struct kill_count);
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0)
        exit(2);
    void *counts = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (counts == MAP_FAILED)
        exit(2);
    close(fd);
    return (struct kill_count *)counts;
}

#endif
