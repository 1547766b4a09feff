/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The choice of ranks that compare clocks. Ranks with the same clock elect the lowest rank. The
 * elected ranks share a communicator of their own, so that no message of spur's can meet a receive
 * of the program's. The elected ranks form a tree: each rank asks its parent, and answers its
 * children one by one. In a wide tree the errors of few measurements add up, and no rank has to
 * answer many others.
 */
#include "wrappers/mpi/mpi_clock.h"

#include <errno.h>
#include <sched.h>

#include "agent/spur_agent.h"
#include "wrappers/mpi/library/mpi_library.h"

enum { CHILDREN = 16, TAG = 0 };

/* The elected ranks; 0 elsewhere, and where all ranks have the same clock. */
static mpi_word elected;

struct link {
    struct spur_link base;
    int rank; /* in `elected` */
};

static int send(const struct spur_link *base, uint64_t word)
{
    const struct mpi_library *lib = mpi_library();
    const struct link *link = (const struct link *)base;
    int ret = lib->Send(&word, sizeof word, lib->layout.byte, link->rank, TAG, elected);
    return ret == 0 ? 0 : -EIO;
}

/*
 * Libraries wait for a message without giving up the processor. Where two ranks share a processor,
 * each answer would then take until the kernel has had enough of the waiting rank.
 */
static void wait_for_message(const struct mpi_library *lib, int rank)
{
    enum { PATIENCE = 1000 }; /* questions: some hundred microseconds */
    int is_there = 0;
    for (int i = 0; lib->Iprobe && !is_there; i++) {
        if (lib->Iprobe(rank, TAG, elected, &is_there, lib->layout.status_ignore) != 0)
            return;
        if (!is_there && i >= PATIENCE)
            sched_yield();
    }
}

static int receive(const struct spur_link *base, uint64_t *word)
{
    const struct mpi_library *lib = mpi_library();
    const struct link *link = (const struct link *)base;
    wait_for_message(lib, link->rank);
    int ret = lib->Recv(word, sizeof *word, lib->layout.byte, link->rank, TAG, elected,
                        lib->layout.status_ignore);
    return ret == 0 ? 0 : -EIO;
}

static void compare(void)
{
    const struct mpi_library *lib = mpi_library();
    int rank = 0;
    int size = 0;
    if (lib->Comm_rank(elected, &rank) != 0 || lib->Comm_size(elected, &size) != 0)
        return;
    struct link link = {{send, receive}, 0};
    if (rank > 0) {
        link.rank = (rank - 1) / CHILDREN;
        spur_clock_ask(&link.base);
    }
    for (int i = 1; i <= CHILDREN; i++) {
        link.rank = rank * CHILDREN + i;
        if (rank > (size - 1) / CHILDREN || link.rank >= size)
            break;
        spur_clock_answer(&link.base);
    }
}

/*
 * The bits set in all identities, and the bits set in no identity: together all bits, if the
 * identities are equal.
 */
static bool is_one_clock(const struct mpi_library *lib, uint64_t id)
{
    const uint64_t mine[] = {id, ~id};
    uint64_t common[] = {id, ~id};
    int ret = lib->Allreduce(mine, common, sizeof mine, lib->layout.byte, lib->layout.op_band,
                             lib->layout.comm_world);
    return ret != 0 || common[0] == ~common[1];
}

/* A handle as MPI stores it in `at`. */
static mpi_word handle_in(const struct mpi_library *lib, const mpi_word *at)
{
    return mpi_handle_at(lib, (mpi_word)at, 0);
}

/*
 * Colours have 31 bits. Clocks that share a colour by chance are not compared, but told apart
 * later.
 */
static bool elect(const struct mpi_library *lib, uint64_t id)
{
    mpi_word at = 0;
    int rank = 0;
    int place = 0;
    if (lib->Comm_rank(lib->layout.comm_world, &rank) != 0 ||
        lib->Comm_split(lib->layout.comm_world, (int)(id >> 33), rank, &at) != 0)
        return false;
    lib->Comm_rank(handle_in(lib, &at), &place);
    lib->Comm_free(&at);
    at = 0;
    if (lib->Comm_split(lib->layout.comm_world, place == 0 ? 0 : lib->layout.undefined, rank,
                        &at) != 0)
        return false;
    elected = handle_in(lib, &at);
    if (elected == lib->layout.comm_null)
        elected = 0;
    return elected != 0;
}

/* A job spawned by another job may have ranks of several programs, some of the ranks untraced. */
static bool is_spawned(const struct mpi_library *lib)
{
    mpi_word parent = 0;
    return !lib->Comm_get_parent || lib->Comm_get_parent(&parent) != 0 ||
           handle_in(lib, &parent) != lib->layout.comm_null;
}

static bool can_compare(const struct mpi_library *lib)
{
    int size = 0;
    return lib->Allreduce && lib->Comm_split && lib->Comm_free && lib->Send && lib->Recv &&
           lib->Comm_size(lib->layout.comm_world, &size) == 0 && size > 1 && !is_spawned(lib);
}

void mpi_clock_begin(void)
{
    const struct mpi_library *lib = mpi_library();
    const uint64_t id = spur_clock_id();
    if (can_compare(lib) && !is_one_clock(lib, id) && elect(lib, id))
        compare();
}

void mpi_clock_end(void)
{
    const struct mpi_library *lib = mpi_library();
    if (!elected)
        return;
    compare();
    mpi_word at = elected;
    elected = 0;
    lib->Comm_free(&at);
}
