/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/pthread/pthread_emit.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/spur_polls.h"
#include "wrappers/pthread/pthread_count.h"

/*
 * The locks that the thread holds, the innermost lock last. A lock that another thread unlocks
 * would stay here for ever. So there is a limit. At the limit the older half of the list is
 * forgotten, with the locks that another thread has unlocked. The later release of a forgotten lock
 * has no record.
 */
struct held {
    const void *lock;
    struct spur_hold hold;
    uint32_t skipped; /* later acquisitions by the same thread without a record */
    bool is_robust;
};

enum { HELD_FIRST = 16, HELD_LIMIT = 256 };

struct held_locks {
    uint32_t n;
    uint32_t capacity;
    struct held held[];
};

static __thread struct held_locks *locks __attribute__((tls_model("initial-exec")));

static size_t bytes_for(uint32_t capacity)
{
    return sizeof(struct held_locks) + capacity * sizeof(struct held);
}

/* Make room for one more lock; false when there is no memory. */
static __attribute__((noinline)) bool grow(void)
{
    struct held_locks *old = locks;
    if (old && old->capacity == HELD_LIMIT) {
        old->n = HELD_LIMIT / 2;
        for (uint32_t i = 0; i < old->n; i++)
            spur_lock_lost(&old->held[i].hold);
        memmove(old->held, old->held + HELD_LIMIT / 2, old->n * sizeof(struct held));
        return true;
    }
    uint32_t capacity = old ? old->capacity * 4 : HELD_FIRST;
    struct held_locks *new = spur_mem_new(bytes_for(capacity));
    if (!new)
        return false;
    if (old)
        memcpy(new, old, bytes_for(old->n));
    new->capacity = capacity;
    locks = new;
    if (old)
        spur_mem_free(old, bytes_for(old->capacity));
    return true;
}

/* One more lock that the thread holds, to be filled in; NULL when there is no memory. */
static inline struct held *hold(const void *lock, bool is_robust)
{
    if (__builtin_expect(!locks || locks->n == locks->capacity, 0) && !grow())
        return NULL;
    struct held *held = &locks->held[locks->n];
    *held = (struct held){.lock = lock,
                          .hold = {.id = SPUR_NO_LOCK}, /* a jump may cut the record short */
                          .is_robust = is_robust};
    atomic_signal_fence(memory_order_seq_cst);
    locks->n++;
    return held;
}

static void acquire(struct spur_loc *loc, const void *lock, bool is_robust)
{
    struct held *held = hold(lock, is_robust);
    if (!held)
        return;
    held->hold = spur_lock_acquired(loc, lock);
    if (held->hold.id != SPUR_NO_LOCK)
        spur_put_ThreadAcquireLock(loc, OTF2_PARADIGM_PTHREAD, held->hold.id, held->hold.order);
}

static inline void leave_acquired(struct pthread_frame *frame, const void *lock, bool is_robust)
{
    struct held *held = hold(lock, is_robust);
    if (__builtin_expect(held != NULL, 1))
        spur_leave_acquired(frame->loc, frame->call, lock, &held->hold);
    else
        spur_leave_now(frame->loc, frame->call);
}

void pthread_emit_blocks(struct pthread_frame *frame, const void *lock)
{
    spur_waits_lock(frame->loc, lock);
    frame->waits = true;
}

void pthread_emit_joins(struct pthread_frame *frame, const struct pthread_identity *joined)
{
    if (!joined->thread)
        return;
    spur_waits(frame->loc, SPUR_WAIT_THREAD, 0, (uint32_t)joined->sequence, 0);
    frame->waits = true;
}

static inline void waited(const struct pthread_frame *frame)
{
    if (__builtin_expect(frame->waits, 0))
        spur_waits_over(frame->loc);
}

void pthread_emit_acquired(struct pthread_frame *frame, bool is_async, int ret, const void *lock)
{
    waited(frame);
    if (ret == 0)
        leave_acquired(frame, lock, false);
    else
        spur_leave_now(frame->loc, frame->call);
    pthread_frame_left(frame, is_async);
}

void pthread_emit_owned(struct pthread_frame *frame, bool is_async, int ret,
                        const pthread_mutex_t *mutex)
{
    enum { ROBUST = 0x10 }; /* PTHREAD_MUTEX_ROBUST_NORMAL_NP of the C library's sources */
    waited(frame);
    if (ret == 0 || ret == EOWNERDEAD)
        leave_acquired(frame, mutex, (mutex->__data.__kind & ROBUST) != 0);
    else
        spur_leave_now(frame->loc, frame->call);
    pthread_frame_left(frame, is_async);
}

/*
 * Readers hold no lock against one another, yet the times of readers must rise with the orders. So
 * readers pass a gate one by one to take a time and an order. A reader in the gate may have lost
 * the processor. So the next reader waits as long as a busy machine takes to give the processor
 * back. A reader that has waited too long goes on and opens the gate: fork() may have left the
 * earlier reader behind in the parent, and the host comes before the order of two readers.
 */
