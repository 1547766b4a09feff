/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/mpi_size.h"

#include <link.h>

#include "agent/spur_agent.h"

enum { SIZE_BITS = 16, HASH_SHIFT = 56 }; /* 8 bits of hash: 256 entries */

/* ---- datatypes ---- */

/* The writable part of the object that holds the address; the first one is the program. */
struct search {
    uintptr_t inside; /* 0: the first one */
    struct mpi_range range;
};

static int find_data(struct dl_phdr_info *info, size_t size, void *data)
{
    struct search *search = data;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t first = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_W) ||
            (search->inside && search->inside - first >= segment->p_memsz))
            continue;
        search->range = (struct mpi_range){first, first + segment->p_memsz};
        return 1;
    }
    return search->inside == 0;
}

static struct mpi_range data_of(uintptr_t inside)
{
    struct search search = {.inside = inside};
    dl_iterate_phdr(find_data, &search);
    return search.range;
}

/*
 * MPICH marks its built-in types in the upper bits of the handle, and those of the MPI-5 ABI are
 * small numbers. Those of Open MPI are objects in the library's own data, or copied into the
 * program's; what the program makes lies in neither.
 */
struct mpi_sizes *mpi_sizes_new(const struct mpi_layout *layout)
{
    struct mpi_sizes *sizes = spur_mem_new(sizeof *sizes);
    if (!sizes)
        return NULL;
    if (layout->family == MPI_FAMILY_OMPI) {
        sizes->range[0] = data_of(layout->byte);
        sizes->range[1] = data_of(0);
    } else if (layout->family == MPI_FAMILY_MPICH) {
        sizes->range[0] = (struct mpi_range){0x4c000000, 0x50000000};
    } else {
        sizes->range[0] = (struct mpi_range){1, 4096};
    }
    return sizes;
}

void mpi_sizes_free(struct mpi_sizes *sizes)
{
    if (sizes)
        spur_mem_free(sizes, sizeof *sizes);
}

static bool is_predefined(const struct mpi_sizes *sizes, mpi_word datatype)
{
    for (int i = 0; sizes && i < 2; i++)
        if (datatype - sizes->range[i].first < sizes->range[i].end - sizes->range[i].first)
            return true;
    return false;
}

static bool ask_size(const struct mpi_library *lib, mpi_word datatype, int64_t *bytes)
{
    int size = 0;
    if (lib->Type_size(datatype, &size) != 0)
        return false;
    *bytes = size;
    return size != lib->layout.undefined ||
           (lib->Type_size_x && lib->Type_size_x(datatype, bytes) == 0);
}

static int64_t predefined_size(const struct mpi_library *lib, mpi_word datatype)
{
    _Atomic(uint64_t) *entry =
        &lib->sizes->type[(uint64_t)datatype * 0x9e3779b97f4a7c15u >> HASH_SHIFT];
    uint64_t known = atomic_load_explicit(entry, memory_order_relaxed);
    int64_t bytes = 0;
    if (known >> SIZE_BITS == datatype)
        return (int64_t)(known & ((1u << SIZE_BITS) - 1));
    if (!ask_size(lib, datatype, &bytes))
        return 0;
    if (bytes >> SIZE_BITS == 0)
        atomic_store_explicit(entry, (uint64_t)datatype << SIZE_BITS | (uint64_t)bytes,
                              memory_order_relaxed);
    return bytes;
}

uint64_t mpi_bytes(const struct mpi_library *lib, int64_t count, mpi_word datatype)
{
    int64_t bytes = 0;
    datatype = mpi_handle(lib, datatype);
    if (count <= 0 || datatype == lib->layout.datatype_null)
        return 0;
    if (is_predefined(lib->sizes, datatype))
        bytes = predefined_size(lib, datatype);
    else if (!ask_size(lib, datatype, &bytes))
        return 0;
    return (uint64_t)count * (uint64_t)bytes;
}

/* ---- statuses ---- */

enum { STATUS_UNKNOWN, STATUS_AS_EXPECTED, STATUS_OTHER };

static uint64_t ask_bytes(const struct mpi_library *lib, const void *status)
{
    int count = 0;
    int64_t elements = 0;
    if (lib->Get_count(status, lib->layout.byte, &count) == 0 && count != lib->layout.undefined)
        return (uint64_t)count;
    if (lib->Get_elements_x && lib->Get_elements_x(status, lib->layout.byte, &elements) == 0 &&
        elements > 0)
        return (uint64_t)elements;
    return 0;
}

/* Where both families that are in use keep the number, as their mpi.h shows. */
static uint64_t bytes_within(const struct mpi_library *lib, const void *status)
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

/* The field is no part of the standard: the first message that has bytes tells whether it is so. */
uint64_t mpi_status_bytes(const struct mpi_library *lib, const void *status)
{
    if (!lib->sizes || lib->layout.family == MPI_FAMILY_ABI)
        return ask_bytes(lib, status);
    int is = atomic_load_explicit(&lib->sizes->status, memory_order_relaxed);
    if (is == STATUS_AS_EXPECTED)
        return bytes_within(lib, status);
    uint64_t bytes = ask_bytes(lib, status);
    if (is == STATUS_UNKNOWN && bytes > 0)
        atomic_store_explicit(&lib->sizes->status,
                              bytes_within(lib, status) == bytes ? STATUS_AS_EXPECTED
                                                                 : STATUS_OTHER,
                              memory_order_relaxed);
    return bytes;
}
