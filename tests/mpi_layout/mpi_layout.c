/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compiled against one mpi.h: do the tables of the wrappers say what it says? That a row of
 * mpi_calls.def has the right parameters is checked by the compiler, to which the prototype made
 * from the row is a second declaration of the function; the constants are compared at run time.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/mpi_layout/kinds.h"
#include <otf2/otf2_foreach.h>

#define PARAM_0(Row, kind, name) C_##kind(0, name)
#define PARAM_1(Row, kind, name) C_##kind(1, name)
#define PROTOTYPE(Name, LARGE, ...)                                                                \
    int MPI_##Name(OTF2_LIST(PARAM_##LARGE, Name, "", __VA_ARGS__));                               \
    int PMPI_##Name(OTF2_LIST(PARAM_##LARGE, Name, "", __VA_ARGS__));
#define FORMS(Name, Iname, Init, LARGE, ...)                                                       \
    PROTOTYPE(Name, LARGE, __VA_ARGS__)                                                            \
    PROTOTYPE(Iname, LARGE, __VA_ARGS__, (REQUEST_OUT, request))                                   \
    PROTOTYPE(Init, LARGE, __VA_ARGS__, (INFO, info), (REQUEST_OUT, request))

#define MPI_CALL(Name, group, ROLE, MEANING, ...) PROTOTYPE(Name, 0, __VA_ARGS__)
#define MPI_QUERY(Name, group, ...) PROTOTYPE(Name, 0, __VA_ARGS__)
#define MPI_COLL(Name, name, ROLE, OP, root, send, receive, ...)                                   \
    FORMS(Name, I##name, Name##_init, 0, __VA_ARGS__)
#if MPI_VERSION >= 4
#define MPI_CALL_C(Name, group, ROLE, MEANING, ...)                                                \
    PROTOTYPE(Name, 0, __VA_ARGS__) PROTOTYPE(Name##_c, 1, __VA_ARGS__)
#define MPI_COLL_C(Name, name, ROLE, OP, root, send, receive, ...)                                 \
    FORMS(Name, I##name, Name##_init, 0, __VA_ARGS__)                                              \
    FORMS(Name##_c, I##name##_c, Name##_init_c, 1, __VA_ARGS__)
#else
#define MPI_CALL_C MPI_CALL
#define MPI_COLL_C MPI_COLL
#endif
#include "wrappers/mpi/tables/mpi_calls.def"

#ifdef OMPI_MAJOR_VERSION
#define COLUMN(mpich, ompi, abi) (ompi)
#define OBJECT(mpich, ompi, abi) ((uintptr_t)dlsym(RTLD_DEFAULT, #ompi))
#elif defined(MPI_ABI_VERSION)
#define COLUMN(mpich, ompi, abi) (abi)
#define OBJECT(mpich, ompi, abi) ((uintptr_t)(abi))
#else
#define COLUMN(mpich, ompi, abi) (mpich)
#define OBJECT(mpich, ompi, abi) ((uintptr_t)(mpich))
#endif

static int failures;

static void compare(const char *name, intptr_t header, intptr_t table)
{
    if (header == table)
        return;
    printf("%s is %#lx in mpi.h and %#lx in mpi_layouts.def\n", name, (unsigned long)header,
           (unsigned long)table);
    failures++;
}

static void compare_handle(const char *name, uintptr_t header, uintptr_t table)
{
    uintptr_t mask = sizeof(MPI_Comm) == 4 ? UINT32_MAX : UINTPTR_MAX;
    compare(name, (intptr_t)(header & mask), (intptr_t)table);
}

int main(void)
{
#define SIZE(member, type, ...) compare("sizeof " #type, sizeof(type), COLUMN(__VA_ARGS__));
#define FIELD(member, field, ...) compare(#field, offsetof(MPI_Status, field), COLUMN(__VA_ARGS__));
#define NUMBER(member, NAME, ...) compare(#NAME, NAME, COLUMN(__VA_ARGS__));
#define ADDRESS(member, NAME, ...) compare(#NAME, (intptr_t)(NAME), COLUMN(__VA_ARGS__));
#define HANDLE(member, NAME, ...) compare_handle(#NAME, (uintptr_t)(NAME), OBJECT(__VA_ARGS__));
#include "wrappers/mpi/tables/mpi_layouts.def"
    if (MPI_SUCCESS != 0)
        compare("MPI_SUCCESS", MPI_SUCCESS, 0);
    return failures != 0;
}
