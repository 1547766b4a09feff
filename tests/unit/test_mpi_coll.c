/* SPDX-License-Identifier: BSD-3-Clause */
/* links: wrappers-mpi */
/*
 * Bytes of collective operations against an independent model: a matrix of the bytes from each
 * sender to each receiver, written down from the standard's definition of each operation. A process
 * has sent the sum of its row and received the sum of its column, less the bytes that stay in
 * place.
 */
#include "tests/unit/mpi_fake.h"

#include "wrappers/mpi/mpi_coll.h"

enum { MOST = 6, TYPE = 8, OTHER_TYPE = 3 };

/* Elements to or from rank i, different for all. */
static int count_for(int i)
{
    return 5 + 3 * i;
}

/* An operation in an intracommunicator. */
struct operation {
    OTF2_CollectiveOp op;
    bool is_rooted;
    bool is_vector;             /* counts differ by rank */
    bool is_symmetric_in_place; /* everybody passes MPI_IN_PLACE, or only the root */
};

static const struct operation operations[] = {
    {OTF2_COLLECTIVE_OP_BARRIER, false, false, false},
    {OTF2_COLLECTIVE_OP_BCAST, true, false, false},
    {OTF2_COLLECTIVE_OP_GATHER, true, false, false},
    {OTF2_COLLECTIVE_OP_GATHERV, true, true, false},
    {OTF2_COLLECTIVE_OP_SCATTER, true, false, false},
    {OTF2_COLLECTIVE_OP_SCATTERV, true, true, false},
    {OTF2_COLLECTIVE_OP_REDUCE, true, false, false},
    {OTF2_COLLECTIVE_OP_ALLGATHER, false, false, true},
    {OTF2_COLLECTIVE_OP_ALLGATHERV, false, true, true},
    {OTF2_COLLECTIVE_OP_ALLTOALL, false, false, true},
    {OTF2_COLLECTIVE_OP_ALLTOALLV, false, true, true},
    {OTF2_COLLECTIVE_OP_ALLTOALLW, false, true, true},
    {OTF2_COLLECTIVE_OP_ALLREDUCE, false, false, true},
    {OTF2_COLLECTIVE_OP_REDUCE_SCATTER, false, true, true},
    {OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, false, false, true},
    {OTF2_COLLECTIVE_OP_SCAN, false, false, true},
    {OTF2_COLLECTIVE_OP_EXSCAN, false, false, true},
};

/* Elements from rank i to rank j, where i may be j. */
static int model(const struct operation *o, int i, int j, int root)
{
    int even = count_for(0);
    int uneven_i = o->is_vector ? count_for(i) : even;
    int uneven_j = o->is_vector ? count_for(j) : even;
    switch ((int)o->op) {
    case OTF2_COLLECTIVE_OP_BARRIER:
        return 0;
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
        return i == root ? uneven_j : 0;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_REDUCE:
        return j == root ? uneven_i : 0;
    case OTF2_COLLECTIVE_OP_ALLTOALLV: /* counts depend on the sum, so both sides match */
    case OTF2_COLLECTIVE_OP_ALLTOALLW:
        return count_for(i + j);
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
        return uneven_j;
    case OTF2_COLLECTIVE_OP_SCAN:
        return j >= i ? even : 0;
    case OTF2_COLLECTIVE_OP_EXSCAN:
        return j > i ? even : 0;
    default:
        return uneven_i;
    }
}

static struct mpi_coll expected(const struct operation *o, int n, int me, int root, bool in_place)
{
    struct mpi_coll sum = {0};
    for (int k = 0; k < n; k++) {
        if (in_place && k == me)
            continue;
        sum.sent += (uint64_t)model(o, me, k, root) * TYPE;
        sum.received += (uint64_t)model(o, k, me, root) * TYPE;
    }
    return sum;
}

/* The arguments as process `me` would pass them; insignificant arguments are rubbish. */
static struct mpi_coll measure(const struct operation *o, int n, int me, int root, bool in_place,
                               bool is_large)
{
    static int counts[MOST];
    static int64_t large_counts[MOST];
    static uint32_t types[MOST];
    bool is_all_to_all =
        o->op == OTF2_COLLECTIVE_OP_ALLTOALLV || o->op == OTF2_COLLECTIVE_OP_ALLTOALLW;
    for (int i = 0; i < n; i++) {
        counts[i] = is_all_to_all ? count_for(me + i) : count_for(i);
        large_counts[i] = counts[i];
        types[i] = TYPE;
    }
    struct mpi_block one = {.buffer = 64, .count = o->is_vector ? count_for(me) : count_for(0)};
    one.type = TYPE;
    struct mpi_block many = {.buffer = 64, .type = TYPE, .is_large = is_large};
    many.counts = is_large ? (mpi_word)large_counts : (mpi_word)counts;
    if (o->op == OTF2_COLLECTIVE_OP_ALLTOALLW) {
        many.type = 0;
        many.types = (mpi_word)types;
    }
    struct mpi_block rubbish = {.buffer = 64, .count = 77, .type = OTHER_TYPE};
    struct mpi_block send = one;
    struct mpi_block receive = o->is_vector ? many : one;
    if (is_all_to_all || o->op == OTF2_COLLECTIVE_OP_SCATTERV)
        send = many;
    if (o->op == OTF2_COLLECTIVE_OP_SCATTERV)
        receive = one;
    bool is_scatter = o->op == OTF2_COLLECTIVE_OP_SCATTER || o->op == OTF2_COLLECTIVE_OP_SCATTERV;
    if (o->is_rooted && me != root && o->op != OTF2_COLLECTIVE_OP_BCAST)
        *(is_scatter ? &send : &receive) = rubbish;
    if (in_place) {
        struct mpi_block *placed = is_scatter ? &receive : &send;
        bool has_count_elsewhere = o->op == OTF2_COLLECTIVE_OP_ALLREDUCE ||
                                   o->op == OTF2_COLLECTIVE_OP_SCAN ||
                                   o->op == OTF2_COLLECTIVE_OP_EXSCAN;
        if (!has_count_elsewhere)
            *placed = rubbish;
        placed->buffer = mpi_library()->layout.in_place;
    }
    return mpi_coll_measure(fake_handle(), o->op, o->is_rooted ? root : MPI_COLL_NO_ROOT, &send,
                            &receive);
}

