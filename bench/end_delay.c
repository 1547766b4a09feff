/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How late the processes of an MPI job end. A rank prints a line "RANK NUMBER": with "run CALLS"
 * the time in ns right before MPI_Finalize, after so many MPI_Sendrecv with itself. With "write
 * FOLDER BYTES..." how many ns it takes to make a file of each size, by all ranks at the same
 * time. With "copy FOLDER BYTES..." they are made of what lies in a mapped file, as it does in a
 * segment. With "move FOLDER BYTES..." this file goes then, as a segment does. "wait COMMAND..." is
 * no MPI program: it prints the time when the command has ended.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 1 << 20, SECOND = 1000000000, SEGMENT = 0 /* number of the file */ };

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}

static int rank_of_job(void)
{
    const char *mpich = getenv("PMI_RANK"), *openmpi = getenv("OMPI_COMM_WORLD_RANK");
    return atoi(mpich ? mpich : openmpi ? openmpi : "-1");
}

static int wait_for(char **command)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        execv(command[0], command);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 1;
    printf("%d %lld\n", rank_of_job(), (long long)now());
    return status != 0;
}

static void call(long calls)
{
    int one = 1, two;
    for (long i = 0; i < calls; i++)
        MPI_Sendrecv(&one, 1, MPI_INT, 0, 1, &two, 1, MPI_INT, 0, 1, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
}

static char piece[PIECE];

static int make(const char *folder, int rank, int number)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%d.%d", folder, rank, number);
    return open(path, O_CREAT | O_RDWR | O_TRUNC, 0666);
}

static void write_file(const char *folder, int rank, int number, long long bytes, const char *from)
{
    int fd = make(folder, rank, number);
    for (ssize_t n; bytes > 0; bytes -= n) {
        n = write(fd, from ? from : piece, bytes < PIECE ? (size_t)bytes : PIECE);
        if (n <= 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
        from = from ? from + n : NULL;
    }
    close(fd);
}

static char *map(const char *folder, int rank, long long bytes)
{
    int fd = make(folder, rank, SEGMENT);
    if (posix_fallocate(fd, 0, bytes) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    char *at = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 1);
    close(fd);
    memset(at, 1, (size_t)bytes);
    return at;
}

static void unmap(const char *folder, int rank, char *at, long long bytes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%d.%d", folder, rank, SEGMENT);
    unlink(path);
    munmap(at, (size_t)bytes);
}

int main(int argc, char **argv)
{
    int rank;
    if (argc > 2 && strcmp(argv[1], "wait") == 0)
        return wait_for(argv + 2);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 2 && strcmp(argv[1], "run") == 0)
        call(atol(argv[2]));
    memset(piece, 1, sizeof piece); /* no page of it is missing later */
    long long most = argc > 3 ? atoll(argv[3]) : 0;
    bool goes = argc > 3 && strcmp(argv[1], "move") == 0;
    bool is_mapped = goes || (argc > 3 && strcmp(argv[1], "copy") == 0);
    char *segment = is_mapped ? map(argv[2], rank, most) : NULL;
    MPI_Barrier(MPI_COMM_WORLD);
    int64_t from = now(), took = 0;
    for (int i = 3; i < argc; i++)
        write_file(argv[2], rank, i, atoll(argv[i]), segment);
    if (goes)
        unmap(argv[2], rank, segment, most);
    took = argc > 3 ? now() - from : now();
    printf("%d %lld\n", rank, (long long)took);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
