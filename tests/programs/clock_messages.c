/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clock_messages MESSAGES [forbid]: two ranks send each other so many messages, some in a row and
 * back again. With `forbid` a thread of rank 1 may not read the processor's clock, from the middle
 * on: the MPI library goes on with it, the agent does not.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>

enum { ROW = 40 };

static void *forbid(void *unused)
{
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
    return unused;
}

static void forbid_in_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, forbid, NULL) == 0)
        pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, word = 0, messages = argc > 1 ? atoi(argv[1]) : ROW;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int sent = 0; sent < messages; sent += ROW) {
        if (rank == 1 && argc > 2 && sent == messages / 2 / ROW * ROW)
            forbid_in_thread();
        for (int i = 0; i < ROW; i++)
            if (sent / ROW % 2 == rank)
                MPI_Send(&word, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
            else
                MPI_Recv(&word, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
