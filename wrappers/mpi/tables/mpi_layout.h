/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the families of MPI libraries lay out what a program passes: mpi_layouts.def as a struct. For
 * the wrappers, and for tools that call a library without an mpi.h.
 *
 * Arguments of MPI functions are machine words: the calling conventions of x86-64 and AArch64 pass
 * an int, a pointer, an MPI_Count and both kinds of handles in the same places.
 */
#ifndef MPI_LAYOUT_H
#define MPI_LAYOUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uintptr_t mpi_word;

/* The columns of mpi_layouts.def. */
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

/*
 * Fill `layout` for a family. Open MPI's handles are addresses of symbols, which `find` looks up in
 * `of`, as dlsym() does; the other families need neither.
 */
static inline void mpi_layout_fill(struct mpi_layout *layout, enum mpi_family family,
                                   void *(*find)(void *of, const char *symbol), void *of)
{
#define SIZE(member, type, ...) layout->member = ((const size_t[]){__VA_ARGS__})[family];
#define FIELD(member, field, ...) layout->member = ((const size_t[]){__VA_ARGS__})[family];
#define NUMBER(member, NAME, ...) layout->member = ((const int[]){__VA_ARGS__})[family];
#define ADDRESS(member, NAME, ...)                                                                 \
    layout->member = (mpi_word)((const intptr_t[]){__VA_ARGS__})[family];
#define HANDLE(member, NAME, mpich, ompi, abi)                                                     \
    layout->member = family == MPI_FAMILY_OMPI ? (mpi_word)find(of, #ompi)                         \
                                               : ((const mpi_word[]){mpich, 0, abi})[family];
#include "wrappers/mpi/tables/mpi_layouts.def"
#undef SIZE
#undef FIELD
#undef NUMBER
#undef ADDRESS
#undef HANDLE
    layout->family = family;
    layout->handle_mask =
        layout->handle_bytes == sizeof(uint32_t) ? (mpi_word)UINT32_MAX : ~(mpi_word)0;
}

/* The handle that stands in a cell of the program's, or that a function has put there. */
static inline mpi_word mpi_layout_load(const struct mpi_layout *layout, const void *cell)
{
    if (layout->handle_bytes == sizeof(uint32_t)) {
        uint32_t handle;
        memcpy(&handle, cell, sizeof handle);
        return handle;
    }
    mpi_word handle;
    memcpy(&handle, cell, sizeof handle);
    return handle;
}

#endif
