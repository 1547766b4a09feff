/* SPDX-License-Identifier: BSD-3-Clause */
/* By which binding a program in Fortran comes to MPI: SPUR_USE_F08, SPUR_USE_MPI or neither. */
#if defined(SPUR_USE_F08)
#define USE_BINDING use mpi_f08
#define INCLUDE_BINDING
#elif defined(SPUR_USE_MPI)
#define USE_BINDING use mpi
#define INCLUDE_BINDING
#else
#define USE_BINDING
#define INCLUDE_BINDING include 'mpif.h'
#endif
