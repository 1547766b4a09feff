/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sizes that are asked for in every message, remembered. Questions to the MPI library are what a
 * recorded message would otherwise spend most of its time on.
 */
#ifndef MPI_SIZE_H
#define MPI_SIZE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "wrappers/mpi/mpi_library.h"

/*
 * Of one library. Predefined datatypes are never freed, so their handles, all in one of the ranges,
 * mean one thing for ever; an entry is a handle << 16 | its size.
 */
struct mpi_sizes {
    struct mpi_range {
        mpi_word first, end;
    } range[2];
    _Atomic(uint64_t) type[256];
    _Atomic(int) status; /* enum in mpi_size.c: does a status hold the bytes where we think? */
};

/* NULL: no memory. */
struct mpi_sizes *mpi_sizes_new(const struct mpi_layout *layout);
void mpi_sizes_free(struct mpi_sizes *sizes);

#endif
