/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/library/mpi_library.h"

#include <dlfcn.h>

#include "wrappers/kit/wrapper.h"
#include "wrappers/mpi/library/mpi_size.h"

_Atomic(const struct mpi_library *) mpi_library_found;

void *mpi_library_symbol(void *handle, const char *name)
{
    return handle ? wrapper_not_ours(dlsym(handle, name)) : spur_real(name, NULL);
}

/*
 * An executable may hold its own copy of Open MPI's predefined objects (a copy relocation), and
 * this copy is then the one that everybody uses: the global scope goes before the library.
 */
static void *find_object(void *handle, const char *name)
{
    void *object = dlsym(RTLD_DEFAULT, name);
    return object ? object : mpi_library_symbol(handle, name);
}

/* MPI_Get_library_version may be called before MPI_Init. */
static bool is_open_mpi(const struct mpi_library *lib)
{
    char version[8192]; /* MPI_MAX_LIBRARY_VERSION_STRING of MPICH, which is the longest */
    int length = 0;
    if (!lib->Get_library_version || lib->Get_library_version(version, &length) != 0)
        return find_object(lib->handle, "ompi_mpi_comm_world") != NULL;
    return strstr(version, "Open MPI") != NULL;
}

static enum mpi_family family_of(const struct mpi_library *lib)
{
    Dl_info info;
    void *function;
    memcpy(&function, &lib->Initialized, sizeof function);
    if (dladdr(function, &info) && info.dli_fname && strstr(info.dli_fname, "libmpi_abi"))
        return MPI_FAMILY_ABI;
    return is_open_mpi(lib) ? MPI_FAMILY_OMPI : MPI_FAMILY_MPICH;
}

/* Where in a struct mpi_library the address of a function belongs. */
static const struct {
    const char *name;
    size_t offset;
} api[] = {
#define API(Name, params) {"PMPI_" #Name, offsetof(struct mpi_library, Name)},
#include "wrappers/mpi/tables/mpi_api.def"
#undef API
};

struct mpi_library *mpi_library_new(void *handle)
{
    struct mpi_library *lib = spur_mem_new(sizeof *lib);
    if (!lib)
        return NULL;
    for (size_t i = 0; i < sizeof api / sizeof api[0]; i++) {
        void *symbol = mpi_library_symbol(handle, api[i].name);
        memcpy((char *)lib + api[i].offset, &symbol, sizeof symbol);
    }
    if (!lib->Initialized || !lib->Comm_group || !lib->Type_size || !lib->Get_count) {
        mpi_library_free(lib);
        return NULL;
    }
    lib->handle = handle;
    lib->base = wrapper_base(mpi_library_symbol(handle, "PMPI_Initialized"));
    mpi_layout_fill(&lib->layout, family_of(lib), find_object, handle);
    if (lib->layout.family == MPI_FAMILY_OMPI)
        lib->fortran_ignore = (mpi_word)find_object(handle, "mpi_fortran_status_ignore_");
    lib->sizes = mpi_sizes_new(&lib->layout);
    return lib;
}

void mpi_library_free(struct mpi_library *lib)
{
    mpi_sizes_free(lib->sizes);
    spur_mem_free(lib, sizeof *lib);
}

/* Does "ompi_comm_size_f" or "mpi_comm_size_f08_" stand for "PMPI_Comm_size"? */
static bool is_binding_of(const char *symbol, const char *name)
{
    return strcasestr(symbol, strchr(name, '_') + 1) != NULL;
}

static bool find_binding_asks_here(const char *name, const void *caller)
{
    Dl_info info;
    if (!dladdr(caller, &info) || !info.dli_fname || !info.dli_sname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    const char *file = slash ? slash + 1 : info.dli_fname;
    return strncmp(file, "libmpi", 6) == 0 && !strstr(file, "cxx") &&
           !is_binding_of(info.dli_sname, name);
}
static bool find_binding_asks(const char *name, const void *caller);
SPUR_DOOR(bool, find_binding_asks, (const char *, name), (const void *, caller))

bool mpi_binding_asks(const char *name, const void *caller)
{
    enum { SITES = 256 };
    static _Atomic(uintptr_t) sites[SITES]; /* call site, and the answer in the lowest bit */
    static _Atomic uint32_t valid;          /* for this number of unloads */
    uintptr_t site = (uintptr_t)caller << 1;
    const uint32_t unloads = spur_code_unloads();
    if (atomic_load_explicit(&valid, memory_order_relaxed) != unloads) {
        for (size_t i = 0; i < SITES; i++)
            atomic_store(&sites[i], 0);
        atomic_store(&valid, unloads);
    }
    _Atomic(uintptr_t) *known = &sites[((uintptr_t)caller >> 2) % SITES];
    uintptr_t found = atomic_load_explicit(known, memory_order_relaxed);
    if (found >> 1 == site >> 1)
        return found & 1;
    bool asks = find_binding_asks(name, caller);
    atomic_store_explicit(known, site | asks, memory_order_relaxed);
    return asks;
}
