/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * file_storm: what benchmarks of metadata do, as mdtest does it. Each rank makes a tree of
 * directories with files in each, asks for those of the next rank, reads them and removes its own.
 * Some calls are for names that there are not. Rank 0 prints of each function a
 * line `FUNCTION CALLS`, of all ranks, and of the files `bytes READ WRITTEN`.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "expect.h"

enum { DEPTH = 3, BRANCHES = 2, FILES = 5, BYTES = 40 };

#define CALLS(X)                                                                                   \
    X(mkdir)                                                                                       \
    X(open)                                                                                        \
    X(close)                                                                                       \
    X(write)                                                                                       \
    X(read)                                                                                        \
    X(stat)                                                                                        \
    X(access)                                                                                      \
    X(rename)                                                                                      \
    X(opendir)                                                                                     \
    X(readdir)                                                                                     \
    X(closedir)                                                                                    \
    X(unlink)                                                                                      \
    X(rmdir)

enum call {
#define ID(name) CALL_##name,
    CALLS(ID) BYTES_READ,
    BYTES_WRITTEN,
    COUNTS
};
static const char *const names[] = {
#define NAME(name) #name,
    CALLS(NAME)};

static long counts[COUNTS];
static char data[BYTES];

/* The call, counted. */
#define DO(name, ...) (counts[CALL_##name]++, name(__VA_ARGS__))

typedef void visit(const char *directory);

/* Every directory of a tree, from the top or from below. */
static void walk(const char *directory, int depth, int is_downwards, visit *each)
{
    if (is_downwards)
        each(directory);
    for (int i = 0; depth > 1 && i < BRANCHES; i++) {
        char below[200];
        snprintf(below, sizeof below, "%s/d%d", directory, i);
        walk(below, depth - 1, is_downwards, each);
    }
    if (!is_downwards)
        each(directory);
}

static const char *in(const char *directory, const char *kind, int number)
{
    static char path[220];
    snprintf(path, sizeof path, "%s/%s%d", directory, kind, number);
    return path;
}

static void makes(const char *directory)
{
    EXPECT(DO(mkdir, directory, 0700) == 0);
    EXPECT(DO(mkdir, directory, 0700) == -1 && errno == EEXIST);
    for (int i = 0; i < FILES; i++) {
        int fd = DO(open, in(directory, "f", i), O_CREAT | O_EXCL | O_WRONLY, 0600);
        EXPECT(DO(write, fd, data, BYTES) == BYTES);
        counts[BYTES_WRITTEN] += BYTES;
        EXPECT(DO(close, fd) == 0);
    }
}

static void asks(const char *directory)
{
    struct stat info;
    for (int i = 0; i < FILES; i++) {
        EXPECT(DO(stat, in(directory, "f", i), &info) == 0 && info.st_size == BYTES);
        EXPECT(DO(access, in(directory, i % 3 ? "f" : "none", i), R_OK) == (i % 3 ? 0 : -1));
    }
    DIR *entries = DO(opendir, directory);
    int found = 0;
    for (struct dirent *entry; (entry = DO(readdir, entries)) != NULL;)
        found += entry->d_name[0] == 'f';
    EXPECT(found == FILES);
    EXPECT(DO(closedir, entries) == 0);
}

static void reads(const char *directory)
{
    for (int i = 0; i < FILES; i++) {
        int fd = DO(open, in(directory, "f", i), O_RDONLY);
        EXPECT(DO(read, fd, data, BYTES) == BYTES);
        EXPECT(DO(read, fd, data, BYTES) == 0);
        counts[BYTES_READ] += BYTES;
        EXPECT(DO(close, fd) == 0);
        EXPECT(DO(open, in(directory, "none", i), O_RDONLY) == -1);
    }
}

static void removes(const char *directory)
{
    char from[220];
    for (int i = 0; i < FILES; i++) {
        snprintf(from, sizeof from, "%s", in(directory, "f", i));
        EXPECT(DO(rename, from, in(directory, "g", i)) == 0);
        EXPECT(DO(unlink, in(directory, "g", i)) == 0);
        EXPECT(DO(unlink, in(directory, "g", i)) == -1 && errno == ENOENT);
    }
    EXPECT(DO(rmdir, directory) == 0);
}

int main(int argc, char **argv)
{
    int rank, size;
    char own[32], next[32];
    long all[COUNTS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(own, sizeof own, "tree.%d", rank);
    snprintf(next, sizeof next, "tree.%d", (rank + 1) % size);
    walk(own, DEPTH, 1, makes);
    MPI_Barrier(MPI_COMM_WORLD);
    walk(next, DEPTH, 1, asks);
    walk(next, DEPTH, 1, reads);
    MPI_Barrier(MPI_COMM_WORLD);
    walk(own, DEPTH, 0, removes);
    MPI_Reduce(counts, all, COUNTS, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < BYTES_READ; i++)
        printf("%s %ld\n", names[i], all[i]);
    if (rank == 0)
        printf("bytes %ld %ld\n", all[BYTES_READ], all[BYTES_WRITTEN]);
    MPI_Finalize();
    return unexpected;
}
