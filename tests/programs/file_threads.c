/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI-IO with threads: the main thread starts operations on two files and another one waits for
 * them, in another order. Needs MPI_THREAD_MULTIPLE.
 */
#include <mpi.h>
#include <pthread.h>

#include "expect.h"

enum { N = 10, FILES = 2, EACH = 3 };

static int rank;
static int out[FILES][EACH][N];
static MPI_Request requests[FILES][EACH];

static void *wait_for_all(void *unused)
{
    MPI_Status status;
    int count = 0;
    for (int i = EACH; i-- > 0;)
        for (int file = 0; file < FILES; file++) {
            EXPECT(MPI_Wait(&requests[file][i], &status) == 0);
            MPI_Get_count(&status, MPI_INT, &count);
            EXPECT(count == N);
        }
    return unused;
}

int main(int argc, char **argv)
{
    MPI_File files[FILES];
    char names[FILES][32];
    pthread_t helper;
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    EXPECT(provided == MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int file = 0; file < FILES; file++) {
        snprintf(names[file], sizeof names[file], "threads.%d.%d", rank, file);
        EXPECT(MPI_File_open(MPI_COMM_SELF, names[file],
                             MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                             MPI_INFO_NULL, &files[file]) == 0);
        for (int i = 0; i < EACH; i++)
            EXPECT(MPI_File_iwrite_at(files[file], (MPI_Offset)i * N * 4, out[file][i], N, MPI_INT,
                                      &requests[file][i]) == 0);
    }
    pthread_create(&helper, NULL, wait_for_all, NULL);
    pthread_join(helper, NULL);
    for (int file = 0; file < FILES; file++)
        EXPECT(MPI_File_close(&files[file]) == 0);
    MPI_Finalize();
    return unexpected;
}
