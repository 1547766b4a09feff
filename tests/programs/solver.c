/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program with a fault for each question of README.md. The last rank works three times as long as
 * the others, in extra_work(). Each step reads the file in pieces of 16 bytes, and keeps a block
 * that nobody frees. solver FILE [wait]     wait: rank 0 waits for ever in its sixth step
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 40, BLOCK = 1 << 18 };

static volatile double sum;
static char *volatile history;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void __attribute__((noinline)) work(double seconds)
{
    for (double end = now() + seconds; now() < end;)
        for (int i = 0; i < 10000; i++)
            sum += i;
}

static void __attribute__((noinline)) extra_work(double seconds)
{
    for (double end = now() + seconds; now() < end;)
        for (int i = 0; i < 10000; i++)
            sum += i;
}

static void __attribute__((noinline)) read_table(const char *file)
{
    char piece[16];
    int fd = open(file, O_RDONLY);
    while (read(fd, piece, sizeof piece) > 0)
        ;
    close(fd);
}

static void __attribute__((noinline)) keep_history(void)
{
    history = malloc(BLOCK);
    memset(history, 1, BLOCK);
}

static void wait_for_removal(const char *sign)
{
    close(open(sign, O_CREAT | O_WRONLY, 0600));
    while (access(sign, F_OK) == 0)
        usleep(1000);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < STEPS; step++) {
        double mine = 1, all;
        work(0.01);
        if (rank == size - 1)
            extra_work(0.02);
        read_table(argv[1]);
        keep_history();
        if (argc > 2 && step == 5 && rank == 0)
            wait_for_removal(argv[2]);
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    return MPI_Finalize();
}
