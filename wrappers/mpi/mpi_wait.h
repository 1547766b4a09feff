/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The completion of requests: Wait*, Test*. MPI nulls the handles of completed requests, so the
 * handles are copied aside. The statuses are needed, so private statuses stand in for ignored
 * statuses.
 *
 * With MPI_THREAD_MULTIPLE the requests are taken out of the table before the call, and requests
 * that are still open are put back: a handle that is freed inside the call may be another thread's
 * new request before we look. Without MPI_THREAD_MULTIPLE the requests are looked up after the
 * call: cheaper for a program that polls.
 */
#ifndef MPI_WAIT_H
#define MPI_WAIT_H

#include "wrappers/mpi/mpi_request.h"

enum { MPI_WAIT_SMALL = 8 };

struct mpi_wait {
    int n;
    bool is_early;             /* the requests are in `taken` */
    mpi_word requests;         /* the program's array */
    mpi_word statuses;         /* as given to MPI: the program's or private statuses */
    mpi_word *handles;         /* [n] before the call, 0 for null and for finished handles */
    struct mpi_request *taken; /* [n] */
    void *memory;              /* NULL when the arrays below suffice */
    size_t memory_bytes;
    mpi_word small_handles[MPI_WAIT_SMALL];
    struct mpi_request small_taken[MPI_WAIT_SMALL];
    union mpi_status small_statuses[MPI_WAIT_SMALL];
};

/* The level of threads from MPI_Init; several threads are expected until the level is known. */
void mpi_wait_set_threads(bool is_multiple);

extern _Atomic(bool) mpi_wait_has_threads;

mpi_word mpi_wait_begin_slowly(struct mpi_wait *wait, int n, mpi_word requests, mpi_word statuses,
                               mpi_word ignore);

/* The i-th handle, 0 for the null handle. */
static inline mpi_word mpi_wait_handle(const struct mpi_library *lib, mpi_word requests, int i)
{
    const mpi_word handle = mpi_handle_at(lib, requests, i);
    return handle == lib->layout.request_null ? 0 : handle;
}

/* Before the call. Returns the argument for `statuses`; `ignore` is the value for ignored
 * statuses. */
MPI_HOT mpi_word mpi_wait_begin(struct mpi_wait *wait, int n, mpi_word requests, mpi_word statuses,
                                mpi_word ignore)
{
    const struct mpi_library *lib = mpi_library();
    if (n < 0 || n > MPI_WAIT_SMALL ||
        atomic_load_explicit(&mpi_wait_has_threads, memory_order_relaxed))
        return mpi_wait_begin_slowly(wait, n, requests, statuses, ignore);
    wait->n = n;
    wait->is_early = false;
    wait->memory = NULL;
    wait->requests = requests;
    wait->statuses = statuses == ignore ? (mpi_word)wait->small_statuses : statuses;
    wait->handles = wait->small_handles;
    wait->taken = wait->small_taken;
    for (int i = 0; i < n; i++)
        wait->small_handles[i] = mpi_wait_handle(lib, requests, i);
    return wait->statuses;
}

/* And notes the subject of the wait. */
static inline void mpi_wait_says(const struct mpi_wait *wait, struct spur_loc *loc,
                                 enum spur_wait kind)
{
    if (wait->n == 1)
        spur_waits_request(loc, SPUR_WAIT_REQUEST, wait->handles[0]);
    else if (wait->n > 1)
        spur_waits_request(loc, kind, 0);
}

/* After the call, at the time of the Leave: records the completions. `ret` is the result of MPI. */
void mpi_wait_all(struct mpi_wait *wait, struct spur_loc *loc, int ret);
void mpi_wait_any(struct mpi_wait *wait, struct spur_loc *loc, int ret, bool is_done, int index);
void mpi_wait_some(struct mpi_wait *wait, struct spur_loc *loc, int ret, int n, const int *indices);
/* MPI_Testall with flag: all or nothing. */
void mpi_wait_test_all(struct mpi_wait *wait, struct spur_loc *loc, int ret, bool is_done);

/* MPI_Start and MPI_Startall, at the time of the Enter. */
void mpi_wait_start(struct spur_loc *loc, int n, mpi_word requests);

/* MPI_Cancel; MPI_Request_get_status; MPI_Request_free with a handle read before the call. */
void mpi_wait_cancel(mpi_word requests);
void mpi_wait_status(struct spur_loc *loc, mpi_word handle, bool is_done);
void mpi_wait_statuses(struct spur_loc *loc, int n, mpi_word requests, bool is_done);
void mpi_wait_free(struct spur_loc *loc, mpi_word handle);

#endif
