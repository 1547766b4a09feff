/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The number of a record: of a message in its channel (communicator, sender, receiver, tag), and of
 * a collective operation in its communicator. Readers need the numbers to find the partner's record
 * when records are missing. While all records are kept nothing is counted, the n-th record is the
 * n-th message. In a pause, messages and operations are only counted, and the next record has a
 * mark with the count. Where old records are dropped (SPUR_FLUSH=ring) all messages and operations
 * are counted, and each record has a mark.
 */
#ifndef MPI_ORDINAL_H
#define MPI_ORDINAL_H

#include "agent/spur_agent.h"
#include "wrappers/mpi/library/mpi_library.h"

/* The kinds of records with an order of their own. */
enum mpi_ordinal_kind {
    MPI_ORDINAL_SEND,
    MPI_ORDINAL_RECV,
    MPI_ORDINAL_COLL,
    MPI_ORDINAL_ICOLL,
    MPI_ORDINAL_RMA
};

enum mpi_ordinal_mode {
    MPI_ORDINAL_NONE,
    MPI_ORDINAL_UNDECIDED, /* not yet asked whether old records are dropped */
    MPI_ORDINAL_MISSED,    /* there was a pause */
    MPI_ORDINAL_ALL,       /* old records are dropped */
    MPI_ORDINAL_LOST,      /* too many channels: the numbers are lost */
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

/* There will be no record, in any location. */
void mpi_ordinal_missed(enum mpi_ordinal_kind kind, OTF2_CommRef comm, uint32_t partner,
                        uint32_t tag);

/* Recording is paused: all that follows in this process is counted. */
void mpi_ordinal_paused(void);

#endif
