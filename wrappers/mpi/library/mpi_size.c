/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/library/mpi_size.h"

#include <link.h>

#include "agent/spur_agent.h"

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

uint64_t mpi_bytes_slowly(const struct mpi_library *lib, int64_t count, mpi_word datatype)
{
    int64_t bytes = 0;
    if (count <= 0 || datatype == lib->layout.datatype_null || !ask_size(lib, datatype, &bytes))
        return 0;
    if (is_predefined(lib->sizes, datatype) && bytes >> MPI_SIZE_BITS == 0)
        atomic_store_explicit(mpi_size_entry(lib->sizes, datatype),
                              (uint64_t)datatype << MPI_SIZE_BITS | (uint64_t)bytes,
                              memory_order_relaxed);
    return (uint64_t)count * (uint64_t)bytes;
}

/* ---- statuses ---- */

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

/* The field is no part of the standard: the first message that has bytes tells whether it is so. */
uint64_t mpi_status_bytes_slowly(const struct mpi_library *lib, const void *status)
{
    uint64_t bytes = ask_bytes(lib, status);
    if (lib->sizes && lib->layout.family != MPI_FAMILY_ABI && bytes > 0 &&
        atomic_load_explicit(&lib->sizes->status, memory_order_relaxed) == MPI_STATUS_UNKNOWN)
        atomic_store_explicit(&lib->sizes->status,
                              mpi_status_field(lib, status) == bytes ? MPI_STATUS_AS_EXPECTED
                                                                     : MPI_STATUS_OTHER,
                              memory_order_relaxed);
    return bytes;
}
