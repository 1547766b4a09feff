/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules about one-sided communication: windows, operations, locks. */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/check/check_tell.h"

enum { FINISHED_MAX = 1 << 18, FINISHED_LEAST = 1 << 10 };

struct finished;

/* A process' side of a window. */
struct window {
    struct node node; /* a: process, b: window */
    bool is_created, is_destroyed;
    struct finished *finished; /* all finished operations */
    uint64_t n_finished;
    bool has_forgotten; /* part of the finished operations was dropped */
};

struct rma_operation {
    struct node node; /* a: location, b: window, c: id */
    uint64_t event, time;
    uint64_t n; /* started under the same id */
};

/*
 * The last starter of an operation, or the last location to acquire a lock: any thread of the
 * process may end the operation, or release the lock.
 */
struct starter {
    struct node node; /* a: process, b and c: as below */
    uint64_t location;
};

/* An operation complete at a single side. */
struct finished {
    struct node node; /* as above */
    bool is_remote;
    struct finished *before, *after; /* of the window */
};

struct rma_lock {
    struct node node; /* a: location, b: window and remote, c: lock */
};

struct windows {
    struct table windows, operations, finished, locks;
    struct table starters, lockers;
    uint64_t most; /* largest number of finished operations kept for a window */
};

/* The content of a note about an event. */
struct rma_note {
    uint64_t time, id; /* matching id, or lock */
    uint32_t win, remote;
    uint64_t what; /* a value of enum what */
};

enum what {
    CREATE,
    DESTROY,
    USE,
    LOCK_REQUEST,
    LOCK_ACQUIRE,
    LOCK_RELEASE,
    START,
    COMPLETE,
    COMPLETE_REMOTE,
    TEST
};

void rma_begin(struct check *c)
{
    c->windows = take_memory(sizeof *c->windows);
    c->windows->windows.node_bytes = sizeof(struct window);
    c->windows->operations.node_bytes = sizeof(struct rma_operation);
    c->windows->finished.node_bytes = sizeof(struct finished);
    c->windows->locks.node_bytes = sizeof(struct rma_lock);
    c->windows->starters.node_bytes = sizeof(struct starter);
    c->windows->lockers.node_bytes = sizeof(struct starter);
    c->windows->most = FINISHED_MAX / (c->processes.n + 1);
    if (c->windows->most < FINISHED_LEAST)
        c->windows->most = FINISHED_LEAST;
}

/* ---- windows ---- */

static bool has_life(const struct check *c, uint32_t win)
{
    const struct otf2_def_RmaWin *def = defined_as(c, OTF2_REF_RmaWin, win, OTF2_DEF_RmaWin);
    return def && def->flags & OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS;
}

static struct key window_key(const struct location *at, uint32_t win)
{
    return (struct key){at->process->node.key.a, win, 0};
}

static struct window *window_of(struct check *c, const struct location *at, uint32_t win)
{
    return table_intern(&c->windows->windows, window_key(at, win));
}

static void use(struct check *c, const struct window *w, uint32_t win, struct place where)
{
    if (has_life(c, win) && (!w->is_created || w->is_destroyed))
        found(c->verdict, RULE_RMA_WINDOW, where, "window %" PRIu32 " is used %s", win,
              w->is_destroyed ? "after RmaWinDestroy" : "without RmaWinCreate");
}

static void tell(struct check *c, struct location *at, enum what what, uint32_t win,
                 uint32_t remote, uint64_t id)
{
    struct rma_note note = {at->time, id, win, remote, what};
    TELL(c, at, RMA, window_key(at, win), note);
}

static void check_remote(struct check *c, struct location *at, uint32_t win, uint32_t remote)
{
    const struct otf2_def_RmaWin *def = defined_as(c, OTF2_REF_RmaWin, win, OTF2_DEF_RmaWin);
    const struct otf2_def_Comm *comm =
        def ? defined_as(c, OTF2_REF_Comm, def->comm, OTF2_DEF_Comm) : NULL;
    const struct otf2_def_Group *group =
        comm ? defined_as(c, OTF2_REF_Group, comm->group, OTF2_DEF_Group) : NULL;
    if (!group)
        return;
    uint64_t n = group->groupType == OTF2_GROUP_TYPE_COMM_SELF ? 1 : group->numberOfMembers;
    bool is_open = group->groupFlags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS; /* ranks of the world */
    if (n && !is_open && remote >= n)
        found(c->verdict, RULE_RMA_RANK, event_place(at),
              "rank %" PRIu32 " of %" PRIu64 " in window %" PRIu32, remote, n, win);
}

