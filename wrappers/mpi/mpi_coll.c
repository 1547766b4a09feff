/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/mpi_coll.h"

#include "wrappers/mpi/library/mpi_size.h"

/* The operation from the point of view of the calling process. */
struct part {
    const struct mpi_library *lib;
    const struct mpi_comm *comm;
    const struct mpi_block *send;
    const struct mpi_block *receive;
    int partners;
    bool is_in_place;
    bool is_root;
    bool is_idle; /* in the root's group, and not the root */
};

static int64_t count_of(const struct mpi_block *block, int i)
{
    if (!block->counts)
        return block->count;
    if (!block->is_large)
        return mpi_int_at(block->counts + (mpi_word)i * sizeof(int));
    int64_t count;
    memcpy(&count, mpi_address(block->counts + (mpi_word)i * sizeof count), sizeof count);
    return count;
}

/* Bytes of the block that belongs to partner i. */
static uint64_t bytes_of(const struct mpi_library *lib, const struct mpi_block *block, int i)
{
    mpi_word type = block->types ? mpi_handle_at(lib, block->types, i) : block->type;
    return mpi_bytes(lib, count_of(block, i), type);
}

/* Of n partners, without the partners that are not `there` (NULL: all are). */
static uint64_t total(const struct mpi_library *lib, const struct mpi_block *block, int n,
                      const bool *there)
{
    uint64_t bytes = 0;
    /* One type size for the frequent case of many counts and one type. */
    uint64_t each = block->types ? 0 : mpi_bytes(lib, 1, block->type);
    for (int i = 0; i < n; i++) {
        if (there && !there[i])
            continue;
        int64_t count = count_of(block, i);
        if (block->types)
            bytes += bytes_of(lib, block, i);
        else if (count > 0)
            bytes += (uint64_t)count * each;
    }
    return bytes;
}

static uint64_t all(const struct part *p, const struct mpi_block *block)
{
    if (!block->counts && !block->types)
        return (uint64_t)p->partners * bytes_of(p->lib, block, 0);
    return total(p->lib, block, p->partners, NULL);
}

static uint64_t mine(const struct part *p, const struct mpi_block *block)
{
    return bytes_of(p->lib, block, p->comm->rank);
}

/* Bcast, Scatter, Scatterv. The root of a Bcast receives as well, so says the table. */
static void one_to_all(const struct part *p, struct mpi_coll *coll)
{
    if (p->is_idle)
        return;
    if (p->is_root) {
        coll->sent = all(p, p->send) - (p->is_in_place ? mine(p, p->send) : 0);
        if (mpi_comm_is_inter(p->comm) || p->is_in_place)
            return;
    }
    coll->received = bytes_of(p->lib, p->receive, 0);
}

/* Gather, Gatherv, Reduce. */
static void all_to_one(const struct part *p, struct mpi_coll *coll)
{
    if (p->is_idle)
        return;
    if (p->is_root)
        coll->received = all(p, p->receive) - (p->is_in_place ? mine(p, p->receive) : 0);
    if (!p->is_root || !(p->is_in_place || mpi_comm_is_inter(p->comm)))
        coll->sent = bytes_of(p->lib, p->send, 0);
}

/* Allgather*, Alltoall*, Allreduce. In place the receive arguments describe both sides. */
static void all_to_all(const struct part *p, struct mpi_coll *coll)
{
    coll->received = all(p, p->receive);
    if (!p->is_in_place) {
        coll->sent = all(p, p->send);
        return;
    }
    uint64_t own = mine(p, p->receive);
    coll->received -= own;
    coll->sent = coll->op == OTF2_COLLECTIVE_OP_ALLGATHERV ? (uint64_t)(p->partners - 1) * own
                                                           : coll->received;
}

/* Reduce_scatter and _block: the whole vector goes out, one part comes in from everybody. */
static void reduce_scatter(const struct part *p, struct mpi_coll *coll)
{
    uint64_t own = mine(p, p->receive);
    uint64_t others = (uint64_t)p->partners - p->is_in_place;
    coll->sent = total(p->lib, p->receive, p->comm->size, NULL) - (p->is_in_place ? own : 0);
    coll->received = others * own;
}

