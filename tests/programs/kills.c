/* SPDX-License-Identifier: BSD-3-Clause */
/* A ring for ever, counted, that makes a communicator now and then: `kills FILE`. */
#include <mpi.h>

#include "kill_counts.h"

enum { COMMS = 64, ROUNDS = 20, PAUSE_US = 100 };

int main(int argc, char **argv)
{
    int rank, size, got, comms = 0;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    struct kill_count *count = &kill_counts_open(argv[1])[rank];
    atomic_store(&count->pid, (uint64_t)getpid());
    for (int i = 0;; i++) {
        COUNTED(count,
                MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT,
                             (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        if (i % ROUNDS == 0 && comms++ < COMMS)
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        usleep(PAUSE_US);
    }
}
