/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What MPI_Finalize takes, and how much memory a process has had by then: per rank one line, "RANK
 * CPU_MS MAX_RSS_KB". Usage: mpi_end OWN, the number of communicators that only this rank knows,
 * each with a name of its own.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static double cpu_ms(struct rusage *usage)
{
    getrusage(RUSAGE_SELF, usage);
    return 1e3 * (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           1e-3 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
    int own = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0;
    int rank;
    char name[64];
    struct rusage usage;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < own; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        snprintf(name, sizeof name, "communicator %d of rank %d", i, rank);
        MPI_Comm_set_name(comm, name);
        MPI_Comm_free(&comm);
    }
    double from = cpu_ms(&usage);
    MPI_Finalize();
    double ms = cpu_ms(&usage) - from;
    printf("%d %.3f %ld\n", rank, ms, usage.ru_maxrss);
    return 0;
}
