/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators: split, dup, idup, create, create_group, intercommunicators, merge, names; LIVE of
 * them alive at the same time, each with traffic of its own. Needs at least 4 ranks.
 */
#include <mpi.h>

#include "expect.h"

#define LIVE 100

static int rank, size;

static void sum_in(MPI_Comm comm, int value, int expected)
{
    int sum = 0;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
    EXPECT(sum == expected);
}

static MPI_Comm split(void)
{
    MPI_Comm half, some;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half); /* reverse order of ranks */
    MPI_Comm_set_name(half, rank % 2 ? "odd" : "even");
    int mine;
    MPI_Comm_rank(half, &mine);
    EXPECT(mine == (size - 1 - rank) / 2);
    sum_in(half, 1, (size + 1 - rank % 2) / 2);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 5, rank, &some);
    EXPECT((some == MPI_COMM_NULL) == (rank == 0));
    if (some != MPI_COMM_NULL) {
        sum_in(some, 1, size - 1);
        MPI_Comm_free(&some);
    }
    MPI_Comm node;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Barrier(node);
    MPI_Comm_free(&node);
    return half;
}

static void copies(MPI_Comm half)
{
    MPI_Comm twin, later;
    MPI_Request request;
    MPI_Comm_dup(half, &twin);
    MPI_Comm_set_name(twin, "twin");
    MPI_Comm_idup(MPI_COMM_WORLD, &later, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum_in(twin, 1, (size + 1 - rank % 2) / 2);
    sum_in(later, 1, size);
    MPI_Comm_free(&twin);
    MPI_Comm_free(&later);
}

/* Ranks 0 .. size-2 in reverse order, made by all and by the members alone. */
static void from_groups(void)
{
    int range[1][3] = {{size - 2, 0, -1}};
    MPI_Group world, most;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &most);
    MPI_Comm all, members = MPI_COMM_NULL;
    MPI_Comm_create(MPI_COMM_WORLD, most, &all);
    EXPECT((all == MPI_COMM_NULL) == (rank == size - 1));
    if (rank != size - 1) {
        MPI_Comm_create_group(MPI_COMM_WORLD, most, 9, &members);
        sum_in(all, rank, (size - 1) * (size - 2) / 2);
        int mine;
        MPI_Comm_rank(members, &mine);
        EXPECT(mine == size - 2 - rank);
        MPI_Bcast(&mine, 1, MPI_INT, 1, members);
        EXPECT(mine == 1);
        MPI_Comm_free(&members);
        MPI_Comm_free(&all);
    }
    MPI_Group_free(&most);
    MPI_Group_free(&world);
}

static void between(MPI_Comm half)
{
    int others, mine, is_inter, odd = rank % 2;
    MPI_Comm inter, copy, merged, part;
    /* The leaders are the last ranks of WORLD of either parity, first in their halves. */
    int even_leader = size - 1 - (size - 1) % 2, odd_leader = size - 2 + (size - 1) % 2;
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, odd ? even_leader : odd_leader, 3, &inter);
    MPI_Comm_set_name(inter, "between");
    MPI_Comm_test_inter(inter, &is_inter);
    EXPECT(is_inter);
    MPI_Comm_remote_size(inter, &others);
    MPI_Comm_rank(inter, &mine);
    EXPECT(others == (size + odd) / 2);
    if (mine < others && mine < size - others) { /* each pair of equal ranks */
        int got = -1;
        MPI_Sendrecv(&rank, 1, MPI_INT, mine, 4, &got, 1, MPI_INT, mine, 4, inter,
                     MPI_STATUS_IGNORE);
        EXPECT(got == even_leader + odd_leader - 4 * mine - rank);
    }
    int value = odd && mine == 0 ? 77 : 0;
    MPI_Bcast(&value, 1, MPI_INT, odd ? (mine == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0, inter);
    EXPECT(odd || value == 77);
    sum_in(inter, 1, others);
    MPI_Barrier(inter);
    MPI_Comm_dup(inter, &copy);
    sum_in(copy, 2, 2 * others);
    MPI_Intercomm_merge(inter, odd, &merged);
    sum_in(merged, rank, size * (size - 1) / 2);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&copy);
    /* Those of even and those of odd rank in either group; an empty group makes none. */
    MPI_Comm_split(inter, mine % 2, -rank, &part);
    EXPECT(part != MPI_COMM_NULL || others <= mine % 2);
    if (part != MPI_COMM_NULL) {
        sum_in(part, 1, (others + 1 - mine % 2) / 2);
        MPI_Comm_free(&part);
    }
    MPI_Comm_free(&inter);
}

static void many(MPI_Comm half)
{
    static MPI_Comm live[LIVE];
    for (int i = 0; i < LIVE; i++)
        MPI_Comm_dup(i % 2 ? half : MPI_COMM_WORLD, &live[i]);
    for (int i = 0; i < LIVE; i++)
        MPI_Barrier(live[i]);
    for (int i = 0; i < LIVE; i++)
        MPI_Comm_free(&live[i]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    sum_in(MPI_COMM_SELF, rank, rank);
    MPI_Comm half = split();
    copies(half);
    from_groups();
    between(half);
    many(half);
    MPI_Comm_free(&half);
    if (rank == 0)
        printf("communicators of %d ranks\n", size);
    MPI_Finalize();
    return unexpected;
}
