/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jacobi steps on a periodic two-dimensional grid of ranks. Each step exchanges four borders with
 * Irecv and Isend and completes them in another way: Waitall, Waitany, Test, Waitsome, Testany,
 * Testall, Testsome. Per rank: STEPS * 4 sends and receives.
 */
#include <mpi.h>
#include <unistd.h>

#include "expect.h"

#define STEPS 14
#define SIDES 4
#define LENGTH 64
#define REQUESTS (2 * SIDES)

/* A test that fails is a record: more ranks than cores would make millions of them. */
static void pause_if(int is_pending)
{
    if (is_pending)
        usleep(200);
}

static void wait_any(MPI_Request *requests)
{
    for (int left = REQUESTS; left > 0; left--) {
        int index;
        MPI_Waitany(REQUESTS, requests, &index, MPI_STATUS_IGNORE);
        EXPECT(index >= 0 && index < REQUESTS);
    }
}

static void test_each(MPI_Request *requests)
{
    for (int i = 0; i < REQUESTS; i++) {
        int done = 0;
        while (!done) {
            MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
            pause_if(!done);
        }
    }
}

static void wait_some(MPI_Request *requests)
{
    int indices[REQUESTS];
    MPI_Status statuses[REQUESTS];
    for (int left = REQUESTS, done = 0; left > 0; left -= done)
        MPI_Waitsome(REQUESTS, requests, &done, indices, statuses);
}

static void test_any(MPI_Request *requests)
{
    for (int left = REQUESTS; left > 0;) {
        int index, done = 0;
        MPI_Testany(REQUESTS, requests, &index, &done, MPI_STATUS_IGNORE);
        pause_if(!done);
        left -= done;
    }
}

static void test_all(MPI_Request *requests)
{
    int done = 0;
    while (!done) {
        MPI_Testall(REQUESTS, requests, &done, MPI_STATUSES_IGNORE);
        pause_if(!done);
    }
}

static void test_some(MPI_Request *requests)
{
    int indices[REQUESTS];
    for (int left = REQUESTS; left > 0;) {
        int done = 0;
        MPI_Testsome(REQUESTS, requests, &done, indices, MPI_STATUSES_IGNORE);
        pause_if(done == 0);
        left -= done;
    }
}

static void wait_all(MPI_Request *requests)
{
    MPI_Waitall(REQUESTS, requests, MPI_STATUSES_IGNORE);
}

static void (*const complete[])(MPI_Request *) = {wait_all, wait_any, test_each, wait_some,
                                                  test_any, test_all, test_some};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, dims[2] = {0, 0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);

    /* Sides: up, down, left, right; a message to one side comes from the opposite one. */
    int row = rank / dims[1], column = rank % dims[1];
    int peers[SIDES] = {(row + dims[0] - 1) % dims[0] * dims[1] + column,
                        (row + 1) % dims[0] * dims[1] + column,
                        row * dims[1] + (column + dims[1] - 1) % dims[1],
                        row * dims[1] + (column + 1) % dims[1]};
    double out[SIDES][LENGTH], in[SIDES][LENGTH];
    for (int step = 0; step < STEPS; step++) {
        MPI_Request requests[REQUESTS];
        for (int side = 0; side < SIDES; side++)
            MPI_Irecv(in[side], LENGTH, MPI_DOUBLE, peers[side], side ^ 1, MPI_COMM_WORLD,
                      &requests[side]);
        for (int side = 0; side < SIDES; side++) {
            for (int i = 0; i < LENGTH; i++)
                out[side][i] = step * 1e6 + rank * 1e3 + i;
            /* Borders of different length keep the byte counts apart. */
            MPI_Isend(out[side], LENGTH - side, MPI_DOUBLE, peers[side], side, MPI_COMM_WORLD,
                      &requests[SIDES + side]);
        }
        complete[step % (int)(sizeof complete / sizeof *complete)](requests);
        for (int side = 0; side < SIDES; side++)
            EXPECT(in[side][1] == step * 1e6 + peers[side] * 1e3 + 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d steps on %d x %d\n", STEPS, dims[0], dims[1]);
    MPI_Finalize();
    return unexpected;
}
