/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The corners of requests. Each part leaves everything complete; tests/cases/requests.py knows the
 * records of each part. Every rank sends to the next rank.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

#define COMM MPI_COMM_WORLD
#define MANY 2000

static int rank, size, next, last;

/* Null requests in arrays, zero-size messages, and nobody as a partner. */
static void nothing_much(void)
{
    int one = 1, flag, index, done, indices[4];
    MPI_Status status, statuses[4];
    MPI_Request requests[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL,
                               MPI_REQUEST_NULL};
    MPI_Waitall(4, requests, statuses);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Test(&requests[0], &flag, &status);
    EXPECT(flag);
    MPI_Waitany(4, requests, &index, &status);
    EXPECT(index == MPI_UNDEFINED);
    MPI_Testany(4, requests, &index, &flag, MPI_STATUS_IGNORE);
    EXPECT(flag && index == MPI_UNDEFINED);
    MPI_Waitsome(4, requests, &done, indices, statuses);
    EXPECT(done == MPI_UNDEFINED);
    MPI_Testsome(4, requests, &done, indices, MPI_STATUSES_IGNORE);
    EXPECT(done == MPI_UNDEFINED);
    MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);

    MPI_Irecv(NULL, 0, MPI_INT, last, 1, COMM, &requests[1]);
    MPI_Isend(NULL, 0, MPI_INT, next, 1, COMM, &requests[3]);
    MPI_Waitall(4, requests, statuses);
    EXPECT(statuses[1].MPI_SOURCE == last);
    MPI_Isend(&one, 1, MPI_INT, MPI_PROC_NULL, 2, COMM, &requests[0]);
    MPI_Irecv(&one, 1, MPI_INT, MPI_PROC_NULL, 2, COMM, &requests[2]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    EXPECT(one == 1);
}

/* Waitsome and Testsome without statuses. */
static void some(void)
{
    int in[8], indices[16], left = 16;
    MPI_Request requests[16];
    for (int i = 0; i < 8; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, last, 10 + i, COMM, &requests[2 * i]);
    for (int i = 0; i < 8; i++)
        MPI_Isend(&rank, 1, MPI_INT, next, 10 + i, COMM, &requests[2 * i + 1]);
    for (int round = 0; left > 0; round++) {
        int done = 0;
        if (round % 2)
            MPI_Waitsome(16, requests, &done, indices, MPI_STATUSES_IGNORE);
        else
            MPI_Testsome(16, requests, &done, indices, MPI_STATUSES_IGNORE);
        left -= done;
    }
    for (int i = 0; i < 8; i++)
        EXPECT(in[i] == last);
}

/* Persistent requests: inactive requests in a wait; a free when inactive and when active. */
static void persistent(void)
{
    int in = -1, flag;
    MPI_Status status;
    MPI_Request requests[2];
    MPI_Recv_init(&in, 1, MPI_INT, last, 40, COMM, &requests[0]);
    MPI_Send_init(&rank, 1, MPI_INT, next, 40, COMM, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Test(&requests[0], &flag, &status);
    EXPECT(flag);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT(in == last && requests[0] != MPI_REQUEST_NULL);
    MPI_Request_free(&requests[0]);
    MPI_Start(&requests[1]);
    MPI_Request_free(&requests[1]);
    MPI_Recv(&in, 1, MPI_INT, last, 40, COMM, MPI_STATUS_IGNORE);
}

/* ---- generalised requests ---- */

static int query(void *state, MPI_Status *status)
{
    int count;
    MPI_Status_set_elements(status, MPI_INT, *(int *)state);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    MPI_Get_count(status, MPI_INT, &count); /* a call of ours within MPI_Wait */
    return MPI_SUCCESS;
}

static int release(void *state)
{
    *(int *)state = 0;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static MPI_Request work;

static void *complete_work(void *unused)
{
    (void)unused;
    MPI_Grequest_complete(work);
    return NULL;
}

static void generalised(void)
{
    int state = 3, flag, count, in;
    pthread_t thread;
    MPI_Status status, statuses[2];
    MPI_Request requests[2];
    MPI_Grequest_start(query, release, cancel, &state, &work);
    MPI_Test(&work, &flag, &status);
    EXPECT(!flag);
    pthread_create(&thread, NULL, complete_work, NULL);
    pthread_join(thread, NULL);
    MPI_Wait(&work, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT(count == 3 && state == 0);

    state = 4;
    MPI_Grequest_start(query, release, cancel, &state, &requests[0]);
    MPI_Irecv(&in, 1, MPI_INT, last, 50, COMM, &requests[1]);
    MPI_Send(&rank, 1, MPI_INT, next, 50, COMM);
    MPI_Grequest_complete(requests[0]);
    MPI_Waitall(2, requests, statuses);
    EXPECT(in == last && state == 0);
}

/* ---- threads: each completes the requests of another thread ---- */

static MPI_Request handed[MANY];
static int handed_in[MANY];

static void *complete_handed(void *unused)
{
    int done, indices[64];
    (void)unused;
    for (int i = 0; i < MANY / 2; i += 8)
        MPI_Waitall(8, &handed[i], MPI_STATUSES_IGNORE);
    for (int left = 64; left > 0; left -= done)
        MPI_Waitsome(64, &handed[MANY / 2], &done, indices, MPI_STATUSES_IGNORE);
    for (int i = MANY / 2 + 64; i < MANY; i++)
        MPI_Wait(&handed[i], MPI_STATUS_IGNORE);
    return NULL;
}

static void threads(void)
{
    pthread_t thread;
    for (int i = 0; i < MANY; i++)
        MPI_Irecv(&handed_in[i], 1, MPI_INT, last, 60, COMM, &handed[i]);
    pthread_create(&thread, NULL, complete_handed, NULL);
    for (int i = 0; i < MANY; i++)
        MPI_Send(&i, 1, MPI_INT, next, 60, COMM);
    pthread_join(thread, NULL);
    for (int i = 0; i < MANY; i++)
        EXPECT(handed_in[i] == i);
}

/* ---- cancelled receives; a receive was matched before ---- */

static void cancelled(void)
{
    int in = -1, flag;
    MPI_Status status;
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_INT, last, 70, COMM, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send(&rank, 1, MPI_INT, next, 71, COMM);
    MPI_Probe(last, 71, COMM, &status);
    MPI_Irecv(&in, 1, MPI_INT, last, 71, COMM, &request);
    for (flag = 0; !flag;)
        MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    MPI_Cancel(&request); /* too late */
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    EXPECT(!flag && in == last);
}

/* ---- many: all open at once, completed by the same call, several times ---- */

static void many(void)
{
    static MPI_Request requests[2 * MANY];
    static int in[MANY];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MANY; i++)
            MPI_Irecv(&in[i], 1, MPI_INT, last, i % 7, COMM, &requests[i]);
        for (int i = 0; i < MANY; i++)
            MPI_Isend(&rank, 1, MPI_INT, next, i % 7, COMM, &requests[MANY + i]);
        MPI_Waitall(2 * MANY, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < MANY; i++)
            EXPECT(in[i] == last);
        memset(in, 0, sizeof in);
    }
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    EXPECT(provided == MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(COMM, &rank);
    MPI_Comm_size(COMM, &size);
    next = (rank + 1) % size;
    last = (rank + size - 1) % size;
    nothing_much();
    some();
    persistent();
    generalised();
    threads();
    cancelled();
    many();
    if (rank == 0)
        printf("requests of %d ranks\n", size);
    MPI_Finalize();
    return unexpected;
}
