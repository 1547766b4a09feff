/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stands MODE: a job that comes to stand still. Each rank first tells "RANK PID NS", the calendar
 * time of entry into the call where the rank stays:
 *   recv     receives from its right neighbour, by tag 7 + rank; nobody sends with the tag
 *   wait     the same by MPI_Irecv and MPI_Wait
 *   persistent, isendrecv   the same by MPI_Recv_init, and by MPI_Isendrecv
 *   send     sends a message too long to go ahead to its right neighbour; nobody receives
 *   barrier  the last rank computes until SIGUSR1; all earlier ranks stand in MPI_Barrier
 *   bcast    of a communicator of all but rank 0; its root 1 computes, rank 0 receives from anyone
 *   crash    the last rank writes to NULL in fall_over(), all earlier ranks receive from it
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { TAG = 7, LONG_MESSAGE = 16 << 20, ROUNDS = 3, READ_US = 500000 };

static int rank, size;

static void tell(void)
{
    struct timespec now;
    char line[80];
    clock_gettime(CLOCK_REALTIME, &now);
    int n = snprintf(line, sizeof line, "%d %d %lld\n", rank, (int)getpid(),
                     (long long)now.tv_sec * 1000000000 + now.tv_nsec);
    if (write(STDOUT_FILENO, line, (size_t)n) != n)
        abort();
}

static volatile sig_atomic_t is_called;

static void call(int number)
{
    (void)number;
    is_called = 1;
}

/* Until SIGUSR1; without a call that anybody records. */
static void compute(void)
{
    while (!is_called)
        usleep(1000);
}

static __attribute__((noinline)) void fall_over(volatile int *at)
{
    *at = rank; /* the place */
}

static void stand(const char *mode)
{
    static char buffer[LONG_MESSAGE];
    const int right = (rank + 1) % size, tag = TAG + rank;
    MPI_Request request;
    MPI_Comm most;
    if (strcmp(mode, "bcast") == 0)
        MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &most);
    for (int i = 0; i < ROUNDS; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    tell();
    if (strcmp(mode, "recv") == 0) {
        MPI_Recv(buffer, 1, MPI_INT, right, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(mode, "wait") == 0) {
        MPI_Irecv(buffer, 1, MPI_INT, right, tag, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (strcmp(mode, "persistent") == 0) {
        MPI_Recv_init(buffer, 1, MPI_INT, right, tag, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#if MPI_VERSION >= 4
    } else if (strcmp(mode, "isendrecv") == 0) {
        MPI_Isendrecv(buffer, 1, MPI_INT, right, 0, buffer + sizeof(int), 1, MPI_INT, right, tag,
                      MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    } else if (strcmp(mode, "send") == 0) {
        MPI_Send(buffer, LONG_MESSAGE, MPI_CHAR, right, tag, MPI_COMM_WORLD);
    } else if (strcmp(mode, "barrier") == 0) {
        if (rank == size - 1)
            compute();
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (strcmp(mode, "bcast") == 0) {
        if (rank == 1)
            compute();
        if (rank == 0)
            MPI_Recv(buffer, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Bcast(buffer, LONG_MESSAGE, MPI_CHAR, 0, most);
    } else if (strcmp(mode, "crash") == 0) {
        if (rank == size - 1) {
            usleep(READ_US); /* launchers forget the last output of all ranks when a rank dies */
            fall_over(NULL);
        }
        MPI_Recv(buffer, 1, MPI_INT, size - 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    MPI_Init(&argc, &argv);
    signal(SIGUSR1, call);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    stand(argc > 1 ? argv[1] : "recv");
    MPI_Finalize();
    return 0;
}
