/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The door to the MPI library that the launcher of this job belongs to, opened at run time without
 * an mpi.h: arguments are machine words, and what libraries lay out differently stands in the
 * wrappers' table.
 */
#ifndef TOOLS_ENGINE_MPI_DOOR_H
#define TOOLS_ENGINE_MPI_DOOR_H

#include "tools/engine/job.h"
#include "wrappers/mpi/tables/mpi_layout.h"

typedef void mpi_user_function(void *in, void *inout, int *n, void *type);

struct mpi_door {
    struct mpi_layout layout;
    const char *file; /* the library's */
#define DOOR(Name, parameters) int(*Name) parameters;
#include "tools/engine/mpi_door.def"
#undef DOOR
};

/* Opens the library of a job. Fails, with the remedy, when there is none. */
void mpi_door_open(struct mpi_door *door, const struct job *job);

#endif
