/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clocks of the hosts of a job. Both functions are collective over MPI_COMM_WORLD: all ranks call
 * them, also those that record nothing, or none does; inside spur_inside_begin() or a region.
 */
#ifndef MPI_CLOCK_H
#define MPI_CLOCK_H

/*
 * MPI_Init has returned. Costs one small reduction where all ranks read the same clock; else one
 * rank per clock compares it with that of the rank above it in a tree.
 */
void mpi_clock_begin(void);

/* MPI_Finalize is about to be called: the same ranks compare again. Nothing where clocks agree. */
void mpi_clock_end(void);

#endif
