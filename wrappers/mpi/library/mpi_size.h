/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sizes needed for every message, remembered. Otherwise a recorded message would spend most of its
 * time on questions to the MPI library.
 */
#ifndef MPI_SIZE_H
#define MPI_SIZE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "wrappers/mpi/library/mpi_library.h"

/* Do the statuses of a library hold the bytes in the same place as the statuses of its family? */
enum mpi_status_form { MPI_STATUS_UNKNOWN, MPI_STATUS_AS_EXPECTED, MPI_STATUS_OTHER };

enum { MPI_SIZE_BITS = 16 };

/*
 * Of one library. Predefined datatypes are never freed, and their handles all lie in either range.
 * So a handle keeps its meaning for ever; an entry is a handle << MPI_SIZE_BITS | its size.
 */
struct mpi_sizes {
    struct mpi_range {
        mpi_word first, end;
    } range[2];
    _Atomic(uint64_t) type[256];
    _Atomic(int) status; /* enum mpi_status_form */
};

/* NULL: no memory. */
struct mpi_sizes *mpi_sizes_new(const struct mpi_layout *layout);
void mpi_sizes_free(struct mpi_sizes *sizes);

static inline _Atomic(uint64_t) *mpi_size_entry(struct mpi_sizes *sizes, mpi_word datatype)
{
    uint64_t mixed = (uint64_t)datatype * 0x9e3779b97f4a7c15u;
    return &sizes->type[mixed >> 56]; /* 8 bits */
}

uint64_t mpi_bytes_slowly(const struct mpi_library *lib, int64_t count, mpi_word datatype);

/* Bytes of `count` elements: 64 bits from the first factor. May call MPI_Type_size. */
MPI_HOT uint64_t mpi_bytes(const struct mpi_library *lib, int64_t count, mpi_word datatype)
{
    datatype = mpi_handle(lib, datatype);
    if (__builtin_expect(count > 0 && lib->sizes, 1)) {
        uint64_t known =
            atomic_load_explicit(mpi_size_entry(lib->sizes, datatype), memory_order_relaxed);
        if (__builtin_expect(known >> MPI_SIZE_BITS == datatype, 1))
            return (uint64_t)count * (known & ((1u << MPI_SIZE_BITS) - 1));
    }
    return mpi_bytes_slowly(lib, count, datatype);
}

/* The place of the bytes of a message in both families in use, according to their mpi.h. */
static inline uint64_t mpi_status_field(const struct mpi_library *lib, const void *status)
{
    uint32_t half[2];
    uint64_t whole;
    if (lib->layout.family == MPI_FAMILY_MPICH) {
        memcpy(half, status, sizeof half);
        return (uint64_t)(half[1] >> 1) << 32 | half[0]; /* the lowest bit: was cancelled */
    }
    memcpy(&whole, (const char *)status + 16, sizeof whole);
    return whole;
}

uint64_t mpi_status_bytes_slowly(const struct mpi_library *lib, const void *status);

/* Bytes that a receive brought. Independent of the datatype: the datatype may be freed by then. */
MPI_HOT uint64_t mpi_status_bytes(const struct mpi_library *lib, const void *status)
{
    if (__builtin_expect(lib->sizes &&
                             atomic_load_explicit(&lib->sizes->status, memory_order_relaxed) ==
                                 MPI_STATUS_AS_EXPECTED,
                         1))
        return mpi_status_field(lib, status);
    return mpi_status_bytes_slowly(lib, status);
}

#endif
