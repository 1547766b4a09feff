/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rules about locks of threads. What happens to a lock at one time is judged together, by the
 * numbers of its acquisitions: a clock may tell two events of different locations no order.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/check/check_tell.h"
#include "tools/check/holds.h"

struct step {
    struct location *at;
    uint64_t event, time;
    uint32_t order;
    bool is_release;
    bool is_shared;
};

struct lock {
    struct node node; /* a: process, b: paradigm, c: lock */
    struct held held;
    struct step *steps; /* of one time, not judged yet */
    size_t n_steps, steps_room;
    uint64_t next; /* acquisition order */
    bool is_known; /* `next` is */
};

struct locks {
    struct table locks;
    struct holds holds;
};

void locks_begin(struct check *c)
{
    struct locks *locks = c->locks = take_memory(sizeof *locks);
    locks->locks.node_bytes = sizeof(struct lock);
    holds_begin(&locks->holds);
}

static struct place step_place(const struct step *s)
{
    return place_at(s->at->id, s->event, s->time);
}

/* Readers share; a recursive mutex is taken again by its holder. */
static void check_exclusion(struct check *c, const struct lock *lock, const struct step *s,
                            const struct hold *wish)
{
    const struct hold *rival = holds_rival(&lock->held, wish);
    if (rival)
        found(c->verdict, RULE_LOCK_EXCLUSION, step_place(s),
              "lock %" PRIu64 " is acquired under number %" PRIu32 " while location %" PRIu64
              " holds it under %" PRIu32,
              lock->node.key.c, s->order, rival->at->id, rival->order);
}

static void acquire(struct check *c, struct lock *lock, const struct step *s)
{
    if (!lock->is_known && s->order <= 1)
        lock->next = s->order;
    lock->is_known = true;
    if (s->order != lock->next)
        found(c->verdict, RULE_LOCK_ORDER, step_place(s),
              "lock %" PRIu64 " is acquired under number %" PRIu32 ", the next one is %" PRIu64,
              lock->node.key.c, s->order, lock->next);
    lock->next = s->order + UINT64_C(1);
    const struct hold hold = {s->at, s->order, s->is_shared};
    check_exclusion(c, lock, s, &hold);
    holds_add(&c->locks->holds, &lock->held, hold);
}

static void release(struct check *c, struct lock *lock, const struct step *s)
{
    struct hold taken;
    bool is_held = holds_take(&c->locks->holds, &lock->held, s->order, &taken);
    if (is_held && taken.at == s->at)
        return;
    found(c->verdict, RULE_LOCK_OWNER, step_place(s),
          "lock %" PRIu64 " is released under number %" PRIu32 ", under which %s", lock->node.key.c,
          s->order, is_held ? "another location holds it" : "it is not held");
    /* It was meant to be released: what follows is not its fault. */
    if (!is_held)
        holds_take_any(&c->locks->holds, &lock->held, s->at);
}

static int by_order(const void *x, const void *y)
{
    const struct step *a = x;
    const struct step *b = y;
    return a->order != b->order ? (a->order > b->order) - (a->order < b->order)
                                : a->is_release - b->is_release;
}

static void judge_steps(struct check *c, struct lock *lock)
{
    if (lock->n_steps > 1)
        qsort(lock->steps, lock->n_steps, sizeof *lock->steps, by_order);
    for (size_t i = 0; i < lock->n_steps; i++)
        (lock->steps[i].is_release ? release : acquire)(c, lock, &lock->steps[i]);
    lock->n_steps = 0;
}

struct lock_note {
    uint64_t time;
    uint32_t lock, order;
    uint8_t paradigm;
    bool is_release, is_shared;
    uint8_t unused[5];
};

static struct key lock_key(const struct location *at, const struct lock_note *note)
{
    return (struct key){at->process->node.key.a, note->paradigm, note->lock};
}

static void tell_step(struct check *c, struct location *at, struct lock_note note)
{
    uint64_t region = innermost_region(c, at);
    note.time = at->time;
    note.is_shared = region < c->n_regions && c->is_shared[region];
    TELL(c, at, LOCK, lock_key(at, &note), note);
}

void take_lock(struct check *c, const struct engine_note *n, const void *data)
{
    const struct lock_note *note = data;
    struct location *at = note_location(c, n);
    struct lock *lock = table_intern(&c->locks->locks, lock_key(at, note));
    if (lock->n_steps && lock->steps[0].time != note->time)
        judge_steps(c, lock);
    lock->steps = list_grow(lock->steps, &lock->steps_room, lock->n_steps + 1, sizeof *lock->steps);
    lock->steps[lock->n_steps++] = (struct step){at,          n->sequence - 1,  note->time,
                                                 note->order, note->is_release, note->is_shared};
}

void lock_acquire(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_ThreadAcquireLock *l = &e->evt_ThreadAcquireLock;
    tell_step(c, at,
              (struct lock_note){.lock = l->lockID,
                                 .order = l->acquisitionOrder,
                                 .paradigm = l->model});
}

void lock_release(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_ThreadReleaseLock *l = &e->evt_ThreadReleaseLock;
    tell_step(c, at,
              (struct lock_note){.lock = l->lockID,
                                 .order = l->acquisitionOrder,
                                 .paradigm = l->model,
                                 .is_release = true});
}

void omp_lock_acquire(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_OmpAcquireLock *l = &e->evt_OmpAcquireLock;
    tell_step(c, at,
              (struct lock_note){.lock = l->lockID,
                                 .order = l->acquisitionOrder,
                                 .paradigm = OTF2_PARADIGM_OPENMP});
}

void omp_lock_release(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_OmpReleaseLock *l = &e->evt_OmpReleaseLock;
    tell_step(c, at,
              (struct lock_note){.lock = l->lockID,
                                 .order = l->acquisitionOrder,
                                 .paradigm = OTF2_PARADIGM_OPENMP,
                                 .is_release = true});
}

static void finish_lock(void *node, void *context)
{
    struct lock *lock = node;
    judge_steps(context, lock);
    free(lock->steps);
}

void locks_finish(struct check *c)
{
    each_in_phase(c, PHASE_LOCKS, &c->locks->locks, finish_lock);
    table_fini(&c->locks->locks);
    holds_end(&c->locks->holds);
    free(c->locks);
}
