/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How late the processes of an MPI job end. A rank prints a line "RANK NUMBER": with "run CALLS"
 * the time in ns right before MPI_Finalize, after so many MPI_Sendrecv with itself. With "write
 * FOLDER BYTES..." how many ns it takes to make a file of each size, by all ranks at the same time.
 * "wait COMMAND..." is no MPI program: it prints the time when the command has ended.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 1 << 20, SECOND = 1000000000 };

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

static void write_file(const char *folder, int rank, int number, long long bytes)
{
    static char piece[PIECE];
    char path[4096];
    snprintf(path, sizeof path, "%s/%d.%d", folder, rank, number);
    int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0666);
    for (ssize_t n; bytes > 0; bytes -= n) {
        n = write(fd, piece, bytes < PIECE ? (size_t)bytes : PIECE);
        if (n <= 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    close(fd);
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
    MPI_Barrier(MPI_COMM_WORLD);
    int64_t from = now(), took = 0;
    for (int i = 3; i < argc; i++)
        write_file(argv[2], rank, i, atoll(argv[i]));
    took = argc > 3 ? now() - from : now();
    printf("%d %lld\n", rank, (long long)took);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
