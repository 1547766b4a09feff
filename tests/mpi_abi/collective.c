/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective operations. A plan describes an operation: the bytes to every rank and the bytes from
 * every rank. All bytes are sent at the start, so the operation is complete when all bytes have
 * come. A reduction receives the contributions aside and folds the contributions in the order of
 * the ranks.
 */
#include "abi.h"

#include <stdlib.h>
#include <string.h>

struct block {
    const void *out;   /* the bytes to a rank */
    void *in;          /* place for the bytes from the rank */
    int64_t out_bytes; /* -1: nothing is sent */
    int64_t in_bytes;
};

struct collective {
    int size;
    struct request **receives; /* [size], NULL where nothing comes */
    /* A reduction: contributions aside, in a row. */
    unsigned char *aside;
    int contributions;
    void *result;
    int count;
    MPI_Datatype datatype;
    MPI_Op op;
};

/* An operation under description. */
struct plan {
    struct comm *comm;
    struct block blocks[MAX_RANKS];
    struct collective *collective;
};

static bool plan_init(struct plan *plan, MPI_Comm comm)
{
    plan->comm = abi_comm(comm);
    if (!plan->comm)
        return false;
    for (int i = 0; i < plan->comm->size; i++)
        plan->blocks[i] = (struct block){.out_bytes = -1, .in_bytes = -1};
    plan->collective = calloc(1, sizeof *plan->collective);
    return true;
}

static void plan_out(struct plan *plan, int rank, const void *at, int64_t offset, int64_t bytes)
{
    plan->blocks[rank].out = (const char *)at + offset;
    plan->blocks[rank].out_bytes = bytes;
}

static void plan_in(struct plan *plan, int rank, void *at, int64_t offset, int64_t bytes)
{
    plan->blocks[rank].in = (char *)at + offset;
    plan->blocks[rank].in_bytes = bytes;
}

/* The contributions of ranks 0 to n - 1 to the own rank are folded into `result`. */
static void plan_fold(struct plan *plan, int n, void *result, int count, MPI_Datatype datatype,
                      MPI_Op op)
{
    struct collective *collective = plan->collective;
    int64_t bytes = count * abi_type_size(datatype);
    collective->aside = malloc((size_t)(n * bytes) + 1);
    collective->contributions = n;
    collective->result = result;
    collective->count = count;
    collective->datatype = datatype;
    collective->op = op;
    for (int i = 0; i < n; i++)
        plan_in(plan, i, collective->aside, i * bytes, bytes);
}

static int plan_start(struct plan *plan, MPI_Request *handle)
{
    struct comm *comm = plan->comm;
    int context = comm->context + 1;
    int number = comm->collectives++;
    struct collective *collective = plan->collective;
    struct request *whole = abi_request_new(COLLECTIVE_OPERATION, comm);
    collective->size = comm->size;
    collective->receives = calloc((size_t)comm->size, sizeof(struct request *));
    for (int i = 0; i < comm->size; i++) {
        const struct block *block = &plan->blocks[i];
        struct message envelope = {.source = comm->rank, .tag = number, .context = context};
        envelope.bytes = (uint64_t)block->out_bytes;
        if (block->out_bytes >= 0)
            abi_message_put(comm->members[i], &envelope, block->out);
    }
    for (int i = 0; i < comm->size; i++) {
        const struct block *block = &plan->blocks[i];
        if (block->in_bytes < 0)
            continue;
        struct request *receive = abi_transfer(RECV, comm, context, i, number);
        receive->in = block->in;
        receive->bytes = (uint64_t)block->in_bytes;
        collective->receives[i] = receive;
        abi_request_start(receive);
    }
    whole->collective = collective;
    whole->is_active = true;
    *handle = abi_handle(whole);
    return MPI_SUCCESS;
}

static void fold(struct collective *collective)
{
    size_t bytes = (size_t)(collective->count * abi_type_size(collective->datatype));
    int last = collective->contributions - 1;
    for (int i = last - 1; i >= 0; i--)
        abi_reduce(collective->aside + (size_t)i * bytes, collective->aside + (size_t)last * bytes,
                   collective->count, collective->datatype, collective->op);
    if (last >= 0)
        memcpy(collective->result, collective->aside + (size_t)last * bytes, bytes);
}

bool abi_collective_test(struct request *request)
{
    struct collective *collective = request->collective;
    for (int i = 0; !request->is_done && i < collective->size; i++) {
        struct request *receive = collective->receives[i];
        if (receive && !abi_request_test(receive))
            return false;
    }
    if (request->is_done)
        return true;
    request->is_done = true;
    if (collective->aside)
        fold(collective);
    return true;
}