static void life(struct check *c, struct window *w, uint32_t win, bool is_create,
                 struct place where)
{
    const char *what = is_create ? "RmaWinCreate" : "RmaWinDestroy";
    if (!has_life(c, win))
        found(c->verdict, RULE_RMA_WINDOW, where,
              "%s of window %" PRIu32 ", whose flags say that there is none", what, win);
    else if (is_create ? w->is_created && !w->is_destroyed : !w->is_created || w->is_destroyed)
        found(c->verdict, RULE_RMA_WINDOW, where, "%s of window %" PRIu32 ", which %s", what, win,
              is_create ? "is there" : "is not there");
    w->is_created = w->is_created || is_create;
    w->is_destroyed = !is_create;
}

static void tell_remote(struct check *c, struct location *at, enum what what, uint32_t win,
                        uint32_t remote, uint64_t id)
{
    tell(c, at, what, win, remote, id);
    check_remote(c, at, win, remote);
}

void rma_win_create(struct check *c, struct location *at, event_data e)
{
    tell(c, at, CREATE, e->evt_RmaWinCreate.win, 0, 0);
}

void rma_win_destroy(struct check *c, struct location *at, event_data e)
{
    tell(c, at, DESTROY, e->evt_RmaWinDestroy.win, 0, 0);
}

void rma_collective_begin(struct check *c, struct location *at, event_data e)
{
    (void)e;
    if (at->is_in_rma_collective)
        found(c->verdict, RULE_RMA_COLLECTIVE, event_place(at),
              "RmaCollectiveBegin behind RmaCollectiveBegin");
    at->is_in_rma_collective = true;
}

void rma_collective_end(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_RmaCollectiveEnd *end = &e->evt_RmaCollectiveEnd;
    if (!at->is_in_rma_collective)
        found(c->verdict, RULE_RMA_COLLECTIVE, event_place(at),
              "RmaCollectiveEnd without RmaCollectiveBegin");
    at->is_in_rma_collective = false;
    if (end->collectiveOp < OTF2_COLLECTIVE_OP_CREATE_HANDLE)
        tell(c, at, USE, end->win, 0, 0);
    if (end->root < OTF2_COLLECTIVE_ROOT_THIS_GROUP)
        check_remote(c, at, end->win, end->root);
}

void rma_group_sync(struct check *c, struct location *at, event_data e)
{
    tell(c, at, USE, e->evt_RmaGroupSync.win, 0, 0);
}

void rma_sync(struct check *c, struct location *at, event_data e)
{
    tell_remote(c, at, USE, e->evt_RmaSync.win, e->evt_RmaSync.remote, 0);
}

void rma_wait_change(struct check *c, struct location *at, event_data e)
{
    tell(c, at, USE, e->evt_RmaWaitChange.win, 0, 0);
}

/* ---- threads ---- */

/*
 * Ids belong to a location, which may share the ids with further locations, or belong to a process.
 * If the location's own key is unknown, a further location of the process has begun the operation.
 */
static struct key of_process(const struct location *at, struct key key)
{
    return (struct key){at->process->node.key.a, key.b, key.c};
}

static void note_starter(struct table *starters, const struct location *at, struct key key)
{
    if (at->process->n_locations < 2)
        return;
    struct starter *starter = table_intern(starters, of_process(at, key));
    starter->location = at->id;
}

static struct key starter_key(const struct table *starters, const struct location *at,
                              struct key key)
{
    const struct starter *starter = table_find(starters, of_process(at, key));
    return starter ? (struct key){starter->location, key.b, key.c} : key;
}

static void forget_starter(struct table *starters, const struct location *at, struct key key)
{
    struct starter *starter = table_find(starters, of_process(at, key));
    if (starter && starter->location == key.a)
        table_remove(starters, starter);
}

/* ---- locks ---- */

static struct key lock_key(const struct location *at, uint32_t win, uint32_t remote, uint64_t lock)
{
    return (struct key){at->id, (uint64_t)win << 32 | remote, lock};
}

/* MPI_Win_lock_all locks all ranks in a single record, without a rank. */
static void tell_lock(struct check *c, struct location *at, enum what what, uint32_t win,
                      uint32_t remote, uint64_t lock)
{
    tell(c, at, what, win, remote, lock);
    if (remote != OTF2_UNDEFINED_UINT32)
        check_remote(c, at, win, remote);
}

