/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/mpi_win.h"

#include "wrappers/kit/wrapper_lock.h"
#include "wrappers/mpi/mpi_comm.h"
#include "wrappers/mpi/mpi_ordinal.h"
#include "wrappers/mpi/mpi_request.h"

enum {
    FIRST_ROOM = 16,
    LOCK_ID = 0, /* a rank's part of a window has one lock */
    EPOCHS = MPI_WIN_EXPOSURE + 1,
};

/* An operation not complete at its target; or a lock that is held and recorded. */
struct pending {
    uint64_t id; /* a lock: HELD */
    int target;
    bool is_get;       /* done everywhere once done here */
    bool is_done_here; /* the completion here is recorded already */
};

static const uint64_t HELD = UINT64_MAX; /* no operation has the id */

struct mpi_win {
    mpi_word handle;
    struct mpi_win *next;
    OTF2_RmaWinRef id;
    uint32_t rank; /* of this process */
    OTF2_CommRef comm;
    bool has_events; /* creation is recorded, so destruction will be */
    OTF2_GroupRef group[EPOCHS];
    struct pending *pending;
    size_t n_pending;
    size_t room;
};

/*
 * Programs have few windows: one list, the newest window first. Guards the windows and their
 * members.
 */
static struct wrapper_lock lock;
static struct mpi_win *windows;
static _Atomic(uint64_t) next_id;

/* ---- windows ---- */

/* With the lock. */
static struct mpi_win *find(mpi_word handle)
{
    struct mpi_win *win = windows;
    while (win && win->handle != handle)
        win = win->next;
    return win;
}

/* With the lock, as the number among the windows of the communicator counts. */
static struct mpi_win *define(mpi_word handle, const struct mpi_comm *comm, bool has_events)
{
    OTF2_RmaWinRef id = comm ? spur_def_rma_win(NULL, comm->id,
                                                has_events ? OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS
                                                           : OTF2_RMA_WIN_FLAG_NONE)
                             : OTF2_UNDEFINED_RMA_WIN;
    struct mpi_win *win = id != OTF2_UNDEFINED_RMA_WIN ? spur_mem_new(sizeof *win) : NULL;
    if (!win)
        return NULL;
    win->handle = handle;
    win->rank = (uint32_t)comm->rank;
    win->comm = comm->id;
    for (int i = 0; i < EPOCHS; i++)
        win->group[i] = OTF2_UNDEFINED_GROUP;
    win->has_events = has_events;
    win->id = id;
    win->next = windows;
    windows = win;
    return win;
}

/* With the lock: a window made out of sight, or by a call that not all ranks have recorded. */
static struct mpi_win *define_on_first_sight(mpi_word handle)
{
    const struct mpi_library *lib = mpi_library();
    mpi_word group = 0;
    if (handle == 0 || !lib->Win_get_group || lib->Win_get_group(handle, &group) != 0)
        return NULL;
    struct mpi_win *win = define(handle, mpi_comm_of_members(group), false);
    lib->Group_free(&group);
    return win;
}

struct mpi_win *mpi_win_of(mpi_word handle)
{
    handle = mpi_handle(mpi_library(), handle);
    wrapper_lock_take(&lock);
    struct mpi_win *win = find(handle);
    if (!win && mpi_comm_is_out_of_step())
        win = define_on_first_sight(handle);
    wrapper_lock_give(&lock);
    return win;
}

