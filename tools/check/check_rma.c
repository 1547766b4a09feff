/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules about one-sided communication: windows, operations, locks. */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/check/check.h"

enum { FINISHED_MAX = 1 << 18 };

/* A location's side of a window. */
struct window {
    struct node node; /* a: process, b: window */
    bool is_created, is_destroyed;
};

struct rma_operation {
    struct node node; /* a: location, b: window, c: id */
    uint64_t event, time;
    uint64_t n; /* started under that id */
};

/* Who has started an operation, or acquired a lock, last: any thread of the process may end it. */
struct starter {
    struct node node; /* a: process, b and c: as below */
    uint64_t location;
};

/* An operation that is complete at one side. */
struct finished {
    struct node node; /* as above */
    bool is_remote;
};

struct rma_lock {
    struct node node; /* a: location, b: window and remote, c: lock */
};

struct windows {
    struct map windows, operations, finished, locks;
    struct map starters, lockers;
    bool has_forgotten; /* some of the finished */
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
}

/* ---- windows ---- */

static bool has_life(const struct check *c, uint32_t win)
{
    const struct otf2_def_RmaWin *def = defined_as(c, OTF2_REF_RmaWin, win, OTF2_DEF_RmaWin);
    return def && def->flags & OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS;
}

static struct window *window_of(struct check *c, struct location *at, uint32_t win)
{
    return map_intern(&c->windows->windows, (struct key){at->process->node.key.a, win, 0});
}

