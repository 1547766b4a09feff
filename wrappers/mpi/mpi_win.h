/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows for one-sided communication: the trace's knowledge of a handle, and the incomplete
 * operations on the handle. A window over a communicator that cannot be described is not known: its
 * calls are regions and nothing else. Where `spur attach` attached to ranks, a rank may meet a
 * window without seeing its creation: such a window belongs to a communicator with the same
 * members, and the birth and death of the window are not recorded. All functions are thread-safe.
 */
#ifndef MPI_WIN_H
#define MPI_WIN_H

#include "agent/spur_agent.h"
#include "wrappers/mpi/library/mpi_library.h"

struct mpi_win;

enum { MPI_WIN_ALL = -0x7fffffff }; /* in place of a rank; no constant of any library */

/* The extent to which a synchronisation completes operations: at their origin, or everywhere. */
enum mpi_win_reach { MPI_WIN_LOCAL, MPI_WIN_REMOTE };

/* The bytes of an operation; `received` of gets and atomic operations. */
struct mpi_win_op {
    enum { MPI_WIN_PUT, MPI_WIN_GET, MPI_WIN_ATOMIC } kind;
    OTF2_RmaAtomicType atomic;
    uint64_t sent;
    uint64_t received;
};

/* The window at `win_at` was made over `comm`: define the window, record the birth. */
void mpi_win_created(struct spur_loc *loc, mpi_word comm, mpi_word win_at, OTF2_CollectiveOp op);

/* NULL for an unknown window. Borrowed until the window is freed. */
struct mpi_win *mpi_win_of(mpi_word handle);

/* `win` (may be NULL) was freed. */
void mpi_win_freed(struct spur_loc *loc, struct mpi_win *win);

void mpi_win_name(mpi_word handle, mpi_word name);

/* An operation was started. If there is a request, the request completes the operation at its
 * origin. */
void mpi_win_started(struct spur_loc *loc, mpi_word handle, int target, const struct mpi_win_op *op,
                     mpi_word request_at);

/* The request of an operation is complete. */
void mpi_win_request_done(struct spur_loc *loc, OTF2_RmaWinRef id, uint64_t operation);

/*
 * Synchronisation: completes operations, started by any thread, and records the synchronisation
 * itself. `rank` may be MPI_WIN_ALL. `next` is the result of mpi_win_next() before the call:
 * operations started by then are completed, but not operations that another thread starts
 * meanwhile.
 */
uint64_t mpi_win_next(void);
void mpi_win_complete(struct spur_loc *loc, mpi_word handle, int rank, enum mpi_win_reach reach,
                      uint64_t next);
void mpi_win_fenced(struct spur_loc *loc, mpi_word handle, uint64_t next);
void mpi_win_lock(struct spur_loc *loc, mpi_word handle, int rank, int type, bool is_acquired);
void mpi_win_unlocked(struct spur_loc *loc, mpi_word handle, int rank, uint64_t next);
void mpi_win_synchronised(struct spur_loc *loc, mpi_word handle);

/*
 * Groups of the general active synchronisation: an epoch is opened by MPI_Win_start (access) or
 * MPI_Win_post (exposure) and closed by MPI_Win_complete or MPI_Win_wait.
 */
enum mpi_win_epoch { MPI_WIN_ACCESS, MPI_WIN_EXPOSURE };
void mpi_win_opened(struct spur_loc *loc, mpi_word handle, mpi_word group,
                    enum mpi_win_epoch epoch);
void mpi_win_closed(struct spur_loc *loc, mpi_word handle, enum mpi_win_epoch epoch, uint64_t next);

#endif