static void put_collective_end(struct spur_loc *loc, OTF2_CollectiveOp op, OTF2_RmaSyncLevel level,
                               const struct mpi_win *win)
{
    mpi_ordinal(loc, MPI_ORDINAL_RMA, win->comm, 0, 0);
    spur_put_RmaCollectiveEnd(loc, op, level, win->id, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
}

void mpi_win_created(struct spur_loc *loc, mpi_word comm, mpi_word win_at, OTF2_CollectiveOp op)
{
    mpi_word handle = mpi_handle_at(mpi_library(), win_at, 0);
    wrapper_lock_take(&lock);
    struct mpi_win *win = mpi_comm_is_out_of_step()
                              ? define_on_first_sight(handle)
                              : define(handle, mpi_comm_of(comm), !spur_is_dropped(loc));
    wrapper_lock_give(&lock);
    if (!win)
        return;
    if (win->has_events)
        spur_put_RmaWinCreate(loc, win->id);
    put_collective_end(loc, op, OTF2_RMA_SYNC_LEVEL_NONE, win);
}

void mpi_win_freed(struct spur_loc *loc, struct mpi_win *win)
{
    if (!win)
        return;
    if (win->has_events)
        spur_put_RmaWinDestroy(loc, win->id);
    put_collective_end(loc, OTF2_COLLECTIVE_OP_DESTROY_HANDLE, OTF2_RMA_SYNC_LEVEL_PROCESS, win);
    wrapper_lock_take(&lock);
    struct mpi_win **link = &windows;
    while (*link && *link != win)
        link = &(*link)->next;
    if (*link)
        *link = win->next;
    wrapper_lock_give(&lock);
    spur_mem_free(win->pending, win->room * sizeof *win->pending);
    spur_mem_free(win, sizeof *win);
}

void mpi_win_name(mpi_word handle, mpi_word name)
{
    const struct mpi_win *win = mpi_win_of(handle);
    if (win)
        spur_def_rma_win_name(win->id, mpi_address(name));
}

/* ---- operations ---- */

static void put_op(struct spur_loc *loc, OTF2_RmaWinRef win, int target,
                   const struct mpi_win_op *op, uint64_t id)
{
    uint32_t remote = (uint32_t)target;
    switch (op->kind) {
    case MPI_WIN_PUT:
        spur_put_RmaPut(loc, win, remote, op->sent, id);
        break;
    case MPI_WIN_GET:
        spur_put_RmaGet(loc, win, remote, op->received, id);
        break;
    case MPI_WIN_ATOMIC:
        spur_put_RmaAtomic(loc, win, remote, op->atomic, op->sent, op->received, id);
        break;
    }
}

/* With the lock. False without memory. */
static bool remember(struct mpi_win *win, const struct pending *pending)
{
    if (win->n_pending == win->room) {
        size_t room = win->room ? 2 * win->room : FIRST_ROOM;
        struct pending *grown = spur_mem_new(room * sizeof *grown);
        if (!grown)
            return false;
        if (win->pending) {
            memcpy(grown, win->pending, win->n_pending * sizeof *grown);
            spur_mem_free(win->pending, win->room * sizeof *grown);
        }
        win->pending = grown;
        win->room = room;
    }
    win->pending[win->n_pending++] = *pending;
    return true;
}

void mpi_win_started(struct spur_loc *loc, mpi_word handle, int target, const struct mpi_win_op *op,
                     mpi_word request_at)
{
    struct mpi_win *win = target == mpi_library()->layout.proc_null ? NULL : mpi_win_of(handle);
    struct mpi_request request = {.kind = MPI_REQUEST_OTHER};
    struct pending pending = {.target = target, .is_get = op->kind == MPI_WIN_GET};
    bool is_remembered = false;
    if (win && !spur_is_dropped(loc)) {
        wrapper_lock_take(&lock);
        pending.id = atomic_fetch_add(&next_id, 1);
        is_remembered = remember(win, &pending);
        wrapper_lock_give(&lock);
    }
    if (is_remembered) {
        put_op(loc, win->id, target, op, pending.id);
        request.kind = MPI_REQUEST_RMA;
        request.id = pending.id;
        request.win = win->id;
    }
    if (request_at)
        mpi_request_put(&mpi_requests, mpi_handle_at(mpi_library(), request_at, 0), &request);
}

uint64_t mpi_win_next(void)
{
    return atomic_load(&next_id);
}

/* With the lock. */
static void forget(struct mpi_win *win, size_t i)
{
    memmove(&win->pending[i], &win->pending[i + 1],
            (win->n_pending - i - 1) * sizeof *win->pending);
    win->n_pending--;
}

void mpi_win_request_done(struct spur_loc *loc, OTF2_RmaWinRef id, uint64_t operation)
{
    bool is_new = false;
    wrapper_lock_take(&lock);
    struct mpi_win *win = windows;
    while (win && win->id != id)
        win = win->next;
    for (size_t i = 0; win && i < win->n_pending; i++) {
        struct pending *pending = &win->pending[i];
        if (pending->id != operation)
            continue;
        is_new = !pending->is_done_here;
        pending->is_done_here = true;
        if (pending->is_get)
            forget(win, i);
        break;
    }
    wrapper_lock_give(&lock);
    if (is_new)
        spur_put_RmaOpCompleteNonBlocking(loc, id, operation);
}

/* Records the completion of an operation, by `reach`. */
static void put_complete(struct spur_loc *loc, OTF2_RmaWinRef win, const struct pending *pending,
                         enum mpi_win_reach reach)
{
    if (reach != MPI_WIN_REMOTE)
        spur_put_RmaOpCompleteNonBlocking(loc, win, pending->id);
    else if (pending->is_done_here)
        spur_put_RmaOpCompleteRemote(loc, win, pending->id);
    else
        spur_put_RmaOpCompleteBlocking(loc, win, pending->id);
}

/*
 * With the lock: moves operations that are complete now, and not recorded as complete, to `done`.
 * Only operations started before the completing call are complete: `next` was the id to come at the
 * time of the call. The work is done in one pass, however many operations there are. Returns the
 * number of operations moved; if `done` is full, the rest is for another pass.
 */
static size_t take_complete(struct mpi_win *win, int rank, enum mpi_win_reach reach, uint64_t next,
                            struct pending *done, size_t room)
{
    size_t n = 0;
    size_t kept = 0;
    for (size_t i = 0; i < win->n_pending; i++) {
        struct pending *pending = &win->pending[i];
        bool is_meant = pending->id < next && (rank == MPI_WIN_ALL || pending->target == rank) &&
                        (reach == MPI_WIN_REMOTE || !pending->is_done_here) && n < room;
        if (is_meant) {
            done[n++] = *pending;
            pending->is_done_here = true;
        }
        /* A request may be waited for after the synchronisation that completed the operation. */
        if (!is_meant || (reach == MPI_WIN_LOCAL && !pending->is_get))
            win->pending[kept++] = *pending;
    }
    win->n_pending = kept;
    return n;
}

/* Records are written without the lock: a flush of the buffer would make other threads wait. */
static void complete(struct spur_loc *loc, struct mpi_win *win, int rank, enum mpi_win_reach reach,
                     uint64_t next)
{
    struct pending few[FIRST_ROOM];
    struct pending *done = few;
    size_t room = FIRST_ROOM;
    size_t n;
    do {
        wrapper_lock_take(&lock);
        size_t most = win->n_pending;
        wrapper_lock_give(&lock);
        if (done == few && most > room) {
            done = spur_mem_new(most * sizeof *done);
            room = done ? most : room;
            done = done ? done : few;
        }
        wrapper_lock_take(&lock);
        n = take_complete(win, rank, reach, next, done, room);
        wrapper_lock_give(&lock);
        for (size_t i = 0; i < n; i++)
            put_complete(loc, win->id, &done[i], reach);
    } while (n == room);
    if (done != few)
        spur_mem_free(done, room * sizeof *done);
}

/* ---- synchronisation ---- */

void mpi_win_complete(struct spur_loc *loc, mpi_word handle, int rank, enum mpi_win_reach reach,
                      uint64_t next)
{
    struct mpi_win *win = mpi_win_of(handle);
    if (win)
        complete(loc, win, rank, reach, next);
}

void mpi_win_fenced(struct spur_loc *loc, mpi_word handle, uint64_t next)
{
    struct mpi_win *win = mpi_win_of(handle);
    if (!win)
        return;
    complete(loc, win, MPI_WIN_ALL, MPI_WIN_REMOTE, next);
    put_collective_end(loc, OTF2_COLLECTIVE_OP_BARRIER,
                       OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY, win);
}

static uint32_t remote_of(int rank)
{
    return rank == MPI_WIN_ALL ? OTF2_UNDEFINED_UINT32 : (uint32_t)rank;
}

/* False: nobody will know of the lock, so the end of the lock is not recorded either. */
static bool hold(const struct spur_loc *loc, struct mpi_win *win, int rank)
{
    const struct pending held = {.id = HELD, .target = rank};
    if (spur_is_dropped(loc))
        return false;
    wrapper_lock_take(&lock);
    bool is_remembered = remember(win, &held);
    wrapper_lock_give(&lock);
    return is_remembered;
}

/* Was the lock acquired while recording was on? */
static bool release(struct mpi_win *win, int rank)
{
    wrapper_lock_take(&lock);
    size_t i = 0;
    while (i < win->n_pending && (win->pending[i].id != HELD || win->pending[i].target != rank))
        i++;
    const bool is_held = i < win->n_pending;
    if (is_held)
        forget(win, i);
    wrapper_lock_give(&lock);
    return is_held;
}

void mpi_win_lock(struct spur_loc *loc, mpi_word handle, int rank, int type, bool is_acquired)
{
    const struct mpi_library *lib = mpi_library();
    struct mpi_win *win = rank == lib->layout.proc_null ? NULL : mpi_win_of(handle);
    OTF2_LockType how = type == lib->layout.lock_exclusive ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED;
    if (!win)
        return;
    if (is_acquired && hold(loc, win, rank))
        spur_put_RmaAcquireLock(loc, win->id, remote_of(rank), LOCK_ID, how);
    else if (!is_acquired)
        spur_put_RmaRequestLock(loc, win->id, remote_of(rank), LOCK_ID, how);
}

void mpi_win_unlocked(struct spur_loc *loc, mpi_word handle, int rank, uint64_t next)
{
    struct mpi_win *win = rank == mpi_library()->layout.proc_null ? NULL : mpi_win_of(handle);
    if (!win)
        return;
    complete(loc, win, rank, MPI_WIN_REMOTE, next);
    if (release(win, rank))
        spur_put_RmaReleaseLock(loc, win->id, remote_of(rank), LOCK_ID);
}

void mpi_win_synchronised(struct spur_loc *loc, mpi_word handle)
{
    const struct mpi_win *win = mpi_win_of(handle);
    if (win)
        spur_put_RmaSync(loc, win->id, win->rank, OTF2_RMA_SYNC_TYPE_MEMORY);
}

/* An empty group may be exposed to and accessed, and is synchronised with nobody. */
static void put_group_sync(struct spur_loc *loc, OTF2_RmaSyncLevel level, const struct mpi_win *win,
                           enum mpi_win_epoch epoch)
{
    if (win->group[epoch] != OTF2_UNDEFINED_GROUP)
        spur_put_RmaGroupSync(loc, level, win->id, win->group[epoch]);
}

void mpi_win_opened(struct spur_loc *loc, mpi_word handle, mpi_word group, enum mpi_win_epoch epoch)
{
    struct mpi_win *win = mpi_win_of(handle);
    if (!win)
        return;
    /* A start may wait for the posts of its group; a post waits for nothing. */
    OTF2_RmaSyncLevel level =
        epoch == MPI_WIN_ACCESS ? OTF2_RMA_SYNC_LEVEL_PROCESS : OTF2_RMA_SYNC_LEVEL_MEMORY;
    win->group[epoch] = mpi_comm_group(group);
    put_group_sync(loc, level, win, epoch);
}

void mpi_win_closed(struct spur_loc *loc, mpi_word handle, enum mpi_win_epoch epoch, uint64_t next)
{
    struct mpi_win *win = mpi_win_of(handle);
    if (!win)
        return;
    if (epoch == MPI_WIN_ACCESS)
        complete(loc, win, MPI_WIN_ALL, MPI_WIN_REMOTE, next);
    put_group_sync(loc, OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY, win, epoch);
}
