/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes that a collective operation moves, as this process sees the operation. */
#ifndef MPI_COLL_H
#define MPI_COLL_H

#include "wrappers/mpi/library/mpi_size.h"
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
    struct mpi_comm *comm; /* NULL: cannot be described */
    OTF2_CollectiveOp op;
    uint32_t root; /* as in a record */
    uint64_t sent;
    uint64_t received;
};

enum mpi_coll_root { MPI_COLL_NO_ROOT = INT32_MIN };

struct mpi_coll mpi_coll_measure_slowly(struct mpi_comm *comm, OTF2_CollectiveOp op, int root,
                                        const struct mpi_block *send,
                                        const struct mpi_block *receive);

/* One count and one type, the same in all processes, and not MPI_IN_PLACE. */
MPI_HOT bool mpi_coll_is_plain(const struct mpi_block *block)
{
    return !block->counts && !block->types && block->buffer != mpi_library()->layout.in_place;
}

/*
 * `root` as the program passed it or MPI_COLL_NO_ROOT. Arguments with a meaning in other processes
 * only (the receive count of a Gather outside the root) are not read. In a wrapper all but the
 * values is constant, so the compiler keeps a single way through the function.
 */
MPI_HOT struct mpi_coll mpi_coll_measure(mpi_word comm, OTF2_CollectiveOp op, int root,
                                         const struct mpi_block *send,
                                         const struct mpi_block *receive)
{
    struct mpi_coll coll = {.comm = mpi_comm_of(comm), .op = op};
    coll.root = OTF2_COLLECTIVE_ROOT_NONE;
    if (!coll.comm || op == OTF2_COLLECTIVE_OP_BARRIER)
        return coll;
    if ((op == OTF2_COLLECTIVE_OP_ALLREDUCE || op == OTF2_COLLECTIVE_OP_ALLTOALL ||
         op == OTF2_COLLECTIVE_OP_ALLGATHER) &&
        mpi_coll_is_plain(send) && mpi_coll_is_plain(receive)) {
        const uint64_t partners = (uint64_t)mpi_comm_partners(coll.comm);
        coll.sent = partners * mpi_bytes(mpi_library(), send->count, send->type);
        coll.received = partners * mpi_bytes(mpi_library(), receive->count, receive->type);
        return coll;
    }
    return mpi_coll_measure_slowly(coll.comm, op, root, send, receive);
}

/* The same for MPI_Neighbor_*: to each destination, from each source. */
struct mpi_coll mpi_coll_measure_neighbours(mpi_word comm, OTF2_CollectiveOp op,
                                            const struct mpi_block *send,
                                            const struct mpi_block *receive);

#endif
