/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every collective of MPI-3: blocking and non-blocking, out of place and in place where MPI allows
 * it. Each of the 4 passes makes 17 calls on MPI_COMM_WORLD (15 when in place: a barrier and a
 * broadcast have no second buffer); 2 passes of 5 neighbourhood collectives follow.
 */
#include <mpi.h>

#include "expect.h"

#define MAX 64
#define ROOT 1

static int rank, size, is_blocking;
static int counts[MAX], places[MAX], total; /* rank r contributes r + 1 numbers */
static int bytes_at[MAX], ones[MAX];
static MPI_Datatype types[MAX];
static int out[MAX * MAX], in[MAX * MAX];

#define RUN(blocking, starting, ...)                                                               \
    do {                                                                                           \
        if (is_blocking) {                                                                         \
            MPI_##blocking(__VA_ARGS__);                                                           \
        } else {                                                                                   \
            MPI_Request request;                                                                   \
            MPI_##starting(__VA_ARGS__, &request);                                                 \
            MPI_Wait(&request, MPI_STATUS_IGNORE);                                                 \
        }                                                                                          \
    } while (0)

static void fill(int *numbers, int first, int step)
{
    for (int i = 0; i < MAX; i++)
        numbers[i] = first + step * i;
}

static void one_to_all(int in_place)
{
    if (!in_place) {
        RUN(Barrier, Ibarrier, MPI_COMM_WORLD);
        fill(in, rank == ROOT ? 7 : 0, 1);
        RUN(Bcast, Ibcast, in, 10, MPI_INT, ROOT, MPI_COMM_WORLD);
        EXPECT(in[9] == 16);
    }
    int is_kept = in_place && rank == ROOT;
    fill(out, 100, 1);
    fill(in, 0, 0);
    RUN(Scatter, Iscatter, out, 1, MPI_INT, is_kept ? MPI_IN_PLACE : in, 1, MPI_INT, ROOT,
        MPI_COMM_WORLD);
    EXPECT(is_kept || in[0] == 100 + rank);
    RUN(Scatterv, Iscatterv, out, counts, places, MPI_INT, is_kept ? MPI_IN_PLACE : in, rank + 1,
        MPI_INT, ROOT, MPI_COMM_WORLD);
    EXPECT(is_kept || in[rank] == 100 + places[rank] + rank);
}

static void all_to_one(int in_place)
{
    int is_kept = in_place && rank == ROOT;
    fill(out, rank, 0);
    fill(in, -1, 0);
    in[rank] = rank;
    RUN(Gather, Igather, is_kept ? MPI_IN_PLACE : out, 1, MPI_INT, in, 1, MPI_INT, ROOT,
        MPI_COMM_WORLD);
    EXPECT(rank != ROOT || (in[0] == 0 && in[size - 1] == size - 1));
    for (int i = 0; i <= rank; i++)
        in[places[rank] + i] = rank;
    RUN(Gatherv, Igatherv, is_kept ? MPI_IN_PLACE : out, rank + 1, MPI_INT, in, counts, places,
        MPI_INT, ROOT, MPI_COMM_WORLD);
    EXPECT(rank != ROOT || in[total - 1] == size - 1);
    fill(in, rank, 0);
    RUN(Reduce, Ireduce, is_kept ? MPI_IN_PLACE : out, in, 3, MPI_INT, MPI_SUM, ROOT,
        MPI_COMM_WORLD);
    EXPECT(rank != ROOT || in[2] == size * (size - 1) / 2);
}

static void gather_to_all(int in_place)
{
    fill(out, rank, 0);
    fill(in, -1, 0);
    in[rank] = rank;
    RUN(Allgather, Iallgather, in_place ? MPI_IN_PLACE : out, 1, MPI_INT, in, 1, MPI_INT,
        MPI_COMM_WORLD);
    EXPECT(in[0] == 0 && in[size - 1] == size - 1);
    for (int i = 0; i <= rank; i++)
        in[places[rank] + i] = rank;
    RUN(Allgatherv, Iallgatherv, in_place ? MPI_IN_PLACE : out, rank + 1, MPI_INT, in, counts,
        places, MPI_INT, MPI_COMM_WORLD);
    EXPECT(in[total - 1] == size - 1 && in[0] == 0);
}

