/* SPDX-License-Identifier: BSD-3-Clause */
/* How many bytes a collective operation moves, as this process sees it. */
#ifndef MPI_COLL_H
#define MPI_COLL_H

#include "wrappers/mpi/mpi_comm.h"

/* A send or a receive argument of a collective call: buffer, count or counts, type or types. */
struct mpi_block {
    mpi_word buffer;
    int64_t count;
    mpi_word counts; /* an array of int, or of MPI_Count in large-count functions; 0: `count` */
    mpi_word type;
    mpi_word types; /* an array of datatypes; 0: `type` */
    bool is_large;
};

struct mpi_coll {
    struct mpi_comm *comm; /* NULL: one that cannot be described */
    OTF2_CollectiveOp op;
    uint32_t root; /* as in a record */
    uint64_t sent;
    uint64_t received;
};

enum mpi_coll_root { MPI_COLL_NO_ROOT = INT32_MIN };

/*
 * `root` as the program passed it or MPI_COLL_NO_ROOT. Arguments that are significant elsewhere
 * only (the receive count of a Gather outside the root) are not looked at.
 */
struct mpi_coll mpi_coll_measure(mpi_word comm, OTF2_CollectiveOp op, int root,
                                 struct mpi_block send, struct mpi_block receive);

/* The same for MPI_Neighbor_*: to each destination, from each source. */
struct mpi_coll mpi_coll_measure_neighbours(mpi_word comm, OTF2_CollectiveOp op,
                                            struct mpi_block send, struct mpi_block receive);

#endif