static void use(struct check *c, struct location *at, uint32_t win)
{
    const struct window *w = window_of(c, at, win);
    if (has_life(c, win) && (!w->is_created || w->is_destroyed))
        found(c->verdict, RULE_RMA_WINDOW, event_place(at), "window %" PRIu32 " is used %s", win,
              w->is_destroyed ? "after RmaWinDestroy" : "without RmaWinCreate");
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

static void use_remote(struct check *c, struct location *at, uint32_t win, uint32_t remote)
{
    use(c, at, win);
    check_remote(c, at, win, remote);
}

static void life(struct check *c, struct location *at, uint32_t win, bool is_create)
{
    struct window *w = window_of(c, at, win);
    const char *what = is_create ? "RmaWinCreate" : "RmaWinDestroy";
    if (!has_life(c, win))
        found(c->verdict, RULE_RMA_WINDOW, event_place(at),
              "%s of window %" PRIu32 ", whose flags say that there is none", what, win);
    else if (is_create ? w->is_created && !w->is_destroyed : !w->is_created || w->is_destroyed)
        found(c->verdict, RULE_RMA_WINDOW, event_place(at), "%s of window %" PRIu32 ", which %s",
              what, win, is_create ? "is there" : "is not there");
    w->is_created = w->is_created || is_create;
    w->is_destroyed = !is_create;
}

void rma_win_create(struct check *c, struct location *at, event_data e)
{
    life(c, at, e->evt_RmaWinCreate.win, true);
}

void rma_win_destroy(struct check *c, struct location *at, event_data e)
{
    life(c, at, e->evt_RmaWinDestroy.win, false);
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
        use(c, at, end->win);
    if (end->root < OTF2_COLLECTIVE_ROOT_THIS_GROUP)
        check_remote(c, at, end->win, end->root);
}

void rma_group_sync(struct check *c, struct location *at, event_data e)
{
    use(c, at, e->evt_RmaGroupSync.win);
}

void rma_sync(struct check *c, struct location *at, event_data e)
{
    use_remote(c, at, e->evt_RmaSync.win, e->evt_RmaSync.remote);
}

void rma_wait_change(struct check *c, struct location *at, event_data e)
{
    use(c, at, e->evt_RmaWaitChange.win);
}

/* ---- threads ---- */

/*
 * Ids are those of a location, which may share them with others, or of a process: what is not known
 * by the location's own key was begun by another one of the process.
 */
static struct key of_process(const struct location *at, struct key key)
{
    return (struct key){at->process->node.key.a, key.b, key.c};
}

static void note_starter(struct map *starters, const struct location *at, struct key key)
{
    if (at->process->n_locations < 2)
        return;
    struct starter *starter = map_intern(starters, of_process(at, key));
    starter->location = at->id;
}

static struct key starter_key(const struct map *starters, const struct location *at, struct key key)
{
    const struct starter *starter = map_find(starters, of_process(at, key));
    return starter ? (struct key){starter->location, key.b, key.c} : key;
}

static void forget_starter(struct map *starters, const struct location *at, struct key key)
{
    struct starter *starter = map_find(starters, of_process(at, key));
    if (starter && starter->location == key.a)
        map_remove(starters, starter);
}

/* ---- locks ---- */

static struct key lock_key(const struct location *at, uint32_t win, uint32_t remote, uint64_t lock)
{
    return (struct key){at->id, (uint64_t)win << 32 | remote, lock};
}

/* MPI_Win_lock_all locks all ranks in one record, which names none. */
static void use_lock(struct check *c, struct location *at, uint32_t win, uint32_t remote)
{
    use(c, at, win);
    if (remote != OTF2_UNDEFINED_UINT32)
        check_remote(c, at, win, remote);
}

void rma_request_lock(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_RmaRequestLock *l = &e->evt_RmaRequestLock;
    use_lock(c, at, l->win, l->remote);
    (void)map_intern(&c->windows->locks, lock_key(at, l->win, l->remote, l->lockId));
}

void rma_acquire_lock(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_RmaAcquireLock *l = &e->evt_RmaAcquireLock;
    use_lock(c, at, l->win, l->remote);
    const struct key key = lock_key(at, l->win, l->remote, l->lockId);
    (void)map_intern(&c->windows->locks, key);
    note_starter(&c->windows->lockers, at, key);
}

void rma_try_lock(struct check *c, struct location *at, event_data e)
{
    use_remote(c, at, e->evt_RmaTryLock.win, e->evt_RmaTryLock.remote);
}

void rma_release_lock(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_RmaReleaseLock *l = &e->evt_RmaReleaseLock;
    struct key key = lock_key(at, l->win, l->remote, l->lockId);
    if (!map_find(&c->windows->locks, key))
        key = starter_key(&c->windows->lockers, at, key);
    struct rma_lock *held = map_find(&c->windows->locks, key);
    use_lock(c, at, l->win, l->remote);
    forget_starter(&c->windows->lockers, at, key);
    if (held)
        map_remove(&c->windows->locks, held);
    else
        found(c->verdict, RULE_RMA_LOCK, event_place(at),
              "lock %" PRIu64 " of rank %" PRIu32 " in window %" PRIu32 " is released and not held",
              l->lockId, l->remote, l->win);
}

/* ---- operations ---- */

static struct key operation_key(const struct location *at, uint32_t win, uint64_t id)
{
    return (struct key){at->id, win, id};
}

/* Several operations may share an id, and are then completed together. */
static void start(struct check *c, struct location *at, uint32_t win, uint32_t remote, uint64_t id)
{
    use_remote(c, at, win, remote);
    const struct key key = operation_key(at, win, id);
    struct rma_operation *o = map_intern(&c->windows->operations, key);
    note_starter(&c->windows->starters, at, key);
    if (!o->n++) {
        o->event = at->file.count - 1;
        o->time = at->time;
    }
}

void rma_put(struct check *c, struct location *at, event_data e)
{
    start(c, at, e->evt_RmaPut.win, e->evt_RmaPut.remote, e->evt_RmaPut.matchingId);
}

void rma_get(struct check *c, struct location *at, event_data e)
{
    start(c, at, e->evt_RmaGet.win, e->evt_RmaGet.remote, e->evt_RmaGet.matchingId);
}

void rma_atomic(struct check *c, struct location *at, event_data e)
{
    start(c, at, e->evt_RmaAtomic.win, e->evt_RmaAtomic.remote, e->evt_RmaAtomic.matchingId);
}

/* The location that has started it, in a key. */
static struct key known_key(const struct check *c, const struct location *at, uint32_t win,
                            uint64_t id)
{
    const struct key key = operation_key(at, win, id);
    if (map_find(&c->windows->operations, key) || map_find(&c->windows->finished, key))
        return key;
    return starter_key(&c->windows->starters, at, key);
}

static void drop_complete(void *node, void *context)
{
    struct windows *windows = context;
    struct starter *starter = node;
    struct key key = {starter->location, starter->node.key.b, starter->node.key.c};
    if (!map_find(&windows->operations, key))
        map_remove(&windows->starters, starter);
}

/* There are too many of which nothing more may come. */
static void forget_finished(struct windows *windows)
{
    map_fini(&windows->finished);
    map_each(&windows->starters, drop_complete, windows);
    windows->has_forgotten = true;
}

/*
 * At the origin an operation is complete once, at its target once more, in either order. What is
 * told once is kept for the other, as long as that does not get too much.
 */
static void complete(struct check *c, struct location *at, uint32_t win, uint64_t id,
                     bool is_remote)
{
    struct windows *windows = c->windows;
    const struct key key = known_key(c, at, win, id);
    struct rma_operation *o = map_find(&windows->operations, key);
    struct finished *other = map_find(&windows->finished, key);
    use(c, at, win);
    if (o) {
        map_remove(&windows->operations, o);
        if (windows->finished.n >= FINISHED_MAX)
            forget_finished(windows);
        other = map_intern(&windows->finished, key);
        other->is_remote = is_remote;
    } else if (other && other->is_remote != is_remote) {
        map_remove(&windows->finished, other);
        forget_starter(&windows->starters, at, key);
    } else if (!windows->has_forgotten) {
        found(c->verdict, RULE_RMA_OPERATION, event_place(at),
              "operation %" PRIu64 " in window %" PRIu32 " is complete and was not started", id,
              win);
    }
}

void rma_complete_blocking(struct check *c, struct location *at, event_data e)
{
    complete(c, at, e->evt_RmaOpCompleteBlocking.win, e->evt_RmaOpCompleteBlocking.matchingId,
             false);
}

void rma_complete_non_blocking(struct check *c, struct location *at, event_data e)
{
    complete(c, at, e->evt_RmaOpCompleteNonBlocking.win, e->evt_RmaOpCompleteNonBlocking.matchingId,
             false);
}

void rma_complete_remote(struct check *c, struct location *at, event_data e)
{
    complete(c, at, e->evt_RmaOpCompleteRemote.win, e->evt_RmaOpCompleteRemote.matchingId, true);
}

void rma_test(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_RmaOpTest *t = &e->evt_RmaOpTest;
    use(c, at, t->win);
    if (!map_find(&c->windows->operations, known_key(c, at, t->win, t->matchingId)))
        found(c->verdict, RULE_RMA_OPERATION, event_place(at),
              "operation %" PRIu64 " in window %" PRIu32 " is tested and not under way",
              t->matchingId, t->win);
}

/* ---- the end ---- */

static void report_open(void *node, void *context)
{
    struct check *c = context;
    const struct rma_operation *o = node;
    found(c->verdict, RULE_RMA_OPEN,
          (struct place){.location = o->node.key.a,
                         .has_location = true,
                         .has_event = true,
                         .event = o->event,
                         .time = o->time},
          "operation %" PRIu64 " in window %" PRIu64 " is never complete", o->node.key.c,
          o->node.key.b);
}

void rma_finish(struct check *c)
{
    struct windows *windows = c->windows;
    if (!c->allows_unfinished && !c->is_cut && !c->has_gaps) {
        map_each(&windows->operations, report_open, c);
        for (size_t i = 0; i < c->n_locations; i++)
            if (c->locations[i].is_in_rma_collective)
                found(c->verdict, RULE_RMA_COLLECTIVE,
                      (struct place){.location = c->locations[i].id, .has_location = true},
                      "ends inside of a collective RMA operation");
    }
    map_fini(&windows->windows);
    map_fini(&windows->operations);
    map_fini(&windows->finished);
    map_fini(&windows->locks);
    map_fini(&windows->starters);
    map_fini(&windows->lockers);
    free(windows);
}
