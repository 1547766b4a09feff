/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/mpi_groups.h"

#include "wrappers/kit/wrapper_groups.h"

bool mpi_group_is_off[MPI_GROUPS] = {
#define GROUP(name, is_default, what) !(is_default),
#include "wrappers/mpi/tables/mpi_groups.def"
#undef GROUP
};

static const struct wrapper_group rows[MPI_GROUPS] = {
#define GROUP(name, is_default, what) {#name, is_default},
#include "wrappers/mpi/tables/mpi_groups.def"
#undef GROUP
};

static const struct wrapper_groups groups = {
    .setting = "SPUR_MPI", .of = "MPI", .group = rows, .n = MPI_GROUPS, .is_off = mpi_group_is_off};

bool mpi_groups_select(const char *list)
{
    return wrapper_groups_select(&groups, list);
}
