/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The communicator comes from MPI_Comm_create over the group of MPI_COMM_WORLD: MPI_Comm_dup would
 * call the functions by which the program has its attributes copied, and MPI_Comm_split gathers a
 * word of every rank at every rank.
 */
#include "wrappers/mpi/library/mpi_transport.h"

#include <errno.h>

#include "wrappers/mpi/library/mpi_library.h"

/* MPI counts in int; and what is dropped needs a buffer for one piece. */
enum { PIECE_BYTES = 1 << 18, TAG = 1 };

static uint64_t piece_of(uint64_t left)
{
    return left < PIECE_BYTES ? left : PIECE_BYTES;
}

static mpi_word comm_of(const struct spur_transport *t)
{
    return (mpi_word)t->data;
}

static int send(const struct spur_transport *t, uint32_t to, const void *bytes, uint64_t size)
{
    const struct mpi_library *lib = mpi_library();
    for (uint64_t at = 0; at < size; at += PIECE_BYTES)
        if (lib->Send((const char *)bytes + at, (int)piece_of(size - at), lib->layout.byte, (int)to,
                      TAG, comm_of(t)) != 0)
            return -EIO;
    return 0;
}

static int receive(const struct spur_transport *t, uint32_t from, void *bytes, uint64_t size)
{
    static char dropped[PIECE_BYTES]; /* never touched unless memory is short */
    const struct mpi_library *lib = mpi_library();
    for (uint64_t at = 0; at < size; at += PIECE_BYTES)
        if (lib->Recv(bytes ? (char *)bytes + at : dropped, (int)piece_of(size - at),
                      lib->layout.byte, (int)from, TAG, comm_of(t), lib->layout.status_ignore) != 0)
            return -EIO;
    return 0;
}

bool mpi_transport_open(struct spur_transport *transport)
{
    const struct mpi_library *lib = mpi_library();
    int rank = 0;
    int size = 0;
    mpi_word group = 0;
    mpi_word comm = 0;
    if (!lib->Comm_create || !lib->Comm_free || !lib->Send || !lib->Recv ||
        lib->Comm_rank(lib->layout.comm_world, &rank) != 0 ||
        lib->Comm_size(lib->layout.comm_world, &size) != 0 ||
        lib->Comm_group(lib->layout.comm_world, &group) != 0)
        return false;
    bool is_created = lib->Comm_create(lib->layout.comm_world, group, &comm) == 0;
    lib->Group_free(&group);
    *transport = (struct spur_transport){.rank = (uint32_t)rank,
                                         .size = (uint32_t)size,
                                         .send = send,
                                         .receive = receive,
                                         .data = mpi_address(comm)};
    return is_created;
}

void mpi_transport_close(struct spur_transport *transport)
{
    mpi_word comm = comm_of(transport);
    mpi_library()->Comm_free(&comm);
    transport->data = NULL;
}