void abi_collective_free(struct collective *collective)
{
    for (int i = 0; i < collective->size; i++)
        free(collective->receives[i]);
    free(collective->receives);
    free(collective->aside);
    free(collective);
}

/* ---- the operations ---- */

#define ARGUMENTS(...) __VA_ARGS__
/* Name and Iname, from statements that describe the operation in `plan`. */
#define COLLECTIVE(Name, Iname, parameters, arguments, ...)                                        \
    int PMPI_##Iname(ARGUMENTS parameters, MPI_Comm comm, MPI_Request *request)                    \
    {                                                                                              \
        struct plan plan;                                                                          \
        if (!plan_init(&plan, comm))                                                               \
            return abi_error(NULL, MPI_ERR_COMM);                                                  \
        const int me = plan.comm->rank;                                                            \
        const int n = plan.comm->size;                                                             \
        (void)me;                                                                                  \
        __VA_ARGS__                                                                                \
        return plan_start(&plan, request);                                                         \
    }                                                                                              \
    ALIAS(Iname)                                                                                   \
    int PMPI_##Name(ARGUMENTS parameters, MPI_Comm comm)                                           \
    {                                                                                              \
        MPI_Request request;                                                                       \
        int error = PMPI_##Iname(ARGUMENTS arguments, comm, &request);                             \
        return error ? error : abi_request_finish(abi_request(request), MPI_STATUS_IGNORE);        \
    }                                                                                              \
    ALIAS(Name)

#define EACH(i) for (int i = 0; i < n; i++)
#define BYTES(count, type) ((count)*abi_type_size(type))
#define CHECK_ROOT                                                                                 \
    if (root < 0 || root >= n)                                                                     \
        return abi_error(plan.comm, MPI_ERR_ROOT);

int PMPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    struct plan plan;
    if (!plan_init(&plan, comm))
        return abi_error(NULL, MPI_ERR_COMM);
    for (int i = 0; i < plan.comm->size; i++) {
        plan_out(&plan, i, "", 0, 0);
        plan_in(&plan, i, NULL, 0, 0);
    }
    return plan_start(&plan, request);
}
ALIAS(Ibarrier)

int PMPI_Barrier(MPI_Comm comm)
{
    MPI_Request request;
    int error = PMPI_Ibarrier(comm, &request);
    return error ? error : abi_request_finish(abi_request(request), MPI_STATUS_IGNORE);
}
ALIAS(Barrier)

COLLECTIVE(Bcast, Ibcast, (void *buffer, int count, MPI_Datatype datatype, int root),
           (buffer, count, datatype, root),
           CHECK_ROOT EACH(i) if (me == root && i != root)
               plan_out(&plan, i, buffer, 0, BYTES(count, datatype));
           if (me != root) plan_in(&plan, root, buffer, 0, BYTES(count, datatype));)

COLLECTIVE(Gather, Igather,
           (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
            MPI_Datatype recvtype, int root),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root),
           CHECK_ROOT if (sendbuf != MPI_IN_PLACE)
               plan_out(&plan, root, sendbuf, 0, BYTES(sendcount, sendtype));
           EACH(i) if (me == root && (i != me || sendbuf != MPI_IN_PLACE))
               plan_in(&plan, i, recvbuf, BYTES(i *recvcount, recvtype),
                       BYTES(recvcount, recvtype));)

COLLECTIVE(Gatherv, Igatherv,
           (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
            const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root),
           (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root),
           CHECK_ROOT if (sendbuf != MPI_IN_PLACE)
               plan_out(&plan, root, sendbuf, 0, BYTES(sendcount, sendtype));
           EACH(i) if (me == root && (i != me || sendbuf != MPI_IN_PLACE))
               plan_in(&plan, i, recvbuf, BYTES(displs[i], recvtype),
                       BYTES(recvcounts[i], recvtype));)

COLLECTIVE(Scatter, Iscatter,
           (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
            MPI_Datatype recvtype, int root),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root),
           CHECK_ROOT EACH(i) if (me == root && (i != me || recvbuf != MPI_IN_PLACE))
               plan_out(&plan, i, sendbuf, BYTES(i *sendcount, sendtype),
                        BYTES(sendcount, sendtype));
           if (recvbuf != MPI_IN_PLACE)
               plan_in(&plan, root, recvbuf, 0, BYTES(recvcount, recvtype));)

