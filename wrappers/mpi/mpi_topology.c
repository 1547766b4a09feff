/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/mpi_topology.h"

enum { DIMENSIONS_MAX = UINT8_MAX }; /* as many as a definition can hold */

static bool is_cartesian(const struct mpi_library *lib, mpi_word handle)
{
    int topology = 0;
    return lib->Topo_test && lib->Cartdim_get && lib->Cart_get &&
           lib->Topo_test(handle, &topology) == 0 && topology == lib->layout.cart;
}

static void mpi_topology_define_here(const struct mpi_library *lib, const struct mpi_comm *comm,
                                     mpi_word handle)
{
    struct spur_dimension dimension[DIMENSIONS_MAX];
    int sizes[DIMENSIONS_MAX], periods[DIMENSIONS_MAX], coordinates[DIMENSIONS_MAX];
    int n = 0;
    if (comm->id == OTF2_UNDEFINED_COMM || mpi_comm_is_inter(comm) || !is_cartesian(lib, handle) ||
        lib->Cartdim_get(handle, &n) != 0)
        return;
    /* A grid without dimensions, a single process, has nothing to tell. */
    if (n <= 0 || n > DIMENSIONS_MAX || lib->Cart_get(handle, n, sizes, periods, coordinates) != 0)
        return;
    for (int i = 0; i < n; i++)
        dimension[i] = (struct spur_dimension){.size = (uint32_t)sizes[i],
                                               .coordinate = (uint32_t)coordinates[i],
                                               .is_periodic = periods[i] != 0};
    spur_def_cartesian(comm->id, (uint32_t)comm->rank, (uint8_t)n, dimension);
}
SPUR_DOOR_VOID(mpi_topology_define, (const struct mpi_library *, lib),
               (const struct mpi_comm *, comm), (mpi_word, handle))
