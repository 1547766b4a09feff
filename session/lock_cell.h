/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts of locks: the file `counts` beside the segment of a process, for finishing after a kill,
 * and for snapshots. A process that ends by itself tells the counts in the journal. Readers of the
 * file check each value.
 */
#ifndef SESSION_LOCK_CELL_H
#define SESSION_LOCK_CELL_H

#include <stdatomic.h>
#include <stdint.h>

#define SPUR_COUNTS_FILE "counts"

/* The largest file of a process. */
enum { SPUR_COUNTS_BYTES = 8 << 20 };

/* `alone` is written without atomic additions: an atomic addition takes most of the time. */
struct spur_lock_number {
    _Atomic uint64_t alone;  /* by a thread that has the object alone, or by the first thread */
    _Atomic uint64_t others; /* by all other threads */
};

/* The counts of an object: a lock, a semaphore, a condition. */
struct spur_lock_cell {
    struct spur_lock_number acquisitions, signals;
    _Atomic uint32_t lock;    /* number of the lock + 1; 0: the cell is empty */
    _Atomic uint32_t threads; /* number of threads that have counted */
    _Atomic uint32_t kind;    /* enum spur_counted_kind */
    uint32_t unused;
};

static inline uint64_t spur_lock_sum(const struct spur_lock_number *number)
{
    return atomic_load(&number->alone) + atomic_load(&number->others);
}

#endif