static void check(const struct operation *o, int n, int me, int root, bool in_place, bool is_large)
{
    fake.size = n;
    fake.rank = me;
    struct mpi_coll want = expected(o, n, me, root, in_place);
    struct mpi_coll got = measure(o, n, me, root, in_place, is_large);
    cr_assert(got.sent == want.sent && got.received == want.received,
              "op %d n %d me %d root %d in place %d large %d: %d/%d, not %d/%d", (int)o->op, n, me,
              root, in_place, is_large, (int)got.sent, (int)got.received, (int)want.sent,
              (int)want.received);
    cr_assert(got.root == (o->is_rooted ? (uint32_t)root : OTF2_COLLECTIVE_ROOT_NONE));
}

Test(mpi_coll, intracommunicators)
{
    fake_start();
    for (size_t k = 0; k < sizeof operations / sizeof operations[0]; k++) {
        const struct operation *o = &operations[k];
        bool can_be_in_place =
            o->op != OTF2_COLLECTIVE_OP_BARRIER && o->op != OTF2_COLLECTIVE_OP_BCAST;
        for (int n = 1; n <= MOST; n++)
            for (int me = 0; me < n; me++)
                for (int root = 0; root < (o->is_rooted ? n : 1); root++)
                    for (int large = 0; large < 2; large++) {
                        check(o, n, me, root, false, large);
                        if (can_be_in_place && (!o->is_rooted || me == root))
                            check(o, n, me, root, true, large);
                    }
    }
}

/* ---- intercommunicators: only bytes that cross count ---- */

static uint64_t elements(int n)
{
    return (uint64_t)n * TYPE;
}

static struct mpi_coll cross(OTF2_CollectiveOp op, int root, int64_t count)
{
    struct mpi_block block = {.buffer = 64, .count = count, .type = TYPE};
    return mpi_coll_measure(fake_handle(), op, root, &block, &block);
}

Test(mpi_coll, intercommunicators)
{
    fake_start();
    int is_root = mpi_library()->layout.root;
    int is_idle = mpi_library()->layout.proc_null;
    fake.size = 2;
    fake.rank = 1;
    fake.remote_size = 3;
    fake.remote_first = 2;

    struct mpi_coll coll = cross(OTF2_COLLECTIVE_OP_BCAST, is_root, 10);
    cr_assert(coll.sent == elements(3 * 10) && coll.received == 0);
    cr_assert(coll.root == OTF2_COLLECTIVE_ROOT_SELF);
    coll = cross(OTF2_COLLECTIVE_OP_BCAST, is_idle, 10);
    cr_assert(coll.sent == 0 && coll.received == 0);
    cr_assert(coll.root == OTF2_COLLECTIVE_ROOT_THIS_GROUP);
    coll = cross(OTF2_COLLECTIVE_OP_BCAST, 2, 10);
    cr_assert(coll.sent == 0 && coll.received == elements(10) && coll.root == 2);

    coll = cross(OTF2_COLLECTIVE_OP_GATHER, is_root, 10);
    cr_assert(coll.sent == 0 && coll.received == elements(3 * 10));
    coll = cross(OTF2_COLLECTIVE_OP_REDUCE, 1, 10);
    cr_assert(coll.sent == elements(10) && coll.received == 0);
    coll = cross(OTF2_COLLECTIVE_OP_SCATTER, is_root, 10);
    cr_assert(coll.sent == elements(3 * 10) && coll.received == 0);
    coll = cross(OTF2_COLLECTIVE_OP_ALLTOALL, MPI_COLL_NO_ROOT, 10);
    cr_assert(coll.sent == elements(3 * 10) && coll.received == elements(3 * 10));
    /*
     * The vector has a part for each process of the own group, and comes from each remote process.
     */
    coll = cross(OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, MPI_COLL_NO_ROOT, 10);
    cr_assert(coll.sent == elements(2 * 10) && coll.received == elements(3 * 10));
}

Test(mpi_coll, products_have_64_bits)
{
    fake_start();
    fake.size = 64 < WORLD_SIZE ? 64 : WORLD_SIZE;
    struct mpi_coll coll = cross(OTF2_COLLECTIVE_OP_ALLGATHER, MPI_COLL_NO_ROOT, INT32_MAX);
    cr_assert(coll.sent == elements(16) * INT32_MAX);
}

Test(mpi_coll, neighbours)
{
    fake_start();
    fake.size = 4;
    fake.dests = 2;
    fake.sources = 3;
    int counts[] = {1, 2, 4};
    struct mpi_block one = {.buffer = 64, .count = 5, .type = TYPE};
    struct mpi_block many = {.buffer = 64, .counts = (mpi_word)counts, .type = TYPE};
    struct mpi_coll coll =
        mpi_coll_measure_neighbours(fake_handle(), OTF2_COLLECTIVE_OP_ALLGATHER, &one, &one);
    cr_assert(coll.sent == elements(2 * 5) && coll.received == elements(3 * 5));
    coll = mpi_coll_measure_neighbours(fake_handle(), OTF2_COLLECTIVE_OP_ALLTOALLV, &many, &many);
    cr_assert(coll.sent == elements(3) && coll.received == elements(7));
}
