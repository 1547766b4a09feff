/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two ranks: the first works long, and sends; the other works little, and waits for it. Each tells
 * the CPU time of its work, the time of its calls of MPI, and all from the end of MPI_Init to the
 * begin of MPI_Finalize. With "chat" each sends itself many messages before, which do not count;
 * with "pause" they work and wait as much again in the middle, without being recorded, which does
 * not count either.
 */
#include <string.h>

#include <mpi.h>

#include "truth.h"

enum { CHATTER = 20000, ROUNDS = 6, MUCH_MS = 100, LITTLE_MS = 30 };

__attribute__((noinline)) static int64_t work(int milliseconds)
{
    return truth_burn(milliseconds);
}

static int rank, value;
static int64_t working, calling;

static void chat(void)
{
    int got;
    for (int i = 0; i < CHATTER; i++) /* nobody waits in it, however busy the machine is */
        MPI_Sendrecv(&value, 1, MPI_INT, rank, 1, &got, 1, MPI_INT, rank, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void run_rounds(int n)
{
    int sum;
    for (int i = 0; i < n; i++) {
        working += work(rank == 0 ? MUCH_MS : LITTLE_MS);
        int64_t begin = truth_wall();
        if (rank == 0)
            MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else if (rank == 1)
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        calling += truth_wall() - begin;
        working += work(rank == 1 ? MUCH_MS / 2 : LITTLE_MS);
        begin = truth_wall();
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        calling += truth_wall() - begin;
    }
}

/* Returns how long it took. */
static int64_t pause_recording(void)
{
    int64_t begin = truth_wall(), work_before = working, calls_before = calling;
    MPI_Pcontrol(0);
    run_rounds(ROUNDS);
    MPI_Pcontrol(1);
    working = work_before;
    calling = calls_before;
    return truth_wall() - begin;
}

int main(int argc, char **argv)
{
    int64_t off = 0;
    const char *mode = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(mode, "chat") == 0)
        chat();
    int64_t first = truth_wall();
    run_rounds(ROUNDS / 2);
    if (strcmp(mode, "pause") == 0)
        off = pause_recording();
    run_rounds(ROUNDS - ROUNDS / 2);
    int64_t all = truth_wall() - first - off;
    char line[160];
    snprintf(line, sizeof line, "work%d %lld\nmpi%d %lld\nall%d %lld\n", rank, (long long)working,
             rank, (long long)calling, rank, (long long)all);
    fputs(line, stdout);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
