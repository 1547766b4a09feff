/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows for one-sided communication: what the trace knows about a handle, and which operations on
 * it are not complete. A window over a communicator that cannot be described is not known: its
 * calls are regions and nothing else. Where ranks are attached to, a window is met: it belongs to a
 * communicator with its members, and its birth and death are not told. All functions are
 * thread-safe.
 */
#ifndef MPI_WIN_H
#define MPI_WIN_H

#include "agent/spur_agent.h"
#include "wrappers/mpi/library/mpi_library.h"

struct mpi_win;

enum { MPI_WIN_ALL = -0x7fffffff }; /* in place of a rank; no constant of any library */

/* How far a synchronisation completes operations: at their origin, or everywhere. */
enum mpi_win_reach { MPI_WIN_LOCAL, MPI_WIN_REMOTE };

/* What an operation moves; `received` of gets and atomic operations. */
struct mpi_win_op {
    enum { MPI_WIN_PUT, MPI_WIN_GET, MPI_WIN_ATOMIC } kind;
    OTF2_RmaAtomicType atomic;
    uint64_t sent;
    uint64_t received;
};

/* The window at `win_at` was made over `comm`: defined, its birth recorded. */
void mpi_win_created(struct spur_loc *loc, mpi_word comm, mpi_word win_at, OTF2_CollectiveOp op);

/* NULL for a window that is not known. Borrowed until it is freed. */
struct mpi_win *mpi_win_of(mpi_word handle);

/* `win` (may be NULL) was freed. */
void mpi_win_freed(struct spur_loc *loc, struct mpi_win *win);

void mpi_win_name(mpi_word handle, mpi_word name);

/* An operation was started. With a request, that is what completes it at its origin. */
void mpi_win_started(struct spur_loc *loc, mpi_word handle, int target, const struct mpi_win_op *op,
                     mpi_word request_at);

/* Its request is complete. */
void mpi_win_request_done(struct spur_loc *loc, OTF2_RmaWinRef id, uint64_t operation);

/*
 * Synchronisation: what it completes, by whatever thread that was started, and the records of its
 * own. `rank` may be MPI_WIN_ALL. `next` is what mpi_win_next() gave before the call: it completes
 * what was started by then, and not what another thread starts meanwhile.
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