static _Atomic bool gate_is_shut;

static void gate_wait(void)
{
    enum { LONG_MS = 1000 };
    const struct timespec nap = {.tv_nsec = 50000};
    const uint64_t until = spur_now_ms() + LONG_MS;
    const int saved = errno;
    while (atomic_exchange_explicit(&gate_is_shut, true, memory_order_acquire) &&
           spur_now_ms() < until)
        syscall(SYS_nanosleep, &nap, NULL); /* a thread of lower priority gets the processor, too */
    errno = saved;
}

static void gate_enter(void)
{
    enum { SPINS = 100, YIELDS = 100 };
    for (int tries = 0; tries < SPINS + YIELDS; tries++) {
        if (!atomic_exchange_explicit(&gate_is_shut, true, memory_order_acquire))
            return;
        if (tries >= SPINS)
            sched_yield();
    }
    gate_wait();
}

static void gate_leave(void)
{
    atomic_store_explicit(&gate_is_shut, false, memory_order_release);
}

void pthread_emit_shared(struct pthread_frame *frame, bool is_async, int ret, const void *lock)
{
    waited(frame);
    if (ret == 0) {
        gate_enter();
        spur_tick(frame->loc);
        acquire(frame->loc, lock, false);
        gate_leave();
        spur_leave(frame->loc, frame->call);
    } else {
        spur_leave_now(frame->loc, frame->call);
    }
    pthread_frame_left(frame, is_async);
}

bool pthread_emit_polled(struct pthread_frame *frame, bool is_async, bool is_busy, const void *lock)
{
    if (is_busy)
        spur_tick(frame->loc);
    if (!spur_poll(frame->loc, lock, !is_busy))
        return false;
    spur_leave_poll(frame->loc, frame->call);
    pthread_frame_left(frame, is_async);
    return true;
}

/* The innermost acquisition of the lock by this thread; NULL if none was recorded. */
static struct held *find(const void *lock)
{
    for (uint32_t at = locks ? locks->n : 0; at > 0; at--)
        if (locks->held[at - 1].lock == lock)
            return &locks->held[at - 1];
    return NULL;
}

static void release(struct spur_loc *loc, const struct held *held)
{
    if (held->hold.id != SPUR_NO_LOCK)
        spur_put_ThreadReleaseLock(loc, OTF2_PARADIGM_PTHREAD, held->hold.id, held->hold.order);
    spur_lock_released(loc, &held->hold);
}

static void forget(struct held *held)
{
    const struct held *end = &locks->held[--locks->n];
    if (__builtin_expect(held != end, 0)) /* most locks are released as they nest */
        memmove(held, held + 1, (size_t)(end - held) * sizeof *held);
}

void pthread_emit_released(struct pthread_frame *frame, const void *lock)
{
    struct held *held = find(lock);
    if (!held && pthread_count_gives(frame, lock))
        frame->counted = lock;
    held = held ? held : find(lock);
    if (!held)
        return;
    release(frame->loc, held);
    frame->released = lock;
    frame->is_robust = held->is_robust;
    forget(held);
}

/*
 * A call that releases the lock was not let in, since recording is off. Within a wrapped call
 * nothing is lost: the release there belongs to a second acquisition of the lock in the same
 * wrapped call.
 */
static void lose(const void *lock)
{
    if (spur_inside())
        return;
    spur_inside_begin(); /* no handler moves the list */
    struct held *held = find(lock);
    if (held) {
        gate_enter(); /* no reader is being counted meanwhile */
        spur_lock_lost(&held->hold);
        gate_leave();
        forget(held);
    }
    spur_inside_end();
}

/*
 * A lock counts as released before the record of the release, since the jump of a signal handler
 * may come between. Then the release has no second record, and the next acquisition of the lock has
 * another number.
 */
static struct spur_hold give(struct held *known, const void *lock)
{
    if (!known)
        return (struct spur_hold){.id = SPUR_NO_LOCK};
    const uint32_t generation = known->hold.generation;
    atomic_signal_fence(memory_order_seq_cst);
    struct spur_hold hold = known->hold;
    hold.generation = generation;
    known->hold.id = SPUR_NO_LOCK;
    if (__builtin_expect(hold.id == SPUR_NO_LOCK, 0))
        spur_object_forget(lock);
    return hold;
}

static void keep(const void *lock, const struct spur_hold *hold)
{
    struct held *held = find(lock);
    if (held)
        held->hold = *hold;
    lose(lock);
}

/*
 * The guard is not up before the call is entered. A signal handler may come in between and move the
 * list. But the handler has released its own acquisitions at the end.
 */
struct spur_loc *pthread_emit_unlock(struct pthread_frame *frame, bool is_async, const void *lock,
                                     struct spur_caller caller)
{
    pthread_shield_raise(frame, is_async);
    struct held *known = find(lock);
    const struct spur_hold hold = give(known, lock);
    struct spur_loc *loc = hold.id != SPUR_NO_LOCK ? spur_enter_release(frame->call, &hold, caller)
                                                   : spur_enter_from(frame->call, caller);
    frame->loc = loc;
    if (!loc) {
        if (known)
            keep(lock, &hold);
        pthread_shield_lower(frame, is_async);
        return NULL;
    }
    struct held *held = known ? find(lock) : NULL;
    if (held)
        forget(held);
    return loc;
}

