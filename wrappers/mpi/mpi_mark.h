/* SPDX-License-Identifier: BSD-3-Clause */
/* What records have no field for, in parameters in front of them: the rows of mpi_marks.def. */
#ifndef MPI_MARK_H
#define MPI_MARK_H

#include "agent/spur_agent.h"
#include "wrappers/mpi/library/mpi_library.h"

enum mpi_mark {
#define MARK(NAME, ...) MPI_MARK_##NAME,
#include "wrappers/mpi/tables/mpi_marks.def"
#undef MARK
    MPI_MARKS
};

void mpi_mark(struct spur_loc *loc, enum mpi_mark mark, uint64_t value);

/* An MPI function has returned `code`, not MPI_SUCCESS, and what is recorded next has failed. */
void mpi_mark_error(struct spur_loc *loc, int code);

/* The arguments were wrong: nothing was communicated, and others do not know of the call. */
bool mpi_error_is_early(int code);

/* A message was longer than its receive, which has consumed it. */
bool mpi_error_is_truncation(int code);

#endif
