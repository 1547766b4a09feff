/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fake MPI library, with the fake agent, for the tests of wrappers/mpi. The library has one
 * process. The test chooses the rank and the groups of the process. A datatype's handle is its size
 * in bytes.
 */
#ifndef TESTS_MPI_FAKE_H
#define TESTS_MPI_FAKE_H

#include "tests/unit/mpi_agent.h"
#include "wrappers/mpi/library/mpi_library.h"

enum { WORLD_SIZE = 16, FAKE_UNDEFINED = -32766, HANDLE_WORLD = 0x44000000, FIRST_HANDLE = 0x100 };

/* Of all communicators but the predefined ones: `size` ranks from `first` on, `rank` is ours. */
static struct {
    int size;
    int first;
    int rank;
    int remote_size; /* 0: an intracommunicator */
    int remote_first;
    int dests; /* a distributed graph if there are any neighbours */
    int sources;
    int dimensions; /* of a grid, or 0; dimension i has size i + 2 */
} fake;

/* A group's handle: the size, and above the size the first world rank. */
static mpi_word fake_group(int size, int first)
{
    return (mpi_word)(uint32_t)(size | first << 8);
}
static int fake_Initialized(int *flag)
{
    *flag = 1;
    return 0;
}
static int fake_Finalized(int *flag)
{
    *flag = 0;
    return 0;
}
static int fake_Comm_size(mpi_word comm, int *size)
{
    *size = comm == HANDLE_WORLD ? WORLD_SIZE : fake.size;
    return 0;
}
static int fake_Comm_rank(mpi_word comm, int *rank)
{
    *rank = comm == HANDLE_WORLD ? 0 : fake.rank;
    return 0;
}
static int fake_Comm_remote_size(mpi_word comm, int *size)
{
    (void)comm;
    *size = fake.remote_size;
    return 0;
}
static int fake_Comm_test_inter(mpi_word comm, int *flag)
{
    *flag = comm != HANDLE_WORLD && fake.remote_size > 0;
    return 0;
}
static int fake_Comm_group(mpi_word comm, void *group)
{
    mpi_word handle =
        comm == HANDLE_WORLD ? fake_group(WORLD_SIZE, 0) : fake_group(fake.size, fake.first);
    memcpy(group, &handle, sizeof handle);
    return 0;
}
static int fake_Comm_remote_group(mpi_word comm, void *group)
{
    mpi_word handle = fake_group(fake.remote_size, fake.remote_first);
    (void)comm;
    memcpy(group, &handle, sizeof handle);
    return 0;
}
static int fake_Group_translate_ranks(mpi_word group, int n, const int *ranks, mpi_word other,
                                      int *other_ranks)
{
    for (int i = 0; i < n; i++) {
        int at = ranks[i] + (int)(group >> 8) - (int)(other >> 8);
        other_ranks[i] = at >= 0 && at < (int)(other & 0xff) ? at : FAKE_UNDEFINED;
    }
    return 0;
}
static int fake_Group_size(mpi_word group, int *size)
{
    *size = (int)(group & 0xff);
    return 0;
}
static int fake_Group_rank(mpi_word group, int *rank)
{
    (void)group;
    *rank = 0;
    return 0;
}
static int fake_Group_free(void *group)
{
    (void)group;
    return 0;
}
static int fake_Type_size(mpi_word datatype, int *size)
{
    *size = (int)datatype;
    return 0;
}
static int fake_Get_count(const void *status, mpi_word datatype, int *count)
{
    (void)datatype;
    *count = mpi_int_at((mpi_word)status);
    return 0;
}
static int fake_Test_cancelled(const void *status, int *flag)
{
    *flag = mpi_int_at((mpi_word)status + 4);
    return 0;
}
static int fake_Topo_test(mpi_word comm, int *topology)
{
    (void)comm;
    const struct mpi_layout *layout = &mpi_library()->layout;
    *topology = fake.dimensions ? layout->cart : layout->dist_graph;
    return 0;
}
static int fake_Cartdim_get(mpi_word comm, int *dimensions)
{
    (void)comm;
    *dimensions = fake.dimensions;
    return 0;
}
static int fake_Cart_get(mpi_word comm, int n, int *sizes, int *periods, int *coordinates)
{
    (void)comm;
    for (int i = 0; i < n; i++) {
        sizes[i] = i + 2;
        periods[i] = i % 2;
        coordinates[i] = i;
    }
    return 0;
}
static int fake_Dist_graph_neighbors_count(mpi_word comm, int *sources, int *dests, int *weighted)
{
    (void)comm;
    *sources = fake.sources;
    *dests = fake.dests;
    *weighted = 0;
    return 0;
}

static int64_t fake_position; /* of every file */

static int fake_File_get_position(mpi_word file, int64_t *offset)
{
    (void)file;
    *offset = fake_position;
    return 0;
}

/* Call first in each test. The layout is MPICH's. */
static inline void fake_start(void)
{
    static struct mpi_library lib;
    mpi_layout_fill(&lib.layout, MPI_FAMILY_MPICH, NULL, NULL);
    lib.Initialized = fake_Initialized;
    lib.Finalized = fake_Finalized;
    lib.Comm_size = fake_Comm_size;
    lib.Comm_rank = fake_Comm_rank;
    lib.Comm_remote_size = fake_Comm_remote_size;
    lib.Comm_test_inter = fake_Comm_test_inter;
    lib.Comm_group = fake_Comm_group;
    lib.Comm_remote_group = fake_Comm_remote_group;
    lib.Group_translate_ranks = fake_Group_translate_ranks;
    lib.Group_free = fake_Group_free;
    lib.Group_size = fake_Group_size;
    lib.Group_rank = fake_Group_rank;
    lib.Type_size = fake_Type_size;
    lib.Get_count = fake_Get_count;
    lib.Test_cancelled = fake_Test_cancelled;
    lib.Topo_test = fake_Topo_test;
    lib.File_get_position = fake_File_get_position;
    lib.Cartdim_get = fake_Cartdim_get;
    lib.Cart_get = fake_Cart_get;
    lib.Dist_graph_neighbors_count = fake_Dist_graph_neighbors_count;
    atomic_store(&mpi_library_found, &lib);
    agent_log_clear();
}

/* A new handle. `fake`, as of the first look at the handle, describes the communicator. */
__attribute__((unused)) static mpi_word fake_handle(void)
{
    static mpi_word last = FIRST_HANDLE;
    return ++last;
}

#endif