struct spur_loc *pthread_emit_wait(struct pthread_frame *frame, bool is_async, const void *lock,
                                   struct spur_caller caller)
{
    struct spur_loc *loc = pthread_frame_enter(frame, is_async, caller);
    frame->taken = caller.address;
    if (!loc && !spur_inside())
        pthread_count_drops(lock);
    if (loc || !find(lock))
        return loc;
    pthread_shield_raise(frame, is_async);
    lose(lock);
    pthread_shield_lower(frame, is_async);
    return NULL;
}

void pthread_emit_reacquired(const struct pthread_frame *frame)
{
    if (frame->released)
        acquire(frame->loc, frame->released, frame->is_robust);
    if (frame->counted)
        pthread_count_takes(frame, frame->counted);
}

/* Several readers may be here at the same time. */
void pthread_emit_late(const struct pthread_frame *frame, const void *lock)
{
    gate_enter();
    spur_tick(frame->loc);
    acquire(frame->loc, lock, false);
    gate_leave();
}

bool pthread_emit_holds(const void *lock)
{
    return locks && locks->n && find(lock);
}

void pthread_emit_skipped(const void *lock)
{
    struct held *held = find(lock);
    if (held)
        held->skipped++;
}

bool pthread_emit_is_held(const void *lock)
{
    struct held *held = find(lock);
    if (!held || held->skipped == 0)
        return held != NULL;
    held->skipped--;
    return false;
}

/* An object left locked by a jump begins anew: nobody releases the old lock at the address. */
static void drop_holds(const void *lock)
{
    if (!find(lock) || spur_is_sharer())
        return;
    spur_quiet_begin(); /* no handler moves the list, or goes on with another fibre */
    spur_inside_begin();
    for (struct held *held; (held = find(lock)) != NULL;)
        forget(held);
    spur_inside_end();
    spur_quiet_end();
}

void pthread_emit_forgotten(int ret, const void *lock)
{
    if (ret != 0)
        return;
    spur_object_forget(lock);
    drop_holds(lock);
}

void pthread_emit_joined(const struct pthread_frame *frame, int ret, pthread_t thread,
                         const struct pthread_identity *joined)
{
    waited(frame);
    if (ret != 0 || !joined->thread)
        return;
    if (pthread_record_joined(thread, joined))
        spur_put_ThreadWait(frame->loc, joined->contingent, joined->sequence);
}

void pthread_frame_unwound(struct pthread_frame *frame)
{
    pthread_shield_raise(frame, true);
    /* A handler that ends the thread may come between the Leave and the note of the Leave. */
    bool is_inside = frame->callback ? spur_callback_end(frame->callback) != NULL : spur_inside();
    if (!is_inside || (!frame->callback && !spur_unwinds(frame->loc, frame->call))) {
        pthread_frame_left(frame, true);
        return;
    }
    waited(frame);
    spur_tick(frame->loc);
    pthread_emit_reacquired(frame);
    pthread_frame_leave(frame, true);
}

/* Named after the function of the kernel that releases robust mutexes. */
static void release_robust(void)
{
    static struct spur_call end = {.name = "exit_robust_list",
                                   .group = "mutex",
                                   .role = OTF2_REGION_ROLE_WRAPPER,
                                   SPUR_CALL_OF(PTHREAD)};
    struct spur_loc *loc = spur_enter(&end);
    for (uint32_t at = locks->n; at > 0; at--) {
        const struct held *held = &locks->held[at - 1];
        if (held->is_robust && loc)
            release(loc, held);
        else if (held->is_robust)
            spur_lock_lost(&held->hold);
    }
    if (loc)
        spur_leave(loc, &end);
}

/*
 * A lock that the thread never unlocks was most likely on the stack of the thread, where the stack
 * of the next thread may lie. Or another thread unlocks the lock, without a record. The next
 * acquisition at the address is of another lock.
 */
void pthread_emit_thread_end(void)
{
    struct held_locks *old = locks;
    bool has_robust = false;
    pthread_count_thread_end();
    for (uint32_t at = old ? old->n : 0; at > 0; at--) {
        const struct held *held = &old->held[at - 1];
        has_robust |= held->is_robust;
        if (!held->is_robust)
            spur_object_forget(held->lock);
    }
    if (has_robust)
        release_robust();
    spur_inside_begin(); /* see lock() in pthread_record.c */
    locks = NULL;
    if (old)
        spur_mem_free(old, bytes_for(old->capacity));
    spur_inside_end();
}

void pthread_emit_forked(void)
{
    if (locks)
        locks->n = 0;
    pthread_count_forked();
    atomic_store_explicit(&gate_is_shut, false, memory_order_relaxed);
}
