/* SPDX-License-Identifier: BSD-3-Clause */
/* Which groups of MPI functions are recorded. */
#ifndef MPI_GROUPS_H
#define MPI_GROUPS_H

#include <stdbool.h>

#include "agent/spur_agent.h"

enum mpi_group {
#define GROUP(name, is_default, what) MPI_GROUP_##name,
#include "wrappers/mpi/tables/mpi_groups.def"
#undef GROUP
    MPI_GROUPS
};

extern bool mpi_group_is_off[MPI_GROUPS];

/*
 * Switch the groups as SPUR_MPI says: a comma list of names, `default` and `all`, or `none`; what
 * is no name is complained of and counts for nothing, and a list of such alone for `default`. NULL
 * changes nothing. Returns whether any group is on. Before the first call of an MPI function.
 */
bool mpi_groups_select(const char *list);

/* Initialises the struct spur_call of an MPI function: MPI_REGION("MPI_Send", p2p, POINT2POINT). */
#define MPI_REGION(name_, group_, ROLE)                                                            \
    {                                                                                              \
        .name = (name_), .group = #group_, .role = OTF2_REGION_ROLE_##ROLE, SPUR_CALL_OF(MPI),     \
        .is_off = &mpi_group_is_off[MPI_GROUP_##group_]                                            \
    }

#endif
