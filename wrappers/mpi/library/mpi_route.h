/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The real function for a call. Usually a process has one MPI library, and each wrapper keeps the
 * address that was found first. But plug-ins loaded with RTLD_LOCAL may each bring a library of
 * their own, out of sight of each other. Then the caller's object decides, in every call. A call
 * must reach the same library as without us.
 *
 * The communication of only one library is recorded: the library initialised first, since a process
 * has one rank and one MPI_COMM_WORLD in a trace. Calls of further libraries are recorded as
 * regions.
 */
#ifndef MPI_ROUTE_H
#define MPI_ROUTE_H

#include "wrappers/mpi/library/mpi_library.h"

struct mpi_route {
    mpi_function next; /* NULL when the process has no such function */
    bool is_other;     /* not a function of mpi_library() */
};

/* The slow halves of both functions below. */
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
 * The definition of `name` for the code at `caller`, in place of ours. `cache` is the wrapper's
 * own, for a definition that is the same for all callers.
 */
static inline struct mpi_route mpi_route(_Atomic(mpi_function) *cache, const char *name,
                                         const void *caller)
{
    return mpi_route_by(mpi_route_find, cache, name, caller);
}

/* As mpi_route(), but a function that returns an error in place of a missing function. */
static inline struct mpi_route mpi_route_or_error(_Atomic(mpi_function) *cache, const char *name,
                                                  const void *caller)
{
    return mpi_route_by(mpi_route_find_or_error, cache, name, caller);
}

#endif
