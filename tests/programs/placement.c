/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Knows where it runs and what it uses: placement MODE.
 *
 *     own     rank i binds itself to the i-th processor that it may use, and is busy for a while
 *     same    all ranks to the first one
 *     memory  rank 1 uses MEGABYTES of memory page by page, each rank sleeps SLEEPS times
 *
 * Each rank prints "RANK NAME VALUE" for what it knows: `cores`, the number of its processor; and
 * for counts what they have grown by in the program, and are at its end.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "expect.h"
#include "truth.h"

enum { MEGABYTES = 160, SLEEPS = 300, BUSY_MS = 300, PAGE = 4096 };

static struct rusage at_begin;
static int rank;

static void tell(const char *name, long long value)
{
    printf("%d %s %lld\n", rank, name, value);
}

static void bind_to(int which)
{
    cpu_set_t all, one;
    EXPECT(sched_getaffinity(0, sizeof all, &all) == 0);
    which %= CPU_COUNT(&all);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &all) && which-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(i, &one);
            EXPECT(sched_setaffinity(0, sizeof one, &one) == 0);
            tell("cores", i);
        }
}

static void use_memory(void)
{
    const size_t bytes = (size_t)MEGABYTES << 20;
    char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(at != MAP_FAILED);
    EXPECT(madvise(at, bytes, MADV_NOHUGEPAGE) == 0);
    for (size_t i = 0; i < bytes; i += PAGE)
        at[i] = 1;
    munmap(at, bytes);
}

/* Not of getrusage(): that keeps the peak of who called execve(). */
static long peak_kib(void)
{
    char line[256];
    long kib = 0;
    FILE *status = fopen("/proc/self/status", "re");
    while (status && fgets(line, sizeof line, status))
        sscanf(line, "VmHWM: %ld", &kib);
    if (status)
        fclose(status);
    return kib;
}

static void tell_counts(void)
{
    struct rusage now;
    getrusage(RUSAGE_SELF, &now);
    tell("minor", now.ru_minflt - at_begin.ru_minflt);
    tell("minor_end", now.ru_minflt);
    tell("voluntary", now.ru_nvcsw - at_begin.ru_nvcsw);
    tell("voluntary_end", now.ru_nvcsw);
    tell("user_us", (now.ru_utime.tv_sec - at_begin.ru_utime.tv_sec) * 1000000 +
                        now.ru_utime.tv_usec - at_begin.ru_utime.tv_usec);
    tell("user_us_end", now.ru_utime.tv_sec * 1000000 + now.ru_utime.tv_usec);
    tell("peak_kib", peak_kib());
}

int main(int argc, char **argv)
{
    getrusage(RUSAGE_SELF, &at_begin);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *mode = argv[1];
    if (!strcmp(mode, "own"))
        bind_to(rank);
    else if (!strcmp(mode, "same"))
        bind_to(0);
    if (strcmp(mode, "memory") != 0) {
        truth_burn(BUSY_MS);
    } else {
        if (rank == 1)
            use_memory();
        for (int i = 0; i < SLEEPS; i++)
            usleep(50);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    tell_counts();
    MPI_Finalize();
    return unexpected;
}
