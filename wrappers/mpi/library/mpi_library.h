/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The MPI library of the process: the addresses of its functions, and the layout of the arguments
 * that the program passes. Found when the first MPI function is called, since the library may be
 * loaded at any time and with RTLD_LOCAL. The library is the next library behind us in the search
 * order of symbols, else the library on which the caller depends. mpi_route.h describes processes
 * with several libraries of the second kind.
 */
#ifndef MPI_LIBRARY_H
#define MPI_LIBRARY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "wrappers/mpi/tables/mpi_layout.h"

/* On the way of every message; the compiler would rather save a few bytes of code. */
#define MPI_HOT static inline __attribute__((always_inline))

struct mpi_sizes;

struct mpi_library {
    struct mpi_layout layout;
    const void *base; /* of the object with PMPI_Initialized: identifies a library */
    void *handle;     /* open for ever; NULL when the library is in the global scope */
    struct mpi_library *next;
    struct mpi_sizes *sizes; /* remembered sizes; may be NULL */
    mpi_word fortran_ignore; /* Open MPI: address of Fortran's MPI_STATUS_IGNORE; else 0 */
#define API(Name, params) int(*Name) params;
#include "wrappers/mpi/tables/mpi_api.def"
#undef API
};

/* A private status for callers that passed MPI_STATUS_IGNORE. Large enough for every family. */
union mpi_status {
    uint64_t align;
    unsigned char bytes[64];
};

/* A function of unknown type; cast before the call. */
typedef void (*mpi_function)(void);

extern _Atomic(const struct mpi_library *) mpi_library_found;

/*
 * The library whose communication is recorded: the only one, or the first that was initialised. Not
 * NULL once mpi_route() has found a function.
 */
static inline const struct mpi_library *mpi_library(void)
{
    return atomic_load_explicit(&mpi_library_found, memory_order_acquire);
}

/* A symbol in a library open as `handle` (NULL: the global scope); NULL: no library has the
 * symbol. */
void *mpi_library_symbol(void *handle, const char *name);

/* A new description of the library open as `handle`, NULL: not an MPI library. */
struct mpi_library *mpi_library_new(void *handle);
void mpi_library_free(struct mpi_library *lib);

/*
 * Is `caller` a Fortran binding at work for another function than `name`? Several bindings ask for
 * the size of the communicator before converting the arrays of a Gatherv; the program has not
 * called that function.
 */
bool mpi_binding_asks(const char *name, const void *caller);

/* ---- the meaning of arguments ---- */

/* An argument that is an address. */
static inline void *mpi_address(mpi_word argument)
{
    return (void *)argument; /* NOLINT(performance-no-int-to-ptr) */
}

static inline mpi_word mpi_handle(const struct mpi_library *lib, mpi_word argument)
{
    return argument & lib->layout.handle_mask;
}

/* The i-th handle of an array of the program's. */
static inline mpi_word mpi_handle_at(const struct mpi_library *lib, mpi_word array, int i)
{
    const struct mpi_layout *layout = &lib->layout;
    return mpi_layout_load(layout,
                           (const char *)mpi_address(array) + (size_t)i * layout->handle_bytes);
}

static inline int mpi_int_at(mpi_word address)
{
    int value;
    memcpy(&value, mpi_address(address), sizeof value);
    return value;
}

static inline int mpi_status_int(const void *status, size_t offset)
{
    return mpi_int_at((mpi_word)status + offset);
}

/* The i-th status of an array. */
static inline const void *mpi_status_at(const struct mpi_library *lib, mpi_word statuses, int i)
{
    return (const char *)mpi_address(statuses) + (size_t)i * lib->layout.status_bytes;
}

/* `status`, or `own` where the program passed MPI_STATUS_IGNORE. */
static inline mpi_word mpi_status_or(mpi_word status, union mpi_status *own)
{
    return status == mpi_library()->layout.status_ignore ? (mpi_word)own : status;
}

#endif