void rma_request_lock(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_RmaRequestLock *l = &e->evt_RmaRequestLock;
    tell_lock(c, at, LOCK_REQUEST, l->win, l->remote, l->lockId);
}

void rma_acquire_lock(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_RmaAcquireLock *l = &e->evt_RmaAcquireLock;
    tell_lock(c, at, LOCK_ACQUIRE, l->win, l->remote, l->lockId);
}

void rma_try_lock(struct check *c, struct location *at, event_data e)
{
    tell_remote(c, at, USE, e->evt_RmaTryLock.win, e->evt_RmaTryLock.remote, 0);
}

void rma_release_lock(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_RmaReleaseLock *l = &e->evt_RmaReleaseLock;
    tell_lock(c, at, LOCK_RELEASE, l->win, l->remote, l->lockId);
}

static void take_acquisition(struct check *c, const struct location *at,
                             const struct rma_note *note)
{
    const struct key key = lock_key(at, note->win, note->remote, note->id);
    (void)table_intern(&c->windows->locks, key);
    if (note->what == LOCK_ACQUIRE)
        note_starter(&c->windows->lockers, at, key);
}

static void take_release(struct check *c, const struct location *at, const struct rma_note *note,
                         struct place where)
{
    struct key key = lock_key(at, note->win, note->remote, note->id);
    if (!table_find(&c->windows->locks, key))
        key = starter_key(&c->windows->lockers, at, key);
    struct rma_lock *held = table_find(&c->windows->locks, key);
    forget_starter(&c->windows->lockers, at, key);
    if (held)
        table_remove(&c->windows->locks, held);
    else
        found(c->verdict, RULE_RMA_LOCK, where,
              "lock %" PRIu64 " of rank %" PRIu32 " in window %" PRIu32 " is released and not held",
              note->id, note->remote, note->win);
}

/* ---- operations ---- */

static struct key operation_key(const struct location *at, uint32_t win, uint64_t id)
{
    return (struct key){at->id, win, id};
}

/* Several operations may share an id, and are then completed together. */
static void take_start(struct check *c, const struct engine_note *n, const struct rma_note *note)
{
    const struct location *at = note_location(c, n);
    const struct key key = operation_key(at, note->win, note->id);
    struct rma_operation *o = table_intern(&c->windows->operations, key);
    note_starter(&c->windows->starters, at, key);
    if (!o->n++) {
        o->event = n->sequence - 1;
        o->time = note->time;
    }
}

void rma_put(struct check *c, struct location *at, event_data e)
{
    tell_remote(c, at, START, e->evt_RmaPut.win, e->evt_RmaPut.remote, e->evt_RmaPut.matchingId);
}

void rma_get(struct check *c, struct location *at, event_data e)
{
    tell_remote(c, at, START, e->evt_RmaGet.win, e->evt_RmaGet.remote, e->evt_RmaGet.matchingId);
}

void rma_atomic(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_RmaAtomic *a = &e->evt_RmaAtomic;
    tell_remote(c, at, START, a->win, a->remote, a->matchingId);
}

/* The location that has started the operation, in a key. */
static struct key known_key(const struct check *c, const struct location *at, uint32_t win,
                            uint64_t id)
{
    const struct key key = operation_key(at, win, id);
    if (table_find(&c->windows->operations, key) || table_find(&c->windows->finished, key))
        return key;
    return starter_key(&c->windows->starters, at, key);
}

static void keep_finished(struct check *c, struct window *w, struct key key, bool is_remote)
{
    bool is_kept = table_find(&c->windows->finished, key);
    struct finished *f = table_intern(&c->windows->finished, key);
    f->is_remote = is_remote;
    if (is_kept)
        return;
    f->after = w->finished;
    if (f->after)
        f->after->before = f;
    w->finished = f;
    w->n_finished++;
}

static void drop_finished(struct check *c, struct window *w, struct finished *f)
{
    *(f->before ? &f->before->after : &w->finished) = f->after;
    if (f->after)
        f->after->before = f->before;
    w->n_finished--;
    table_remove(&c->windows->finished, f);
}

/*
 * Drops all finished operations of a window: too many operations are kept, and perhaps no further
 * record comes about the dropped operations.
 */
static void forget_finished(struct check *c, const struct location *at, struct window *w)
{
    while (w->finished) {
        const struct key key = w->finished->node.key;
        if (!table_find(&c->windows->operations, key))
            forget_starter(&c->windows->starters, at, key);
        drop_finished(c, w, w->finished);
    }
    w->has_forgotten = true;
}

