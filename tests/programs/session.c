/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI without MPI_COMM_WORLD: communicators made from the groups of a session, messages and
 * collective operations on them. By argument: a second session at the same time ("again"), or
 * MPI_Init beside it ("init"). Where a library has no sessions the program does nothing.
 */
#include <mpi.h>
#include <string.h>

#include "expect.h"

#if MPI_VERSION >= 4

static MPI_Comm from_group(MPI_Session session, const char *name, const char *tag)
{
    MPI_Group group;
    MPI_Comm comm;
    MPI_Group_from_session_pset(session, name, &group);
    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    return comm;
}

static void talk(MPI_Comm comm)
{
    int rank, size, got = -1, sum = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 3, &got, 1, MPI_INT,
                 (rank + size - 1) % size, 3, comm, MPI_STATUS_IGNORE);
    EXPECT(got == (rank + size - 1) % size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    EXPECT(sum == size * (size - 1) / 2);
}

static void parts(MPI_Comm all)
{
    int rank;
    MPI_Comm half;
    MPI_Comm_rank(all, &rank);
    MPI_Comm_split(all, rank % 2, -rank, &half);
    MPI_Comm_set_name(half, rank % 2 ? "odd" : "even");
    talk(half);
    MPI_Comm_free(&half);
}

static void whole_session(const char *tag)
{
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Comm all = from_group(session, "mpi://WORLD", tag);
    MPI_Comm_set_name(all, tag);
    talk(all);
    parts(all);
    MPI_Comm_free(&all);
    MPI_Session_finalize(&session);
}

int main(int argc, char **argv)
{
    MPI_Session session;
    const char *how = argc > 1 ? argv[1] : "";
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Comm all = from_group(session, "mpi://WORLD", "first");
    MPI_Comm_set_name(all, "first");
    talk(all);
    MPI_Comm self = from_group(session, "mpi://SELF", "self");
    talk(self);
    MPI_Comm_free(&self);
    if (strcmp(how, "again") == 0)
        whole_session("second");
    if (strcmp(how, "init") == 0) {
        MPI_Init(&argc, &argv);
        talk(MPI_COMM_WORLD);
        talk(all);
        MPI_Finalize();
    }
    parts(all);
    MPI_Comm_free(&all);
    MPI_Session_finalize(&session);
    return unexpected;
}

#else

int main(void)
{
    return unexpected;
}

#endif
