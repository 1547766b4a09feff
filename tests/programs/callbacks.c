/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI calls what the program gave it, and that calls MPI: operators, copies and deletions of
 * attributes (the last one in MPI_Finalize, with communication), error handlers. What is called in
 * there is part of the call that led there; a request that began outside ends there all the same.
 */
#include <mpi.h>

#include "expect.h"

#define COMM MPI_COMM_WORLD

static int rank, size, calls;

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    int bytes, flag;
    MPI_Type_size(*type, &bytes);
    MPI_Initialized(&flag);
    EXPECT(bytes == (int)sizeof(int) && flag);
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
    calls++;
}

static void operators(void)
{
    int sum = 0;
    MPI_Op op;
    MPI_Request request;
    MPI_Op_create(add, 1, &op);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, op, COMM);
    EXPECT(sum == size * (size - 1) / 2);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, op, COMM, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(sum == size * (size - 1) / 2);
    EXPECT(size == 1 || calls > 0);
    MPI_Op_free(&op);
}

#if !defined(MPI_ABI_VERSION)
static int copy(MPI_Comm comm, int key, void *state, void *in, void *out, int *flag)
{
    int members, value = 1;
    (void)key;
    (void)state;
    MPI_Comm_size(comm, &members);
    EXPECT(members == size);
    /* To itself: a message that begins and ends within MPI_Comm_dup. */
    MPI_Sendrecv_replace(&value, 1, MPI_INT, 0, 5, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    *(void **)out = in;
    *flag = 1;
    calls++;
    return MPI_SUCCESS;
}

static MPI_Request outside;

static int complete(MPI_Comm comm, int key, void *state, void *in, void *out, int *flag)
{
    (void)comm;
    (void)key;
    (void)state;
    (void)in;
    (void)out;
    *flag = 0;
    calls++;
    return MPI_Wait(&outside, MPI_STATUS_IGNORE);
}

/* Begun here and ended in a callback; what comes next may have the same handle. */
static void requests(void)
{
    int key, in[2] = {0, 0}, out[2] = {11, 12}, value = 0;
    MPI_Comm copied;
    MPI_Comm_create_keyval(complete, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(COMM, key, &value);
    MPI_Irecv(in, 1, MPI_INT, 0, 8, MPI_COMM_SELF, &outside);
    MPI_Send(out, 1, MPI_INT, 0, 8, MPI_COMM_SELF);
    MPI_Comm_dup(COMM, &copied);
    MPI_Comm_delete_attr(COMM, key);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_free(&copied);
    EXPECT(outside == MPI_REQUEST_NULL && in[0] == out[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, 0, 9, MPI_COMM_SELF, &outside);
    MPI_Send(&out[1], 1, MPI_INT, 0, 9, MPI_COMM_SELF);
    MPI_Wait(&outside, MPI_STATUS_IGNORE);
    EXPECT(in[1] == out[1]);
}

static int forget(MPI_Comm comm, int key, void *value, void *state)
{
    int own;
    (void)key;
    (void)value;
    (void)state;
    MPI_Comm_rank(comm, &own);
    calls++;
    return MPI_SUCCESS;
}

/* On MPI_COMM_SELF: called by MPI_Finalize, which may still communicate. */
static int at_end(MPI_Comm comm, int key, void *value, void *state)
{
    int in = -1;
    (void)comm;
    (void)key;
    (void)value;
    (void)state;
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 6, &in, 1, MPI_INT, (rank + size - 1) % size,
                 6, COMM, MPI_STATUS_IGNORE);
    EXPECT(in == (rank + size - 1) % size);
    MPI_Barrier(COMM);
    return MPI_SUCCESS;
}

static void attributes(void)
{
    static int value = 7;
    int key, last_key, before = calls;
    MPI_Comm one, two;
    MPI_Comm_create_keyval(copy, forget, &key, NULL);
    MPI_Comm_dup(COMM, &one);
    MPI_Comm_set_attr(one, key, &value);
    MPI_Comm_dup(one, &two);
    MPI_Comm_free(&two);
    MPI_Comm_delete_attr(one, key);
    MPI_Comm_free(&one);
    EXPECT(calls == before + 3);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &last_key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, last_key, &value);
}

static void on_error(MPI_Comm *comm, int *error, ...)
{
    char text[MPI_MAX_ERROR_STRING];
    int length, own;
    MPI_Error_string(*error, text, &length);
    MPI_Comm_rank(*comm, &own);
    calls++;
}

static void errors(void)
{
    int value = 0, before = calls;
    MPI_Errhandler handler;
    MPI_Comm comm;
    MPI_Comm_dup(COMM, &comm);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    EXPECT(MPI_Send(&value, 1, MPI_INT, size, 7, comm) != MPI_SUCCESS);
    EXPECT(MPI_Bcast(&value, 1, MPI_INT, size, comm) != MPI_SUCCESS);
    EXPECT(calls == before + 2);
    MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
    EXPECT(calls == before + 3);
    MPI_Comm_free(&comm);
}
#else
static void requests(void)
{
}
static void attributes(void)
{
}
static void errors(void)
{
}
#endif

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(COMM, &rank);
    MPI_Comm_size(COMM, &size);
    operators();
    requests();
    attributes();
    errors();
    if (rank == 0)
        printf("callbacks on %d ranks\n", size);
    MPI_Finalize();
    return unexpected;
}