/*
 * At the origin an operation is complete once, at the target once more, in either order. The first
 * completion is kept for the second completion, up to a limit.
 */
static void take_completion(struct check *c, const struct location *at, struct window *w,
                            const struct rma_note *note, struct place where)
{
    struct windows *windows = c->windows;
    bool is_remote = note->what == COMPLETE_REMOTE;
    const struct key key = known_key(c, at, note->win, note->id);
    struct rma_operation *o = table_find(&windows->operations, key);
    struct finished *other = table_find(&windows->finished, key);
    if (o) {
        table_remove(&windows->operations, o);
        if (w->n_finished >= windows->most)
            forget_finished(c, at, w);
        keep_finished(c, w, key, is_remote);
    } else if (other && other->is_remote != is_remote) {
        drop_finished(c, w, other);
        forget_starter(&windows->starters, at, key);
    } else if (!w->has_forgotten) {
        found(c->verdict, RULE_RMA_OPERATION, where,
              "operation %" PRIu64 " in window %" PRIu32 " is complete and was not started",
              note->id, note->win);
    }
}

void rma_complete_blocking(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_RmaOpCompleteBlocking *o = &e->evt_RmaOpCompleteBlocking;
    tell(c, at, COMPLETE, o->win, 0, o->matchingId);
}

void rma_complete_non_blocking(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_RmaOpCompleteNonBlocking *o = &e->evt_RmaOpCompleteNonBlocking;
    tell(c, at, COMPLETE, o->win, 0, o->matchingId);
}

void rma_complete_remote(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_RmaOpCompleteRemote *o = &e->evt_RmaOpCompleteRemote;
    tell(c, at, COMPLETE_REMOTE, o->win, 0, o->matchingId);
}

void rma_test(struct check *c, struct location *at, event_data e)
{
    tell(c, at, TEST, e->evt_RmaOpTest.win, 0, e->evt_RmaOpTest.matchingId);
}

static void take_test(struct check *c, const struct location *at, const struct rma_note *note,
                      struct place where)
{
    if (!table_find(&c->windows->operations, known_key(c, at, note->win, note->id)))
        found(c->verdict, RULE_RMA_OPERATION, where,
              "operation %" PRIu64 " in window %" PRIu32 " is tested and not under way", note->id,
              note->win);
}

void take_rma(struct check *c, const struct engine_note *n, const void *data)
{
    const struct rma_note *note = data;
    const struct location *at = note_location(c, n);
    struct place where = note_place(c, n, data);
    struct window *w = window_of(c, at, note->win);
    enum what what = (enum what)note->what;
    if (what == CREATE || what == DESTROY) {
        life(c, w, note->win, what == CREATE, where);
        return;
    }
    use(c, w, note->win, where);
    if (what == LOCK_REQUEST || what == LOCK_ACQUIRE)
        take_acquisition(c, at, note);
    else if (what == LOCK_RELEASE)
        take_release(c, at, note, where);
    else if (what == START)
        take_start(c, n, note);
    else if (what == COMPLETE || what == COMPLETE_REMOTE)
        take_completion(c, at, w, note, where);
    else if (what == TEST)
        take_test(c, at, note, where);
}

/* ---- the end ---- */

static void report_open(void *node, void *context)
{
    struct check *c = context;
    const struct rma_operation *o = node;
    found(c->verdict, RULE_RMA_OPEN, place_at(o->node.key.a, o->event, o->time),
          "operation %" PRIu64 " in window %" PRIu64 " is never complete", o->node.key.c,
          o->node.key.b);
}

void rma_finish(struct check *c)
{
    struct windows *windows = c->windows;
    if (!c->allows_unfinished && !c->is_cut && !c->has_gaps) {
        each_in_phase(c, PHASE_RMA_OPEN, &windows->operations, report_open);
        const struct location *at = NULL;
        while ((at = next_in_phase(c, PHASE_RMA_INSIDE, at)))
            if (at->is_in_rma_collective)
                found(c->verdict, RULE_RMA_COLLECTIVE,
                      (struct place){.location = at->id, .has_location = true},
                      "ends inside of a collective RMA operation");
    }
    table_fini(&windows->windows);
    table_fini(&windows->operations);
    table_fini(&windows->finished);
    table_fini(&windows->locks);
    table_fini(&windows->starters);
    table_fini(&windows->lockers);
    free(windows);
}
