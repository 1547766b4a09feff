/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cartesian topologies: a grid of 2 x 3 with periods, its copies (dup, idup, dup_with_info), its
 * rows and columns, a line that leaves a rank out; graphs, which have no coordinates. Needs 6
 * ranks.
 */
#include <mpi.h>

#include "expect.h"

static int rank, size;

static void shift(MPI_Comm comm, int dimension)
{
    int from, to, got = -1;
    MPI_Cart_shift(comm, dimension, 1, &from, &to);
    MPI_Sendrecv(&rank, 1, MPI_INT, to, 7, &got, 1, MPI_INT, from, 7, comm, MPI_STATUS_IGNORE);
    EXPECT((got >= 0) == (from != MPI_PROC_NULL));
}

static void copies(MPI_Comm grid)
{
    MPI_Comm copy, later;
    MPI_Request request;
    MPI_Comm_dup(grid, &copy);
    MPI_Comm_set_name(copy, "copy");
    shift(copy, 0);
    MPI_Comm_idup(grid, &later, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_set_name(later, "later");
    shift(later, 1);
    MPI_Comm_free(&later);
    MPI_Comm_free(&copy);
}

static void parts(MPI_Comm grid)
{
    static const int of_rows[] = {0, 1}, of_columns[] = {1, 0}, of_nothing[] = {0, 0};
    MPI_Comm row, column, alone;
    MPI_Cart_sub(grid, of_rows, &row);
    MPI_Comm_set_name(row, "row");
    shift(row, 0);
    MPI_Cart_sub(grid, of_columns, &column);
    shift(column, 0);
    MPI_Cart_sub(grid, of_nothing, &alone);
    if (alone != MPI_COMM_NULL) /* of MPICH only some ranks get one */
        MPI_Comm_free(&alone);
    MPI_Comm_free(&column);
    MPI_Comm_free(&row);
}

static void graph(void)
{
    int sources = (rank + size - 1) % size, dests = (rank + 1) % size;
    MPI_Comm ring;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &sources, MPI_UNWEIGHTED, 1, &dests,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    MPI_Comm_set_name(ring, "ring");
    int got = -1;
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, &got, 1, MPI_INT, ring);
    EXPECT(got == sources);
    MPI_Comm_free(&ring);
}

int main(int argc, char **argv)
{
    static const int dims[] = {2, 3}, periods[] = {0, 1};
    const int length = 5, open = 0;
    MPI_Comm grid, line;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    MPI_Comm_set_name(grid, "grid");
    shift(grid, 0);
    shift(grid, 1);
    copies(grid);
    parts(grid);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &length, &open, 0, &line);
    EXPECT((line == MPI_COMM_NULL) == (rank == 5));
    if (line != MPI_COMM_NULL) {
        MPI_Comm_set_name(line, "line");
        shift(line, 0);
        MPI_Comm_free(&line);
    }
    graph();
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return unexpected;
}
