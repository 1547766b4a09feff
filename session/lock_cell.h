/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a process has counted of its locks, in the file `counts` beside its segment: for finishing,
 * should the process be killed, and for snapshots. One that ends tells its counts in the journal.
 * Readers believe nothing.
 */
#ifndef SESSION_LOCK_CELL_H
#define SESSION_LOCK_CELL_H

#include <stdatomic.h>
#include <stdint.h>

#define SPUR_COUNTS_FILE "counts"

/* A process has no more of it. */
enum { SPUR_COUNTS_BYTES = 8 << 20 };

/* `alone` is written without atomic additions, which take most of the time. */
struct spur_lock_number {
    _Atomic uint64_t alone;  /* by who has the object alone, or the first thread */
    _Atomic uint64_t others; /* by all others */
};

/* Of an object. */
struct spur_lock_cell {
    struct spur_lock_number acquisitions, signals;
    _Atomic uint32_t lock;    /* its number + 1; 0: the cell tells nothing */
    _Atomic uint32_t threads; /* that have counted */
    _Atomic uint32_t kind;    /* enum spur_counted_kind */
    uint32_t unused;
};

static inline uint64_t spur_lock_sum(const struct spur_lock_number *number)
{
    return atomic_load(&number->alone) + atomic_load(&number->others);
}

#endif
