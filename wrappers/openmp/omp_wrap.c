/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The wrappers of the API's locks, whatever the runtime. They run no code of the program, so the
 * guard is up while they last: what libomp tells by OMPT of the same lock is not heard.
 */
#include <string.h>

#include "wrappers/openmp/gomp_library.h"
#include "wrappers/openmp/openmp_thread.h"

/* ---- the locks that a thread holds ---- */

static bool has_room(struct openmp_thread *thread)
{
    enum { FIRST_ROOM = 16, MOST = 256 };
    if (thread->n_held < thread->held_room)
        return true;
    if (thread->held_room == MOST) {
        /* Locks that were given away: the older half is forgotten. */
        for (uint32_t i = 0; i < MOST / 2; i++)
            spur_lock_lost(&thread->held[i].hold);
        thread->n_held = MOST / 2;
        memmove(thread->held, thread->held + MOST / 2, thread->n_held * sizeof *thread->held);
        return true;
    }
    uint32_t room = thread->held_room ? 4 * thread->held_room : FIRST_ROOM;
    struct openmp_held *held = spur_mem_new(room * sizeof *held);
    if (!held)
        return false;
    if (thread->held) {
        memcpy(held, thread->held, thread->n_held * sizeof *held);
        spur_mem_free(thread->held, thread->held_room * sizeof *held);
    }
    thread->held = held;
    thread->held_room = room;
    return true;
}

static void acquired(struct spur_loc *loc, const void *lock)
{
    struct openmp_thread *thread = openmp_thread_self();
    if (!thread || !has_room(thread))
        return;
    struct openmp_held *held = &thread->held[thread->n_held++];
    held->lock = lock;
    held->hold = spur_lock_acquired(loc, lock);
    spur_put_ThreadAcquireLock(loc, OTF2_PARADIGM_OPENMP, held->hold.id, held->hold.order);
}

static void acquired_at_last(struct spur_loc *loc, const void *lock)
{
    spur_waits_over(loc);
    acquired(loc, lock);
}

/* The innermost acquisition: a nestable lock is released as often as it was acquired. */
static bool take_out(const void *lock, struct spur_hold *hold)
{
    struct openmp_thread *thread = openmp_thread_self();
    uint32_t at = thread ? thread->n_held : 0;
    while (at > 0 && thread->held[at - 1].lock != lock)
        at--;
    if (at == 0)
        return false;
    *hold = thread->held[at - 1].hold;
    thread->n_held--;
    memmove(&thread->held[at - 1], &thread->held[at],
            (thread->n_held - (at - 1)) * sizeof thread->held[0]);
    return true;
}

static void released(struct spur_loc *loc, const void *lock)
{
    struct spur_hold hold;
    if (!take_out(lock, &hold))
        return;
    spur_put_ThreadReleaseLock(loc, OTF2_PARADIGM_OPENMP, hold.id, hold.order);
    spur_lock_released(loc, &hold);
}

/* The call was not let in, since recording is off, and not within a wrapped one. */
static void lost(const void *lock)
{
    struct spur_hold hold;
    if (spur_inside())
        return;
    spur_inside_begin();
    if (take_out(lock, &hold))
        spur_lock_lost(&hold);
    spur_inside_end();
}

/* The meanings that rows may name. */
#define NOTHING (void)0
#define WAITS spur_waits_lock(loc, object)
#define ACQUIRES acquired_at_last(loc, object)
#define ACQUIRES_IF(is_held)                                                                       \
    if (is_held)                                                                                   \
    acquired(loc, object)
#define RELEASES released(loc, object)
#define FORGETS spur_object_forget(object)
#define LOSES lost(object)

#define OMP_CALL(name_, before, after, unheard)                                                    \
    SPUR_EXPORT int name_(void *object);                                                           \
    SPUR_EXPORT int name_(void *object)                                                            \
    {                                                                                              \
        static struct spur_call call = {.name = #name_,                                            \
                                        .group = "lock",                                           \
                                        .role = OTF2_REGION_ROLE_WRAPPER,                          \
                                        SPUR_CALL_OF(OPENMP)};                                     \
        int (*real)(void *) = (int (*)(void *))gomp_real(ID_##name_, __builtin_return_address(0)); \
        struct spur_loc *loc = spur_enter(&call);                                                  \
        if (!loc) {                                                                                \
            unheard;                                                                               \
            return real(object);                                                                   \
        }                                                                                          \
        before;                                                                                    \
        int ret = real(object);                                                                    \
        spur_tick(loc);                                                                            \
        after;                                                                                     \
        spur_leave(loc, &call);                                                                    \
        return ret;                                                                                \
    }
#include "wrappers/openmp/omp_calls.def"
