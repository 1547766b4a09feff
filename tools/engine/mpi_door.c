/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/engine/mpi_door.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/fail.h"

/* ---- where it is ---- */

/* The names of libraries, by family; in a family the usual one first. */
static const struct {
    enum mpi_family family;
    const char *name;
} names[] = {
    {MPI_FAMILY_MPICH, "libmpich.so.12"}, /* Debian's MPICH */
    {MPI_FAMILY_MPICH, "libmpi.so.12"},   /* MPICH, Intel MPI, MVAPICH, Cray MPICH */
    {MPI_FAMILY_OMPI, "libmpi.so.40"},    /* Open MPI */
    {MPI_FAMILY_ABI, "libmpi_abi.so.0"},  /* the ABI of MPI-5 */
    {MPI_FAMILY_ABI, "libmpi_abi.so.1"},
};
enum { NAMES = sizeof names / sizeof names[0] };

static void *open_library(const char *folder, size_t length, const char *name)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%.*s%s%s", (int)length, folder, length ? "/" : "", name);
    /* Open MPI's plug-ins look for its symbols in the global scope. */
    return n > 0 && n < (int)sizeof path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
}

/* The first library in a folder; that of the likely family first. "": where the linker looks. */
static void *try_folder(const struct job *job, const char *folder, size_t length)
{
    void *handle = NULL;
    for (size_t i = 0; i < NAMES && !handle; i++)
        if (names[i].family == job->family)
            handle = open_library(folder, length, names[i].name);
    for (size_t i = 0; i < NAMES && !handle; i++)
        handle = open_library(folder, length, names[i].name);
    return handle;
}

/* PREFIX/lib of PREFIX/bin/mpirun. */
static void *try_beside(const struct job *job)
{
    static const char *const folders[] = {"lib", "lib64"};
    char path[PATH_MAX + 8];
    void *handle = NULL;
    size_t length = strlen(job->starter);
    for (int up = 0; up < 2; up++)
        while (length && job->starter[--length] != '/')
            ;
    for (size_t i = 0; length && !handle && i < sizeof folders / sizeof folders[0]; i++) {
        int n = snprintf(path, sizeof path, "%.*s/%s", (int)length, job->starter, folders[i]);
        handle = try_folder(job, path, (size_t)n);
    }
    return handle;
}

/* What the user has put in front, whatever its family. */
static void *try_user(const struct job *job)
{
    const char *at = getenv("LD_LIBRARY_PATH");
    void *handle = NULL;
    while (at && *at && !handle) {
        size_t length = strcspn(at, ":");
        handle = length ? try_folder(job, at, length) : NULL;
        at += length + (at[length] == ':');
    }
    return handle;
}

static void *find_library(const struct job *job)
{
    void *handle = try_beside(job);
    handle = handle ? handle : try_user(job);
    handle = handle ? handle : try_folder(job, "", 0);
    if (!handle)
        fail("this is rank %lu of an MPI job, and no MPI library is found (%s ...): put its folder "
             "into LD_LIBRARY_PATH, or start one process without mpirun",
             job->rank, names[job->family == MPI_FAMILY_OMPI ? 2 : 0].name);
    return handle;
}

/* ---- what it is like ---- */

static void *symbol_of(const struct mpi_door *door, void *handle, const char *name)
{
    void *symbol = dlsym(handle, name);
    if (!symbol)
        fail("%s is no MPI library: it has no %s", door->file, name);
    return symbol;
}

void mpi_door_open(struct mpi_door *door, const struct job *job)
{
    Dl_info info;
    void *handle = find_library(job);
    void *init = dlsym(handle, "PMPI_Init");
    door->file = init && dladdr(init, &info) ? info.dli_fname : "the library that was found";
    enum mpi_family family = strstr(door->file, "libmpi_abi")               ? MPI_FAMILY_ABI
                             : dlsym(handle, "ompi_mpi_comm_world") != NULL ? MPI_FAMILY_OMPI
                                                                            : MPI_FAMILY_MPICH;
    mpi_layout_fill(&door->layout, family, dlsym, handle);
    /* POSIX wants this detour over a void *. */
#define DOOR(Name, parameters)                                                                     \
    {                                                                                              \
        void *symbol = symbol_of(door, handle, "PMPI_" #Name);                                     \
        memcpy(&door->Name, &symbol, sizeof symbol);                                               \
    }
#include "tools/engine/mpi_door.def"
#undef DOOR
}
