/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/mpi_ordinal.h"

#include <string.h>

#include "wrappers/kit/wrapper_lock.h"
#include "wrappers/mpi/mpi_mark.h"

enum { FIRST_ROOM = 1 << 10, LAST_ROOM = 1 << 20 };

_Atomic(uint32_t) mpi_ordinal_mode = MPI_ORDINAL_UNDECIDED;

struct channel {
    uint64_t what; /* communicator and tag */
    uint64_t who;  /* partner and kind + 1; 0: free */
    uint64_t n;
};

static struct {
    struct wrapper_lock lock;
    struct channel *at; /* a hash table, of `room` */
    size_t n;
    size_t room;
} channels;

static struct channel *find(struct channel *at, size_t room, uint64_t what, uint64_t who)
{
    uint64_t mixed = (what ^ who * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
    size_t i = (size_t)(mixed >> 32) & (room - 1);
    while (at[i].who && (at[i].what != what || at[i].who != who))
        i = (i + 1) & (room - 1);
    return &at[i];
}

/* With the lock. False: there are too many. */
static bool grow(void)
{
    size_t room = channels.room ? 2 * channels.room : FIRST_ROOM;
    struct channel *at = room <= LAST_ROOM ? spur_mem_new(room * sizeof *at) : NULL;
    if (!at)
        return false;
    memset(at, 0, room * sizeof *at);
    for (size_t i = 0; i < channels.room; i++)
        if (channels.at[i].who)
            *find(at, room, channels.at[i].what, channels.at[i].who) = channels.at[i];
    if (channels.at)
        spur_mem_free(channels.at, channels.room * sizeof *at);
    channels.at = at;
    channels.room = room;
    return true;
}

/* With the lock; NULL: nobody knows any more. */
static struct channel *channel_of(uint64_t what, uint64_t who)
{
    if (2 * channels.n >= channels.room && !grow()) {
        atomic_store(&mpi_ordinal_mode, MPI_ORDINAL_LOST);
        return NULL;
    }
    struct channel *channel = find(channels.at, channels.room, what, who);
    if (!channel->who) {
        *channel = (struct channel){.what = what, .who = who};
        channels.n++;
    }
    return channel;
}

static uint32_t mode_now(void)
{
    uint32_t mode = atomic_load_explicit(&mpi_ordinal_mode, memory_order_relaxed);
    if (mode != MPI_ORDINAL_UNDECIDED)
        return mode;
    (void)atomic_compare_exchange_strong(&mpi_ordinal_mode, &mode,
                                         spur_keeps_newest() ? MPI_ORDINAL_ALL : MPI_ORDINAL_NONE);
    return atomic_load_explicit(&mpi_ordinal_mode, memory_order_relaxed);
}

void mpi_ordinal_paused(void)
{
    uint32_t mode = mode_now();
    if (mode == MPI_ORDINAL_NONE)
        (void)atomic_compare_exchange_strong(&mpi_ordinal_mode, &mode, MPI_ORDINAL_MISSED);
}

/* How many were missed, or the number of this one where all are counted. */
static uint64_t count(uint32_t mode, bool is_dropped, enum mpi_ordinal_kind kind, OTF2_CommRef comm,
                      uint32_t partner, uint32_t tag)
{
    const uint64_t what = (uint64_t)comm << 32 | tag;
    const uint64_t who = (uint64_t)partner << 32 | (kind + 1u);
    wrapper_lock_take(&channels.lock);
    struct channel *channel = channel_of(what, who);
    uint64_t n = channel ? channel->n : 0;
    if (channel && (is_dropped || mode == MPI_ORDINAL_ALL))
        channel->n++;
    else if (channel)
        channel->n = 0;
    wrapper_lock_give(&channels.lock);
    return n;
}

void mpi_ordinal_count(struct spur_loc *loc, enum mpi_ordinal_kind kind, OTF2_CommRef comm,
                       uint32_t partner, uint32_t tag)
{
    uint32_t mode = mode_now();
    bool is_dropped = spur_is_dropped(loc);
    if (mode == MPI_ORDINAL_NONE || comm == OTF2_UNDEFINED_COMM)
        return;
    uint64_t n = 0;
    if (mode != MPI_ORDINAL_LOST)
        n = count(mode, is_dropped, kind, comm, partner, tag);
    if (is_dropped)
        return;
    mode = mode_now();
    if (mode == MPI_ORDINAL_LOST)
        mpi_mark(loc, MPI_MARK_MISSED, UINT64_MAX);
    else if (mode == MPI_ORDINAL_ALL)
        mpi_mark(loc, MPI_MARK_ORDINAL, n);
    else if (n)
        mpi_mark(loc, MPI_MARK_MISSED, n);
}

void mpi_ordinal_missed(enum mpi_ordinal_kind kind, OTF2_CommRef comm, uint32_t partner,
                        uint32_t tag)
{
    uint32_t mode = mode_now();
    if (comm != OTF2_UNDEFINED_COMM && (mode == MPI_ORDINAL_MISSED || mode == MPI_ORDINAL_ALL))
        (void)count(mode, true, kind, comm, partner, tag);
}
