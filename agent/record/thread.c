/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads, as told by the wrappers of a thread library: a thread is created by its creator, and
 * begun and ended by itself. Creator and thread share a struct spur_thread.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/definitions/definitions.h"
#include "agent/record/event_ways.h"
#include "agent/record/hooks.h"
#include "agent/record/location.h"
#include "agent/spur_sharers.h"
#include "agent/state/event_clock.h"
#include "agent/state/identity.h"
#include "agent/state/settings.h"
#include "agent/state/state.h"
#include "base/mem.h"
#include "base/own_stack.h"
#include "writer/evt_inline.h"

/* ---- threads as seen by their creators ---- */

static bool can_record(void)
{
    return spur_state_now() == SPUR_ON;
}

/* All threads of a process that were created by one another share one contingent. */
static OTF2_CommRef contingent(void)
{
    spur_lock_take(&spur_locations.lock);
    OTF2_CommRef comm = spur_locations.contingent;
    if (comm == OTF2_UNDEFINED_COMM) {
        OTF2_GroupRef group = spur_def_group("", OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_PTHREAD,
                                             OTF2_GROUP_FLAG_NONE, 0, NULL);
        comm = spur_def_comm("", group, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
        spur_locations.contingent = comm;
    }
    spur_lock_give(&spur_locations.lock);
    return comm;
}

struct spur_thread *spur_thread_new(OTF2_CommRef *group, uint64_t *sequence)
{
    OTF2_CommRef comm = can_record() ? contingent() : OTF2_UNDEFINED_COMM;
    struct spur_thread *thread = comm != OTF2_UNDEFINED_COMM ? spur_mem_new(sizeof *thread) : NULL;
    if (!thread)
        return NULL;
    thread->number = spur_loc_next();
    thread->contingent = comm;
    thread->generation = spur_process.generation;
    memcpy(thread->name, SPUR_NAME_OF_PTHREAD, sizeof SPUR_NAME_OF_PTHREAD);
    atomic_store_explicit(&thread->users, 2, memory_order_relaxed);
    if (spur_self.loc && spur_self.generation == spur_process.generation) {
        thread->creator = spur_self.loc->slot;
        atomic_store_explicit(&thread->creator->creating,
                              spur_creating(thread->contingent, thread->number),
                              memory_order_release);
    }
    *group = thread->contingent;
    *sequence = thread->number;
    return thread;
}

void spur_thread_release(struct spur_thread *thread)
{
    if (atomic_fetch_sub_explicit(&thread->users, 1, memory_order_acq_rel) == 1)
        spur_mem_free(thread, sizeof *thread);
}

bool spur_thread_is_told(const struct spur_thread *thread)
{
    return thread->events != 0;
}

/*
 * Gives the number of a thread back. The number may leave a hole: another thread may have been
 * numbered in between.
 */
void spur_thread_cancel(struct spur_thread *thread)
{
    uint64_t next = (uint64_t)thread->number + 1;
    atomic_compare_exchange_strong(&spur_locations.threads, &next, thread->number);
    if (thread->creator)
        atomic_store_explicit(&thread->creator->creating, 0, memory_order_release);
    spur_mem_free(thread, sizeof *thread);
}

/*
 * The record is written at once: a thread that closes the location meanwhile sees the whole record,
 * or no record at all.
 */
void spur_thread_created(struct spur_loc *creator, struct spur_thread *thread)
{
    if (!spur_loc_own(creator))
        return;
    OTF2_ErrorCode error = otf2_evt_put_ThreadCreate(&creator->slot->cursor, NULL, creator->now,
                                                     thread->contingent, thread->number);
    atomic_store_explicit(&creator->slot->creating, 0, memory_order_release);
    if (error)
        spur_loc_fail(creator, error);
    spur_loc_disown(creator);
}

/*
 * Notes the creation in the new thread's location. The creator may never come to record the
 * creation. Other threads name the new thread through its location.
 */
void spur_thread_is_listed(struct spur_thread *thread, struct spur_loc *loc)
{
    uint64_t creating = spur_creating(thread->contingent, thread->number);
    memcpy(loc->name, thread->name, sizeof loc->name);
    loc->handle = thread;
    thread->loc = loc;
    if (thread->creator)
        atomic_compare_exchange_strong(&thread->creator->creating, &creating,
                                       creating | SPUR_CREATING_BEGUN);
}

static void rename_location(uint32_t thread, char *stored, size_t size, const char *name,
                            uint64_t events)
{
    snprintf(stored, size, "%s", name);
    spur_def_location(thread, stored, OTF2_LOCATION_TYPE_CPU_THREAD, events);
}

static void put_begin(struct spur_loc *loc, const struct spur_thread *thread)
{
    struct spur_slot *slot = loc->slot;
    slot->contingent = thread->contingent;
    slot->sequence = thread->number;
    spur_loc_move(loc, clock_for(loc));
    slot->has_thread_begin =
        is_written(loc, otf2_evt_put_ThreadBegin(&slot->cursor, NULL, loc->now, slot->contingent,
                                                 slot->sequence));
    spur_loc_disown(loc);
}

static void spur_thread_begin_here(struct spur_thread *thread)
{
    if (!spur_is_open() || spur_self.loc || thread->generation != spur_process.generation)
        return;
    int saved = errno;
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    spur_inside_begin();
    struct spur_loc *loc = spur_loc_open_thread(thread);
    if (loc) {
        put_begin(loc, thread);
        (void)spur_loc_adopt(loc);
    }
    spur_inside_end();
    pthread_setcancelstate(cancel, NULL);
    errno = saved;
}
SPUR_DOOR_VOID(spur_thread_begin, (struct spur_thread *, thread))

void spur_thread_untold(void)
{
    if (!spur_settings.sample.hz && !spur_settings.sample.event)
        return;
    int saved = errno;
    spur_inside_begin();
    if (spur_state_now() == SPUR_ON || spur_process_open())
        (void)spur_loc_self();
    spur_inside_end();
    errno = saved;
}

enum { FOREVER = 1 << 30 };

void spur_thread_ignore(void)
{
    spur_self.frame = SPUR_NO_FRAME;
    *spur_guard_at(&spur_self) = -FOREVER;
}

/* ---- sharers of a thread's memory ---- */

int32_t *spur_guard_of_shared(void)
{
    static int32_t guard_of_sharers;
    if (!spur_sharers_ask())
        return &spur_self.own_guard;
    guard_of_sharers = -FOREVER;
    return &guard_of_sharers;
}

/* What the first call of a child of fork() does: the state of sharers is not to outlive a fork. */
static void open_child(void)
{
    if (spur_state_now() != SPUR_CHILD || spur_inside())
        return;
    const int saved = errno;
    spur_inside_begin();
    (void)spur_process_open();
    spur_inside_end();
    errno = saved;
}

/* The caller may be a child of vfork(), at work in the place of the thread. */
void spur_thread_shares(uintptr_t stack)
{
    struct spur_thread_state *self = &spur_self;
    if (spur_sharers.is_apart)
        return;
    open_child();
    struct spur_loc *loc = self->generation == spur_process.generation ? self->loc : NULL;
    int tid = (int)syscall(SYS_gettid);
    spur_quiet_begin();
    bool is_first = !spur_sharers.tid;
    if (is_first)
        self->own_guard = self->guard;
    if (loc)
        atomic_fetch_or(&loc->gate, SPUR_GATE_SHARED);
    spur_sharers_add(tid, tid == (int)getpid(), stack);
    if (is_first)
        self->guard = -FOREVER;
    spur_quiet_end();
}

/* If a sharer has forked, the state of the thread at the fork is unknown. */
void spur_thread_forked(void)
{
    struct spur_thread_state *self = &spur_self;
    if (!spur_sharers.tid)
        return;
    bool is_sharers = spur_sharers_forget();
    self->guard = is_sharers ? 0 : self->own_guard;
    self->own_guard = 0;
    if (!is_sharers)
        return;
    self->callbacks = 0;
    spur_locks_held = 0;
    spur_quiet_forget();
}

/* ---- the end of a thread ---- */

enum { ENDS = 4 };
static _Atomic(void (*)(void)) at_end[ENDS];

void spur_thread_at_end(void (*call)(void))
{
    for (int i = 0; i < ENDS; i++) {
        void (*none)(void) = NULL;
        if (atomic_compare_exchange_strong(&at_end[i], &none, call) || none == call)
            return;
    }
}

static void call_ends(void)
{
    for (int i = 0; i < ENDS; i++) {
        void (*call)(void) = atomic_load_explicit(&at_end[i], memory_order_acquire);
        if (call)
            call();
    }
}

void spur_thread_end(bool joinable)
{
    call_ends();
    struct spur_loc *loc = spur_self.loc;
    if (!loc || loc->thread == 0 || spur_self.generation != spur_process.generation)
        return;
    int saved = errno;
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    bool is_left = spur_thread_is_left(loc);
    spur_hooks.thread_ends();
    spur_thread_ignore();
    spur_self.loc = NULL;
    if (is_left)
        spur_loc_close(loc, joinable);
    pthread_setcancelstate(cancel, NULL);
    errno = saved;
}

/* ---- names ---- */

static void spur_thread_name_here(const char *name)
{
    struct spur_loc *loc = spur_self.generation == spur_process.generation ? spur_self.loc : NULL;
    if (!loc && spur_state_now() <= SPUR_ON && syscall(SYS_gettid) == spur_process.pid)
        snprintf(spur_locations.main_name, sizeof spur_locations.main_name, "%s", name);
    if (!loc || !spur_is_open())
        return;
    spur_inside_begin();
    spur_lock_take(&spur_locations.lock); /* another thread may be naming the location */
    rename_location(loc->thread, loc->name, sizeof loc->name, name, 0);
    spur_lock_give(&spur_locations.lock);
    spur_inside_end();
}
SPUR_DOOR_VOID(spur_thread_name, (const char *, name))

static void spur_thread_name_of_here(struct spur_thread *thread, const char *name)
{
    if (!spur_is_open() || thread->generation != spur_process.generation)
        return;
    spur_inside_begin();
    spur_lock_take(&spur_locations.lock); /* the thread may be ending */
    snprintf(thread->name, sizeof thread->name, "%s", name);
    struct spur_loc *loc = thread->loc;
    if (loc)
        rename_location(thread->number, loc->name, sizeof loc->name, name, 0);
    else
        rename_location(thread->number, thread->name, sizeof thread->name, name, thread->events);
    spur_lock_give(&spur_locations.lock);
    spur_inside_end();
}
SPUR_DOOR_VOID(spur_thread_name_of, (struct spur_thread *, thread), (const char *, name))
