/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recording begins off, and is switched on late: "end" shortly before MPI_Finalize, "used" before
 * the last uses of communicators, "freed" before one is freed.
 */
#include <mpi.h>
#include <string.h>

static const char *mode;

static int is(const char *name)
{
    return strcmp(mode, name) == 0;
}

int main(int argc, char **argv)
{
    MPI_Comm made;
    MPI_Init(&argc, &argv);
    mode = argc > 1 ? argv[1] : "end";
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Barrier(made);
    if (is("used"))
        MPI_Pcontrol(1);
    MPI_Barrier(made);
    MPI_Barrier(MPI_COMM_WORLD);
    if (is("freed"))
        MPI_Pcontrol(1);
    MPI_Comm_free(&made);
    MPI_Pcontrol(1);
    MPI_Finalize();
    return 0;
}
