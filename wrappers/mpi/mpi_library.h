/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The MPI library of the process: where its functions are and how it lays out what the program
 * passes. Found when the first MPI function is called, since it may be loaded at any time and with
 * RTLD_LOCAL. It is the one behind us in the search order of symbols, else the one that the caller
 * depends on; a process that holds several of the latter kind is mpi_route.h's subject.
 *
 * Arguments of MPI functions are machine words: the calling conventions of x86-64 and AArch64 pass
 * an int, a pointer, an MPI_Count and both kinds of handles in the same places.
 */
#ifndef MPI_LIBRARY_H
#define MPI_LIBRARY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uintptr_t mpi_word;

/* What every message passes through; the compiler would rather save some bytes of code. */
#define MPI_HOT static inline __attribute__((always_inline))

enum mpi_family { MPI_FAMILY_MPICH, MPI_FAMILY_OMPI, MPI_FAMILY_ABI };

struct mpi_layout {
#define SIZE(member, ...) size_t member;
#define FIELD(member, ...) size_t member;
#define NUMBER(member, ...) int member;
#define ADDRESS(member, ...) mpi_word member;
#define HANDLE(member, ...) mpi_word member;
#include "wrappers/mpi/tables/mpi_layouts.def"
#undef SIZE
#undef FIELD
#undef NUMBER
#undef ADDRESS
#undef HANDLE
    enum mpi_family family;
    mpi_word handle_mask; /* the bits of an argument word that belong to a handle */
};

struct mpi_sizes;

struct mpi_library {
    struct mpi_layout layout;
    const void *base; /* of the object that answers PMPI_Initialized: what identifies a library */
    void *handle;     /* open for ever; NULL when the library is in the global scope */
    struct mpi_library *next;
    struct mpi_sizes *sizes; /* what is remembered; may be NULL */
#define API(Name, params) int(*Name) params;
#include "wrappers/mpi/tables/mpi_api.def"
#undef API
};

/* A private status for callers that passed MPI_STATUS_IGNORE. Large enough for every family. */
union mpi_status {
    uint64_t align;
    unsigned char bytes[64];
};

/* Fill `layout` for a family; Open MPI's handles are looked up by `find`. For tests as well. */
void mpi_layout_fill(struct mpi_layout *layout, enum mpi_family family,
                     void *(*find)(const char *symbol));

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

/* A symbol that a library open as `handle` provides (NULL: the global scope); NULL if none does. */
void *mpi_library_symbol(void *handle, const char *name);

/* A new description of the library that `handle` provides, NULL when it is none. */
struct mpi_library *mpi_library_new(void *handle);
void mpi_library_free(struct mpi_library *lib);

/*
 * Is `caller` a Fortran binding at work for another function than `name`? Some ask for the size of
 * the communicator before they convert the arrays of a Gatherv; the program has not called that.
 */
bool mpi_binding_asks(const char *name, const void *caller);

/* ---- what arguments say ---- */

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
    const char *at = (const char *)mpi_address(array) + (size_t)i * lib->layout.handle_bytes;
    if (lib->layout.handle_bytes == sizeof(uint32_t)) {
        uint32_t handle;
        memcpy(&handle, at, sizeof handle);
        return handle;
    }
    mpi_word handle;
    memcpy(&handle, at, sizeof handle);
    return handle;
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
