/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided communication: windows of all makes; puts, gets and atomic operations under fences,
 * locks and groups; flushes and requests. Each rank works on its right neighbour. Needs 2 ranks.
 *
 * What arrives is looked at under fences and locks only: MPICH 4.0.2 loses single values that are
 * put with a request or between groups, without any tracer.
 */
#include <mpi.h>

#include "expect.h"

enum { N = 100 };

static int rank, size, right, left;

static void fences(void)
{
    int mine[N] = {0}, got[N];
    MPI_Win win;
    MPI_Win_create(mine, sizeof mine, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_name(win, "fenced");
    MPI_Win_fence(0, win);
    for (int i = 0; i < N; i++)
        got[i] = rank * N + i;
    MPI_Put(got, N, MPI_INT, right, 0, N, MPI_INT, win);
    MPI_Put(got, N, MPI_INT, MPI_PROC_NULL, 0, N, MPI_INT, win); /* no message */
    MPI_Win_fence(0, win);
    for (int i = 0; i < N; i++)
        EXPECT(mine[i] == left * N + i);
    MPI_Get(got, 10, MPI_INT, right, 5, 10, MPI_INT, win);
    MPI_Win_fence(0, win);
    EXPECT(got[0] == rank * N + 5);
    MPI_Win_free(&win);
}

static void locks(void)
{
    long *mine, one = 1, old = -1, zero = 0;
    MPI_Win win;
    MPI_Win_allocate(4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    for (int i = 0; i < 4; i++)
        mine[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_unlock(0, win);
    MPI_Win_lock_all(0, win);
    MPI_Fetch_and_op(&one, &old, MPI_LONG, right, 1, MPI_SUM, win);
    MPI_Win_flush(right, win);
    EXPECT(old == 0);
    MPI_Compare_and_swap(&one, &zero, &old, MPI_LONG, right, 2, win);
    MPI_Get_accumulate(&one, 1, MPI_LONG, &old, 1, MPI_LONG, right, 3, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_flush_local_all(win);
    MPI_Win_flush_all(win);
    MPI_Win_sync(win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Get(&old, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Win_unlock(0, win);
    EXPECT(old == size);
    MPI_Win_free(&win);
}

static void requests(MPI_Comm comm)
{
    double *mine, value = rank, got = -1;
    MPI_Win win;
    MPI_Request request[2];
    int flag = 0;
    MPI_Win_allocate(sizeof *mine, sizeof *mine, MPI_INFO_NULL, comm, &mine, &win);
    MPI_Win_lock_all(0, win);
    MPI_Rput(&value, 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win, &request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Win_flush_all(win);
    MPI_Barrier(comm);
    MPI_Rget(&got, 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win, &request[0]);
    MPI_Raccumulate(&value, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, 1, MPI_DOUBLE, MPI_SUM, win,
                    &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Rget(&got, 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win, &request[0]);
    while (!flag)
        MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

static void groups(void)
{
    int mine = -1;
    MPI_Win win;
    MPI_Group world, origin, target;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &left, &origin);
    MPI_Group_incl(world, 1, &right, &target);
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_post(origin, 0, win);
    MPI_Win_start(target, 0, win);
    MPI_Put(&rank, 1, MPI_INT, right, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    MPI_Win_free(&win);
    MPI_Group_free(&world);
    MPI_Group_free(&origin);
    MPI_Group_free(&target);
}

int main(int argc, char **argv)
{
    MPI_Comm twin;
    MPI_Win shared, dynamic;
    int *part;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    fences();
    locks();
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    requests(twin);
    groups();
    MPI_Win_allocate_shared(sizeof *part, sizeof *part, MPI_INFO_NULL, twin, &part, &shared);
    MPI_Win_create_dynamic(MPI_INFO_NULL, twin, &dynamic);
    MPI_Win_free(&dynamic);
    MPI_Win_free(&shared);
    MPI_Comm_free(&twin);
    MPI_Finalize();
    return unexpected;
}
