/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which function a call goes on to. Usually a process has one MPI library and each wrapper keeps
 * the address that was found first. But plug-ins that are loaded with RTLD_LOCAL may each bring a
 * library of their own, out of sight of each other; then it is the caller's object that decides, in
 * every call. A call must reach the library that it would have reached without us.
 *
 * One library's communication is recorded: that of the first to be initialised, since a process has
 * one rank and one MPI_COMM_WORLD in a trace. Of the others the calls are recorded, as regions.
 */
#ifndef MPI_ROUTE_H
#define MPI_ROUTE_H

#include "wrappers/mpi/library/mpi_library.h"

struct mpi_route {
    mpi_function next; /* NULL when the process has no such function */
    bool is_other;     /* it is not mpi_library()'s */
};

/* The slow halves of the two below. */
typedef struct mpi_route mpi_route_slowly(_Atomic(mpi_function) *cache, const char *name,
                                          const void *caller);
mpi_route_slowly mpi_route_find, mpi_route_find_or_error;

static inline struct mpi_route mpi_route_by(mpi_route_slowly *find, _Atomic(mpi_function) *cache,
                                            const char *name, const void *caller)
{
    mpi_function next = atomic_load_explicit(cache, memory_order_acquire);
    return next ? (struct mpi_route){.next = next} : find(cache, name, caller);
}

/*
 * The definition of `name` that is called in place of ours by the code at `caller`. `cache` is the
 * wrapper's own; it holds what is the same for all callers.
 */
static inline struct mpi_route mpi_route(_Atomic(mpi_function) *cache, const char *name,
                                         const void *caller)
{
    return mpi_route_by(mpi_route_find, cache, name, caller);
}

/* As mpi_route(), but in place of a missing function one that returns an error. */
static inline struct mpi_route mpi_route_or_error(_Atomic(mpi_function) *cache, const char *name,
                                                  const void *caller)
{
    return mpi_route_by(mpi_route_find_or_error, cache, name, caller);
}

#endif