COLLECTIVE(Scatterv, Iscatterv,
           (const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
            void *recvbuf, int recvcount, MPI_Datatype recvtype, int root),
           (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root),
           CHECK_ROOT EACH(i) if (me == root && (i != me || recvbuf != MPI_IN_PLACE))
               plan_out(&plan, i, sendbuf, BYTES(displs[i], sendtype),
                        BYTES(sendcounts[i], sendtype));
           if (recvbuf != MPI_IN_PLACE)
               plan_in(&plan, root, recvbuf, 0, BYTES(recvcount, recvtype));)

/*
 * In place: the own block is sent from recvbuf, and only the blocks of further ranks are received.
 */
COLLECTIVE(
    Allgather, Iallgather,
    (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
     MPI_Datatype recvtype),
    (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const int64_t bytes = BYTES(recvcount, recvtype); EACH(i) if (!in_place || i != me) {
        if (in_place)
            plan_out(&plan, i, recvbuf, me * bytes, bytes);
        else
            plan_out(&plan, i, sendbuf, 0, BYTES(sendcount, sendtype));
        plan_in(&plan, i, recvbuf, i * bytes, bytes);
    })

COLLECTIVE(
    Allgatherv, Iallgatherv,
    (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
     const int recvcounts[], const int displs[], MPI_Datatype recvtype),
    (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype),
    const bool in_place = sendbuf == MPI_IN_PLACE;
    EACH(i) if (!in_place || i != me) {
        if (in_place)
            plan_out(&plan, i, recvbuf, BYTES(displs[me], recvtype),
                     BYTES(recvcounts[me], recvtype));
        else
            plan_out(&plan, i, sendbuf, 0, BYTES(sendcount, sendtype));
        plan_in(&plan, i, recvbuf, BYTES(displs[i], recvtype), BYTES(recvcounts[i], recvtype));
    })

COLLECTIVE(Alltoall, Ialltoall,
           (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
            MPI_Datatype recvtype),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
           const bool in_place = sendbuf == MPI_IN_PLACE;
           const void *from = in_place ? recvbuf : sendbuf;
           const int64_t bytes = BYTES(recvcount, recvtype);
           const int64_t out_bytes = in_place ? bytes : BYTES(sendcount, sendtype);
           EACH(i) plan_out(&plan, i, from, i *out_bytes, out_bytes);
           EACH(i) plan_in(&plan, i, recvbuf, i *bytes, bytes);)

COLLECTIVE(Alltoallv, Ialltoallv,
           (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
            void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype),
           (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype),
           const bool in_place = sendbuf == MPI_IN_PLACE;
           const int *counts = in_place ? recvcounts : sendcounts;
           const int *displs = in_place ? rdispls : sdispls;
           MPI_Datatype type = in_place ? recvtype : sendtype;
           EACH(i) plan_out(&plan, i, in_place ? recvbuf : sendbuf, BYTES(displs[i], type),
                            BYTES(counts[i], type));
           EACH(i) plan_in(&plan, i, recvbuf, BYTES(rdispls[i], recvtype),
                           BYTES(recvcounts[i], recvtype));)

/* ---- reductions ---- */

COLLECTIVE(Reduce, Ireduce,
           (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
            int root),
           (sendbuf, recvbuf, count, datatype, op, root),
           CHECK_ROOT plan_out(&plan, root, sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, 0,
                               BYTES(count, datatype));
           if (me == root) plan_fold(&plan, n, recvbuf, count, datatype, op);)

COLLECTIVE(Allreduce, Iallreduce,
           (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op),
           (sendbuf, recvbuf, count, datatype, op),
           EACH(i) plan_out(&plan, i, sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, 0,
                            BYTES(count, datatype));
           plan_fold(&plan, n, recvbuf, count, datatype, op);)

COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
           (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op),
           (sendbuf, recvbuf, recvcount, datatype, op),
           const int64_t bytes = BYTES(recvcount, datatype);
           EACH(i) plan_out(&plan, i, sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, i *bytes, bytes);
           plan_fold(&plan, n, recvbuf, recvcount, datatype, op);)

COLLECTIVE(Scan, Iscan,
           (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op),
           (sendbuf, recvbuf, count, datatype, op),
           EACH(i) if (i >= me) plan_out(&plan, i, sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, 0,
                                         BYTES(count, datatype));
           plan_fold(&plan, me + 1, recvbuf, count, datatype, op);)

COLLECTIVE(Exscan, Iexscan,
           (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op),
           (sendbuf, recvbuf, count, datatype, op),
           EACH(i) if (i > me) plan_out(&plan, i, sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, 0,
                                        BYTES(count, datatype));
           plan_fold(&plan, me, recvbuf, count, datatype, op);)