static void all_to_all(int in_place)
{
    const void *send = in_place ? MPI_IN_PLACE : out;
    fill(out, rank * 100, 1);
    fill(in, rank * 100, 1);
    RUN(Alltoall, Ialltoall, send, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    EXPECT(in[0] == rank && in[size - 1] == (size - 1) * 100 + rank);
    fill(in, rank * 100, 1);
    RUN(Alltoallv, Ialltoallv, send, ones, places, MPI_INT, in, ones, places, MPI_INT,
        MPI_COMM_WORLD);
    EXPECT(in[places[size - 1]] == (size - 1) * 100 + places[rank]);
    fill(in, rank * 100, 1);
    RUN(Alltoallw, Ialltoallw, send, ones, bytes_at, types, in, ones, bytes_at, types,
        MPI_COMM_WORLD);
    EXPECT(in[size - 1] == (size - 1) * 100 + rank);
}

static void reduce_to_all(int in_place)
{
    const void *send = in_place ? MPI_IN_PLACE : out;
    fill(out, rank, 1);
    fill(in, rank, 1);
    RUN(Allreduce, Iallreduce, send, in, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT(in[4] == size * (size - 1) / 2 + 4 * size);
    fill(in, rank, 1);
    RUN(Reduce_scatter_block, Ireduce_scatter_block, send, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT(in[0] == size * (size - 1) / 2 + 2 * rank * size);
    fill(in, rank, 1);
    RUN(Reduce_scatter, Ireduce_scatter, send, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT(in[0] == size * (size - 1) / 2 + places[rank] * size);
    fill(in, rank, 1);
    RUN(Scan, Iscan, send, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT(in[0] == rank * (rank + 1) / 2);
    fill(in, rank, 1);
    RUN(Exscan, Iexscan, send, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT(rank == 0 || in[0] == rank * (rank - 1) / 2);
}

/* A periodic line: two neighbours, the lower one first. */
static void neighbourhood(MPI_Comm line)
{
    int pair[2] = {1, 1}, at[2] = {0, 1};
    MPI_Aint bytes[2] = {0, sizeof(int)};
    int lower = (rank + size - 1) % size, upper = (rank + 1) % size;
    fill(out, rank * 10, 1);
    RUN(Neighbor_allgather, Ineighbor_allgather, out, 1, MPI_INT, in, 1, MPI_INT, line);
    EXPECT(in[0] == lower * 10 && in[1] == upper * 10);
    RUN(Neighbor_allgatherv, Ineighbor_allgatherv, out, 1, MPI_INT, in, pair, at, MPI_INT, line);
    EXPECT(in[0] == lower * 10 && in[1] == upper * 10);
    RUN(Neighbor_alltoall, Ineighbor_alltoall, out, 1, MPI_INT, in, 1, MPI_INT, line);
    EXPECT(size < 3 || (in[0] == lower * 10 + 1 && in[1] == upper * 10));
    RUN(Neighbor_alltoallv, Ineighbor_alltoallv, out, pair, at, MPI_INT, in, pair, at, MPI_INT,
        line);
    EXPECT(size < 3 || (in[0] == lower * 10 + 1 && in[1] == upper * 10));
    RUN(Neighbor_alltoallw, Ineighbor_alltoallw, out, pair, bytes, types, in, pair, bytes, types,
        line);
    EXPECT(size < 3 || (in[0] == lower * 10 + 1 && in[1] == upper * 10));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < size; i++) {
        counts[i] = i + 1;
        places[i] = total;
        total += counts[i];
        bytes_at[i] = i * (int)sizeof(int);
        ones[i] = 1;
        types[i] = MPI_INT;
    }
    MPI_Comm line;
    int periodic = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &line);
    for (is_blocking = 1; is_blocking >= 0; is_blocking--) {
        for (int in_place = 0; in_place < 2; in_place++) {
            one_to_all(in_place);
            all_to_one(in_place);
            gather_to_all(in_place);
            all_to_all(in_place);
            reduce_to_all(in_place);
        }
        neighbourhood(line);
    }
    MPI_Comm_free(&line);
    if (rank == 0)
        printf("collectives of %d ranks\n", size);
    MPI_Finalize();
    return unexpected;
}
