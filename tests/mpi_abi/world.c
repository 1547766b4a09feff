/* SPDX-License-Identifier: BSD-3-Clause */
/* The start, the end and what can be asked for at any time; communicators and groups. */
#include "abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct comm abi_world = {.name = "MPI_COMM_WORLD"};
struct comm abi_self = {.name = "MPI_COMM_SELF", .context = 2, .size = 1};

static bool is_initialised;
static bool is_finalised;
static int level;
static int everybody[MAX_RANKS];

/* ---- errors ---- */

int abi_error(const struct comm *comm, int error)
{
    const struct comm *judge = comm ? comm : &abi_world;
    if (error == MPI_SUCCESS || judge->returns_errors)
        return error;
    fprintf(stderr, "the tests' MPI library: fatal error %d on %s\n", error, judge->name);
    fflush(stderr);
    _exit(error);
}

int PMPI_Error_class(int errorcode, int *errorclass)
{
    *errorclass = errorcode;
    return MPI_SUCCESS;
}
ALIAS(Error_class)

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler)
{
    struct comm *known = abi_comm(comm);
    if (!known)
        return abi_error(NULL, MPI_ERR_COMM);
    known->returns_errors = errhandler == MPI_ERRORS_RETURN;
    return MPI_SUCCESS;
}
ALIAS(Comm_set_errhandler)

int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *errhandler)
{
    const struct comm *known = abi_comm(comm);
    if (!known)
        return abi_error(NULL, MPI_ERR_COMM);
    *errhandler = known->returns_errors ? MPI_ERRORS_RETURN : MPI_ERRORS_ARE_FATAL;
    return MPI_SUCCESS;
}
ALIAS(Comm_get_errhandler)

int PMPI_Errhandler_free(MPI_Errhandler *errhandler)
{
    *errhandler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}
ALIAS(Errhandler_free)

int PMPI_Abort(MPI_Comm comm, int errorcode)
{
    (void)comm;
    _exit(errorcode);
}
ALIAS(Abort)

/* ---- start and end ---- */

int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    (void)argc;
    (void)argv;
    if (is_initialised || !abi_share_open(&abi_world.rank, &abi_world.size))
        return abi_error(NULL, MPI_ERR_OTHER);
    for (int i = 0; i < MAX_RANKS; i++)
        everybody[i] = i;
    abi_world.members = everybody;
    abi_self.members = &everybody[abi_world.rank];
    level = *provided = required;
    is_initialised = true;
    return PMPI_Barrier(MPI_COMM_WORLD);
}
ALIAS(Init_thread)

int PMPI_Init(int *argc, char ***argv)
{
    int provided;
    return PMPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, &provided);
}
ALIAS(Init)

int PMPI_Finalize(void)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    is_finalised = true;
    abi_share_close();
    return MPI_SUCCESS;
}
ALIAS(Finalize)

int PMPI_Initialized(int *flag)
{
    *flag = is_initialised;
    return MPI_SUCCESS;
}
ALIAS(Initialized)

int PMPI_Finalized(int *flag)
{
    *flag = is_finalised;
    return MPI_SUCCESS;
}
ALIAS(Finalized)

int PMPI_Query_thread(int *provided)
{
    *provided = level;
    return MPI_SUCCESS;
}
ALIAS(Query_thread)

int PMPI_Is_thread_main(int *flag)
{
    *flag = 1;
    return MPI_SUCCESS;
}
ALIAS(Is_thread_main)

int PMPI_Get_version(int *version, int *subversion)
{
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
    return MPI_SUCCESS;
}
ALIAS(Get_version)

int PMPI_Abi_get_version(int *abi_major, int *abi_minor)
{
    *abi_major = MPI_ABI_VERSION;
    *abi_minor = MPI_ABI_SUBVERSION;
    return MPI_SUCCESS;
}
ALIAS(Abi_get_version)

static int answer(char *text, int *length, const char *value)
{
    *length = (int)strlen(value);
    memcpy(text, value, (size_t)*length + 1);
    return MPI_SUCCESS;
}

int PMPI_Get_library_version(char *version, int *resultlen)
{
    return answer(version, resultlen, "the tests' library of the standard ABI 1.0");
}
ALIAS(Get_library_version)

int PMPI_Get_processor_name(char *name, int *resultlen)
{
    char host[MPI_MAX_PROCESSOR_NAME] = "";
    gethostname(host, sizeof host - 1);
    return answer(name, resultlen, host);
}
ALIAS(Get_processor_name)

double PMPI_Wtime(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
ALIAS(Wtime)

double PMPI_Wtick(void)
{
    return 1e-9;
}
ALIAS(Wtick)

/* ---- communicators ---- */

struct comm *abi_comm(MPI_Comm comm)
{
    if (comm == MPI_COMM_WORLD)
        return &abi_world;
    if (comm == MPI_COMM_SELF)
        return &abi_self;
    return comm == MPI_COMM_NULL ? NULL : (struct comm *)comm;
}

int PMPI_Comm_size(MPI_Comm comm, int *size)
{
    const struct comm *known = abi_comm(comm);
    if (!known)
        return abi_error(NULL, MPI_ERR_COMM);
    *size = known->size;
    return MPI_SUCCESS;
}
ALIAS(Comm_size)

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    const struct comm *known = abi_comm(comm);
    if (!known)
        return abi_error(NULL, MPI_ERR_COMM);
    *rank = known->rank;
    return MPI_SUCCESS;
}
ALIAS(Comm_rank)

int PMPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    *flag = 0;
    return abi_error(NULL, abi_comm(comm) ? MPI_SUCCESS : MPI_ERR_COMM);
}
ALIAS(Comm_test_inter)

int PMPI_Comm_remote_size(MPI_Comm comm, int *size)
{
    (void)size;
    return abi_error(abi_comm(comm), MPI_ERR_COMM);
}
ALIAS(Comm_remote_size)

int PMPI_Topo_test(MPI_Comm comm, int *status)
{
    *status = MPI_UNDEFINED;
    return abi_error(NULL, abi_comm(comm) ? MPI_SUCCESS : MPI_ERR_COMM);
}
ALIAS(Topo_test)

struct place {
    int color;
    int key;
    int context; /* of the first colour, in the entry of rank 0 */
};

/* The members of `color`, by key and then by rank. */
static struct comm *new_comm(const struct comm *from, const struct place *places, int color)
{
    struct comm *made = calloc(1, sizeof *made);
    int *ranks = malloc((size_t)from->size * sizeof *ranks);
    int first = -1;
    for (int i = 0; i < from->size; i++) {
        if (places[i].color != color)
            continue;
        first = first < 0 ? i : first;
        int at = made->size++;
        for (; at > 0 && places[ranks[at - 1]].key > places[i].key; at--)
            ranks[at] = ranks[at - 1];
        ranks[at] = i;
    }
    made->context = places[0].context + 2 * first;
    made->returns_errors = from->returns_errors;
    for (int i = 0; i < made->size; i++) {
        if (ranks[i] == from->rank)
            made->rank = i;
        ranks[i] = from->members[ranks[i]];
    }
    made->members = ranks;
    return made;
}

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
    const struct comm *from = abi_comm(comm);
    if (!from)
        return abi_error(NULL, MPI_ERR_COMM);
    struct place mine = {.color = color, .key = key};
    if (from->rank == 0)
        mine.context = abi_share_new_contexts(from->size);
    struct place *places = malloc((size_t)from->size * sizeof *places);
    PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, places, sizeof mine, MPI_BYTE, comm);
    *newcomm = color == MPI_UNDEFINED ? MPI_COMM_NULL : (MPI_Comm)new_comm(from, places, color);
    free(places);
    return MPI_SUCCESS;
}
ALIAS(Comm_split)

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
    return PMPI_Comm_split(comm, 0, 0, newcomm);
}
ALIAS(Comm_dup)

int PMPI_Comm_free(MPI_Comm *comm)
{
    struct comm *known = abi_comm(*comm);
    if (!known || known == &abi_world || known == &abi_self)
        return abi_error(NULL, MPI_ERR_COMM);
    free(known->members);
    free(known);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}
ALIAS(Comm_free)

int PMPI_Comm_set_name(MPI_Comm comm, const char *comm_name)
{
    struct comm *known = abi_comm(comm);
    if (!known)
        return abi_error(NULL, MPI_ERR_COMM);
    snprintf(known->name, sizeof known->name, "%s", comm_name);
    return MPI_SUCCESS;
}
ALIAS(Comm_set_name)

int PMPI_Comm_get_name(MPI_Comm comm, char *comm_name, int *resultlen)
{
    const struct comm *known = abi_comm(comm);
    return known ? answer(comm_name, resultlen, known->name) : abi_error(NULL, MPI_ERR_COMM);
}
ALIAS(Comm_get_name)

int PMPI_Dims_create(int nnodes, int ndims, int dims[])
{
    for (int i = 0; i < ndims; i++) {
        dims[i] = 1;
        for (int n = 1; n <= nnodes; n++)
            if (nnodes % n == 0 && (i == ndims - 1 || n * n <= nnodes))
                dims[i] = n;
        nnodes /= dims[i];
    }
    return MPI_SUCCESS;
}
ALIAS(Dims_create)

/* ---- groups ---- */

struct group {
    int size;
    int rank;
    int members[];
};

int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    const struct comm *known = abi_comm(comm);
    if (!known)
        return abi_error(NULL, MPI_ERR_COMM);
    struct group *made = malloc(sizeof *made + (size_t)known->size * sizeof(int));
    made->size = known->size;
    made->rank = known->rank;
    memcpy(made->members, known->members, (size_t)known->size * sizeof(int));
    *group = (MPI_Group)made;
    return MPI_SUCCESS;
}
ALIAS(Comm_group)

int PMPI_Group_size(MPI_Group group, int *size)
{
    *size = group == MPI_GROUP_EMPTY ? 0 : ((const struct group *)group)->size;
    return MPI_SUCCESS;
}
ALIAS(Group_size)

int PMPI_Group_rank(MPI_Group group, int *rank)
{
    *rank = group == MPI_GROUP_EMPTY ? MPI_UNDEFINED : ((const struct group *)group)->rank;
    return MPI_SUCCESS;
}
ALIAS(Group_rank)

int PMPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2,
                               int ranks2[])
{
    const struct group *from = (const struct group *)group1;
    const struct group *to = (const struct group *)group2;
    for (int i = 0; i < n; i++) {
        ranks2[i] = MPI_UNDEFINED;
        for (int j = 0; j < to->size; j++)
            if (to->members[j] == from->members[ranks1[i]])
                ranks2[i] = j;
    }
    return MPI_SUCCESS;
}
ALIAS(Group_translate_ranks)

int PMPI_Group_free(MPI_Group *group)
{
    if (*group != MPI_GROUP_EMPTY)
        free(*group);
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}
ALIAS(Group_free)