/* Scan, Exscan: to all later ranks, from all earlier ranks, and from the rank itself in a Scan. */
static void scan(const struct part *p, struct mpi_coll *coll)
{
    uint64_t each = bytes_of(p->lib, p->send, 0);
    bool is_alone = p->is_in_place || coll->op == OTF2_COLLECTIVE_OP_EXSCAN;
    coll->sent = (uint64_t)(p->comm->size - p->comm->rank - is_alone) * each;
    coll->received = (uint64_t)(p->comm->rank + !is_alone) * each;
}

static void measure(const struct part *p, struct mpi_coll *coll)
{
    if (coll->op == OTF2_COLLECTIVE_OP_BCAST || coll->op == OTF2_COLLECTIVE_OP_SCATTER ||
        coll->op == OTF2_COLLECTIVE_OP_SCATTERV)
        one_to_all(p, coll);
    else if (coll->op == OTF2_COLLECTIVE_OP_GATHER || coll->op == OTF2_COLLECTIVE_OP_GATHERV ||
             coll->op == OTF2_COLLECTIVE_OP_REDUCE)
        all_to_one(p, coll);
    else if (coll->op == OTF2_COLLECTIVE_OP_REDUCE_SCATTER ||
             coll->op == OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK)
        reduce_scatter(p, coll);
    else if (coll->op == OTF2_COLLECTIVE_OP_SCAN || coll->op == OTF2_COLLECTIVE_OP_EXSCAN)
        scan(p, coll);
    else
        all_to_all(p, coll);
}

/* The root of a record; MPI_ROOT and MPI_PROC_NULL occur in intercommunicators only. */
static uint32_t root_of(const struct mpi_layout *layout, const struct part *p, int root)
{
    if (root == MPI_COLL_NO_ROOT)
        return OTF2_COLLECTIVE_ROOT_NONE;
    if (p->is_idle)
        return OTF2_COLLECTIVE_ROOT_THIS_GROUP;
    if (mpi_comm_is_inter(p->comm) && root == layout->root)
        return OTF2_COLLECTIVE_ROOT_SELF;
    return (uint32_t)root;
}

struct mpi_coll mpi_coll_measure_slowly(struct mpi_comm *comm, OTF2_CollectiveOp op, int root,
                                        const struct mpi_block *send,
                                        const struct mpi_block *receive)
{
    const struct mpi_library *lib = mpi_library();
    const struct mpi_layout *layout = &lib->layout;
    struct mpi_coll coll = {.comm = comm, .op = op};
    coll.root = OTF2_COLLECTIVE_ROOT_NONE;
    bool is_inter = mpi_comm_is_inter(coll.comm);
    struct part p = {
        .lib = lib,
        .comm = coll.comm,
        .send = send,
        .receive = receive,
        .partners = mpi_comm_partners(coll.comm),
        .is_in_place =
            !is_inter && (send->buffer == layout->in_place || receive->buffer == layout->in_place),
        .is_root = is_inter ? root == layout->root : root == coll.comm->rank,
        .is_idle = is_inter && root == layout->proc_null,
    };
    /* No such rank: the call will fail, and a record of the call could name no root. */
    if (!is_inter && root != MPI_COLL_NO_ROOT && (root < 0 || root >= coll.comm->size)) {
        coll.comm = NULL;
        return coll;
    }
    coll.root = root_of(layout, &p, root);
    measure(&p, &coll);
    return coll;
}

struct mpi_coll mpi_coll_measure_neighbours(mpi_word comm, OTF2_CollectiveOp op,
                                            const struct mpi_block *send,
                                            const struct mpi_block *receive)
{
    const struct mpi_library *lib = mpi_library();
    struct mpi_coll coll = {.comm = mpi_comm_of(comm), .op = op};
    coll.root = OTF2_COLLECTIVE_ROOT_NONE;
    const struct mpi_neighbours *near = coll.comm ? mpi_comm_neighbours(coll.comm) : NULL;
    if (near) {
        coll.sent = total(lib, send, near->dests, near->dest_is_there);
        coll.received = total(lib, receive, near->sources, near->source_is_there);
    }
    return coll;
}
