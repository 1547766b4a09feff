/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which message of its channel (communicator, sender, receiver, tag), and which collective
 * operation of its communicator, a record is: what others need to find the partner's record when
 * some are not there. While all is kept nothing is counted, the n-th record is the n-th message. Of
 * what happens in a pause it is counted how many there were; the next one that is recorded tells in
 * a mark. Where old records are dropped (SPUR_FLUSH=ring) all are counted, and each has a mark.
 */
#ifndef MPI_ORDINAL_H
#define MPI_ORDINAL_H

#include "agent/spur_agent.h"
#include "wrappers/mpi/library/mpi_library.h"

/* What has an order of its own. */
enum mpi_ordinal_kind {
    MPI_ORDINAL_SEND,
    MPI_ORDINAL_RECV,
    MPI_ORDINAL_COLL,
    MPI_ORDINAL_ICOLL,
    MPI_ORDINAL_RMA
};

enum mpi_ordinal_mode {
    MPI_ORDINAL_NONE,
    MPI_ORDINAL_UNDECIDED, /* it was not asked yet whether old records are dropped */
    MPI_ORDINAL_MISSED,    /* there was a pause */
    MPI_ORDINAL_ALL,       /* old records are dropped */
    MPI_ORDINAL_LOST,      /* too many channels: nobody knows any more */
};

extern _Atomic(uint32_t) mpi_ordinal_mode;

void mpi_ordinal_count(struct spur_loc *loc, enum mpi_ordinal_kind kind, OTF2_CommRef comm,
                       uint32_t partner, uint32_t tag);

/* A record of this kind follows at once, or would, if records to `loc` were not dropped. */
MPI_HOT void mpi_ordinal(struct spur_loc *loc, enum mpi_ordinal_kind kind, OTF2_CommRef comm,
                         uint32_t partner, uint32_t tag)
{
    if (__builtin_expect(atomic_load_explicit(&mpi_ordinal_mode, memory_order_relaxed), 0))
        mpi_ordinal_count(loc, kind, comm, partner, tag);
}

/* There will be no record, wherever it might be put to. */
void mpi_ordinal_missed(enum mpi_ordinal_kind kind, OTF2_CommRef comm, uint32_t partner,
                        uint32_t tag);

/* Recording is paused: what follows in this process is counted. */
void mpi_ordinal_paused(void);

#endif
