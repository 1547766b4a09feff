/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A small profiling tool as there are many: it stands before MPI by the profiling interface, counts
 * calls and bytes per function, and prints them in MPI_Finalize; at the exit where it does not see
 * that (a Fortran layer may call PMPI_Finalize).
 */
#include <mpi.h>
#include <stdio.h>

enum function {
    INIT,
    SEND,
    SSEND,
    RECV,
    ISEND,
    IRECV,
    SENDRECV,
    WAIT,
    WAITALL,
    STARTALL,
    BARRIER,
    BCAST,
    ALLREDUCE,
    COMM_SIZE,
    COMM_DUP,
    FUNCTIONS
};

static const char *const names[FUNCTIONS] = {
    "Init",    "Send",     "Ssend",   "Recv",  "Isend",     "Irecv",     "Sendrecv", "Wait",
    "Waitall", "Startall", "Barrier", "Bcast", "Allreduce", "Comm_size", "Comm_dup",
};

static struct {
    long calls;
    long bytes;
} counts[FUNCTIONS];
static int is_printed;

static void count(enum function function, int n, MPI_Datatype datatype)
{
    int size = 0;
    if (n > 0)
        PMPI_Type_size(datatype, &size);
    __atomic_add_fetch(&counts[function].calls, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&counts[function].bytes, (long)n * size, __ATOMIC_RELAXED);
}

__attribute__((destructor)) static void print(void)
{
    if (__atomic_exchange_n(&is_printed, 1, __ATOMIC_RELAXED))
        return;
    for (int i = 0; i < FUNCTIONS; i++)
        printf("tool: MPI_%s: %ld calls, %ld bytes\n", names[i], counts[i].calls, counts[i].bytes);
    fflush(stdout);
}

int MPI_Init(int *argc, char ***argv)
{
    count(INIT, 0, MPI_BYTE);
    return PMPI_Init(argc, argv);
}

int MPI_Finalize(void)
{
    print();
    return PMPI_Finalize();
}

int MPI_Send(const void *buf, int n, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    count(SEND, n, type);
    return PMPI_Send(buf, n, type, dest, tag, comm);
}

int MPI_Ssend(const void *buf, int n, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    count(SSEND, n, type);
    return PMPI_Ssend(buf, n, type, dest, tag, comm);
}

int MPI_Recv(void *buf, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    count(RECV, n, type);
    return PMPI_Recv(buf, n, type, source, tag, comm, status);
}

int MPI_Isend(const void *buf, int n, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    count(ISEND, n, type);
    return PMPI_Isend(buf, n, type, dest, tag, comm, request);
}

int MPI_Irecv(void *buf, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    count(IRECV, n, type);
    return PMPI_Irecv(buf, n, type, source, tag, comm, request);
}

int MPI_Sendrecv(const void *out, int n, MPI_Datatype type, int dest, int tag, void *in, int m,
                 MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm, MPI_Status *status)
{
    count(SENDRECV, n, type);
    return PMPI_Sendrecv(out, n, type, dest, tag, in, m, in_type, source, in_tag, comm, status);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    count(WAIT, 0, MPI_BYTE);
    return PMPI_Wait(request, status);
}

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[])
{
    count(WAITALL, 0, MPI_BYTE);
    return PMPI_Waitall(n, requests, statuses);
}

int MPI_Startall(int n, MPI_Request requests[])
{
    count(STARTALL, 0, MPI_BYTE);
    return PMPI_Startall(n, requests);
}

int MPI_Barrier(MPI_Comm comm)
{
    count(BARRIER, 0, MPI_BYTE);
    return PMPI_Barrier(comm);
}

int MPI_Bcast(void *buf, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    count(BCAST, n, type);
    return PMPI_Bcast(buf, n, type, root, comm);
}

int MPI_Allreduce(const void *out, void *in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    count(ALLREDUCE, n, type);
    return PMPI_Allreduce(out, in, n, type, op, comm);
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    count(COMM_SIZE, 0, MPI_BYTE);
    return PMPI_Comm_size(comm, size);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    count(COMM_DUP, 0, MPI_BYTE);
    return PMPI_Comm_dup(comm, made);
}
