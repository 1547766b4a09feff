/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/mpi_groups.h"

bool mpi_group_is_off[MPI_GROUPS] = {
#define GROUP(name, is_default, what) !(is_default),
#include "wrappers/mpi/mpi_groups.def"
#undef GROUP
};
