/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/record/location.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <otf2x/otf2x.h>

#include "agent/definitions/definitions.h"
#include "agent/record/control.h"
#include "agent/record/event_files.h"
#include "agent/record/event_ways.h"
#include "agent/record/hooks.h"
#include "agent/record/open.h"
#include "agent/record/program_begin.h"
#include "agent/record/short_calls.h"
#include "agent/segment/buffer.h"
#include "agent/segment/look.h"
#include "agent/segment/stop.h"
#include "agent/state/identity.h"
#include "base/mem.h"
#include "base/now.h"
#include "base/own_stack.h"
#include "writer/evt_inline.h"

_Thread_local struct spur_thread_state spur_self;
uint32_t spur_loc_gate;

void spur_loc_init(void)
{
    bool has_barrier =
        syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    spur_loc_gate = has_barrier ? 0 : SPUR_GATE_FENCED;
}

uint64_t spur_loc_stamp(void)
{
    return (uint64_t)(spur_process.generation & 0xff) << SPUR_STAMP_SHIFT;
}

bool spur_fence_threads(void)
{
    int saved = errno;
    bool is_done = !(spur_loc_gate & SPUR_GATE_FENCED) &&
                   syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
    errno = saved;
    return is_done;
}

/*
 * A revoked location is never given back: the location is closed, or left to finishing. The owner
 * only has to see the revocation, must not write any more, and lets go.
 */
bool spur_loc_own_slowly(struct spur_loc *loc)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (!spur_loc_is_shut(loc))
        return true;
    spur_loc_disown(loc);
    return false;
}

/*
 * The limit for the end of the process to wait for all other threads together. The threads may be
 * writing a chunk, or a handler has interrupted a thread in the middle of a record and stays for
 * ever.
 */
enum { PATIENCE_MS = 1000 };

static bool is_zero_by(const _Atomic uint32_t *count, uint64_t deadline_ms)
{
    const struct timespec nap = {0, 50000};
    while (atomic_load_explicit(count, memory_order_acquire)) {
        if (spur_now_ms() >= deadline_ms)
            return false;
        syscall(SYS_nanosleep, &nap, NULL);
    }
    return true;
}

/*
 * Takes over a shut location. False if the location's thread does not let go in time. The calling
 * thread's own location is not waited for.
 */
static bool take_over(const struct spur_loc *loc, uint64_t deadline_ms)
{
    return is_zero_by(&loc->busy, loc == spur_self.loc ? 0 : deadline_ms);
}

void spur_loc_fail(struct spur_loc *loc, OTF2_ErrorCode error)
{
    loc->closed = true;
    spur_loc_shut(loc);
    spur_event_files_failed();
    spur_stop_failed(error);
}

struct spur_locations spur_locations = {.threads = 1, .contingent = OTF2_UNDEFINED_COMM};

/* Number of threads that are closing their locations, unseen by the end of the process. */
static _Atomic uint32_t closing;
static _Thread_local bool is_closing; /* this thread; a signal may end the process meanwhile */

/*
 * The end of the process has taken all locations: no more locations are made, except by the ending
 * thread.
 */
static bool is_over; /* guarded by the process's lock */
static _Thread_local bool is_ending;

static bool link_in(struct spur_loc *loc, struct spur_thread *thread)
{
    spur_lock_take(&spur_locations.lock);
    bool is_listed = !is_over || is_ending;
    if (is_listed) {
        loc->next = spur_locations.first;
        if (loc->next)
            loc->next->previous = loc;
        spur_locations.first = loc;
        loc->listed = true;
    }
    if (is_listed && thread)
        spur_thread_is_listed(thread, loc);
    spur_lock_give(&spur_locations.lock);
    return is_listed;
}

/* False when the end of the process has taken the location already. */
static bool link_out(struct spur_loc *loc)
{
    spur_lock_take(&spur_locations.lock);
    bool listed = loc->listed;
    if (listed) {
        if (loc->previous)
            loc->previous->next = loc->next;
        else
            spur_locations.first = loc->next;
        if (loc->next)
            loc->next->previous = loc->previous;
        loc->listed = false;
    }
    spur_lock_give(&spur_locations.lock);
    return listed;
}

static void unmake(struct spur_loc *loc)
{
    if (loc->slot)
        spur_buffer_slot_free(loc->slot);
    spur_hooks.freed(loc);
    spur_short_free(loc->shorts);
    spur_mem_free(loc, sizeof *loc);
}

/* Of very many threads only the first threads report the processors on which they may run. */
enum { TOLD_THREADS = 256 };

static int tid_of(uint32_t thread, OTF2_LocationType type)
{
    if (thread == 0)
        return spur_process.pid;
    return thread < TOLD_THREADS && type == OTF2_LOCATION_TYPE_CPU_THREAD ? (int)syscall(SYS_gettid)
                                                                          : 0;
}

static struct spur_loc *make(uint32_t number, OTF2_LocationType type, const char *name)
{
    struct spur_loc *loc = spur_mem_new(sizeof *loc);
    struct spur_slot *slot = loc ? spur_buffer_slot_new(number) : NULL;
    if (!slot) {
        spur_mem_free(loc, sizeof *loc);
        spur_stop_failed(OTF2_ERROR_MEM_FAULT);
        return NULL;
    }
    loc->slot = slot;
    spur_control_watch(loc);
    loc->thread = number;
    loc->tid = tid_of(number, type);
    loc->type = type;
    loc->stamp = spur_loc_stamp();
    if (spur_short_limit() && type == OTF2_LOCATION_TYPE_CPU_THREAD)
        loc->shorts = spur_short_new(spur_short_limit());
    atomic_store_explicit(&loc->gate,
                          spur_loc_gate | (loc->shorts ? SPUR_GATE_CONTROL : 0) |
                              (spur_clock_is_tsc ? 0 : SPUR_GATE_CALLED),
                          memory_order_relaxed);
    spur_hooks.opened(loc);
    snprintf(loc->name, sizeof loc->name, "%s", name);
    return loc;
}

/* Gives a location up: there is no memory for its events. */
static void abandon(struct spur_loc *loc)
{
    spur_lock_take(&spur_locations.lock);
    if (loc->handle)
        loc->handle->loc = NULL;
    spur_lock_give(&spur_locations.lock);
    loc->closed = true;
    if (link_out(loc))
        unmake(loc);
    else
        spur_loc_disown(loc);
    spur_stop_failed(OTF2_ERROR_MEM_FAULT);
}

/*
 * The location is owned before any other thread sees the location: the end of the process waits
 * until the owner lets go, and then finds the location with its first events.
 */
static struct spur_loc *open_owned(uint32_t number, OTF2_LocationType type, const char *name,
                                   struct spur_thread *thread)
{
    struct spur_loc *loc = make(number, type, name);
    if (!loc)
        return NULL;
    atomic_store_explicit(&loc->busy, 1, memory_order_relaxed);
    if (!link_in(loc, thread)) {
        unmake(loc);
        return NULL;
    }
    spur_self.writing = loc;
    loc->writer = OTF2_Archive_GetEvtWriter(spur_process.archive, number);
    if (!loc->writer ||
        OTF2X_EvtWriter_SetCursor(loc->writer, &loc->slot->cursor) != OTF2_SUCCESS) {
        abandon(loc);
        return NULL;
    }
    spur_lock_take(&spur_locations.lock); /* another thread may be naming the location */
    spur_def_location(number, loc->name, type, 0);
    spur_lock_give(&spur_locations.lock);
    return loc;
}

struct spur_loc *spur_loc_open_thread(struct spur_thread *thread)
{
    return open_owned(thread->number, OTF2_LOCATION_TYPE_CPU_THREAD, SPUR_NAME_OF_PTHREAD, thread);
}

struct spur_loc *spur_loc_open(uint32_t number, OTF2_LocationType type, const char *name)
{
    struct spur_loc *loc = open_owned(number, type, name, NULL);
    if (loc)
        spur_loc_disown(loc);
    return loc;
}

/* The main thread's location begins with the program, at the time the agent was loaded. */
static struct spur_loc *open_main(void)
{
    const char *name = spur_locations.main_name;
    struct spur_loc *loc =
        open_owned(0, OTF2_LOCATION_TYPE_CPU_THREAD, *name ? name : "Master thread", NULL);
    if (loc) {
        loc->now = spur_process.start.ticks;
        spur_program_begin(loc);
        spur_control_begin(loc);
        spur_loc_disown(loc);
    }
    return loc;
}

uint32_t spur_loc_next(void)
{
    return (uint32_t)atomic_fetch_add_explicit(&spur_locations.threads, 1, memory_order_relaxed);
}

struct spur_loc *spur_loc_adopt(struct spur_loc *loc)
{
    if (loc) {
        spur_self.loc = loc;
        spur_self.generation = spur_process.generation;
        atomic_fetch_or(&loc->gate, (spur_self.has_fibres ? SPUR_GATE_FIBRES : 0) |
                                        (spur_sharers.tid ? SPUR_GATE_SHARED : 0));
        spur_hooks.adopted(loc);
    }
    return loc;
}

struct spur_loc *spur_loc_open_metrics(const char *name)
{
    return spur_loc_open(spur_loc_next(), OTF2_LOCATION_TYPE_METRIC, name);
}

static _Atomic(bool (*)(void)) at_first;

void spur_thread_at_first(bool (*call)(void))
{
    atomic_store_explicit(&at_first, call, memory_order_release);
}

static struct spur_loc *open_stranger(void)
{
    bool (*call)(void) = atomic_load_explicit(&at_first, memory_order_acquire);
    if (call && !call())
        return NULL;
    return spur_loc_open(spur_loc_next(), OTF2_LOCATION_TYPE_CPU_THREAD, SPUR_NAME_OF_THREAD);
}

static struct spur_loc *open_own_here(void)
{
    spur_self.loc = NULL;
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    struct spur_loc *loc = syscall(SYS_gettid) == spur_process.pid ? open_main() : open_stranger();
    pthread_setcancelstate(cancel, NULL);
    return spur_loc_adopt(loc);
}
static struct spur_loc *open_own(void);
SPUR_DOOR_ALONE(struct spur_loc *, open_own)

struct spur_loc *spur_loc_self(void)
{
    if (spur_self.loc && spur_self.generation == spur_process.generation)
        return spur_self.loc;
    return open_own();
}

/* ---- the end of a location ---- */

/* From now on other threads name the thread through its handle. */
static void define_ended(struct spur_loc *loc, uint64_t events)
{
    spur_lock_take(&spur_locations.lock);
    spur_def_location(loc->thread, loc->name, loc->type, events);
    if (loc->handle) {
        loc->handle->events = events;
        loc->handle->loc = NULL;
    }
    spur_lock_give(&spur_locations.lock);
}

/* The end of the location's regions: now, or when the thread went to rest. */
static uint64_t end_of_regions(const struct spur_loc *loc, uint64_t now)
{
    const _Atomic uint64_t *rests = loc->rests_since;
    uint64_t since = rests ? atomic_load_explicit(rests, memory_order_acquire) : 0;
    return since && since < now ? since : now;
}

OTF2_ErrorCode spur_loc_put_created(struct spur_loc *loc, bool may_begin)
{
    uint64_t creating = atomic_load_explicit(&loc->slot->creating, memory_order_acquire);
    if (!creating || !(may_begin || creating & SPUR_CREATING_BEGUN))
        return OTF2_SUCCESS;
    atomic_store_explicit(&loc->slot->creating, 0, memory_order_relaxed);
    return otf2_evt_put_ThreadCreate(&loc->slot->cursor, NULL, loc->now,
                                     spur_creating_contingent(creating),
                                     spur_creating_number(creating));
}

/*
 * Writes the records left out so far, and the ends of the open regions, with the time of the
 * regions' end.
 */
static OTF2_ErrorCode end_open(struct spur_loc *loc, uint64_t now)
{
    OTF2_ErrorCode error = spur_loc_put_created(loc, false);
    spur_loc_move(loc, end_of_regions(loc, now));
    if (error)
        return error;
    spur_short_tell(loc);
    return spur_open_end_to(loc, 0);
}

/* Everything has been written. */
static void free_slot(struct spur_slot *slot)
{
    atomic_fetch_add(&spur_buffer_segment()->short_calls, slot->short_calls);
    spur_buffer_slot_free(slot);
}

/*
 * The location is owned by the caller: the caller has revoked the location, or is the location's
 * thread.
 */
static bool close_location(struct spur_loc *loc, uint64_t sequence, const int64_t *exit_status)
{
    if (loc->closed)
        return false;
    spur_self.writing = loc;
    struct spur_slot *slot = loc->slot;
    uint64_t now = clock_for(loc);
    if (loc->tid)
        spur_usage_thread(loc->tid);
    OTF2_ErrorCode error = end_open(loc, now);
    spur_loc_move(loc, now);
    if (!error && slot->has_thread_begin)
        error = otf2_evt_put_ThreadEnd(&slot->cursor, NULL, loc->now, slot->contingent, sequence);
    if (!error && exit_status && slot->is_main && slot->cursor.events > 0)
        error = otf2_evt_put_ProgramEnd(&slot->cursor, NULL, loc->now, *exit_status);
    uint64_t events = slot->cursor.events;
    spur_hooks.closing(loc);
    loc->closed = true;
    if (error) {
        spur_loc_fail(loc, error);
        return false;
    }
    error = spur_event_files_close(loc);
    define_ended(loc, events);
    if (!error)
        free_slot(slot);
    else /* All events lie in the segment, where finishing finds the events. */
        spur_event_files_kept();
    return true;
}
static void spur_loc_close_here(struct spur_loc *loc, bool joinable)
{
    is_closing = true;
    atomic_fetch_add(&closing, 1);
    if (!loc->closed && link_out(loc)) {
        struct spur_thread *handle = loc->handle;
        uint64_t sequence = joinable ? loc->slot->sequence : OTF2_UNDEFINED_UINT64;
        if (close_location(loc, sequence, NULL)) {
            spur_open_free(loc);
            spur_hooks.freed(loc);
            spur_short_free(loc->shorts);
            spur_mem_free(loc, sizeof *loc);
        }
        if (handle)
            spur_thread_release(handle);
    }
    atomic_fetch_sub(&closing, 1);
    is_closing = false;
}
SPUR_DOOR_VOID(spur_loc_close, (struct spur_loc *, loc), (bool, joinable))

/*
 * Shuts all locations at once: a thread that sees the end of another thread must not record the end
 * any more.
 */
static struct spur_loc *shut_all(void)
{
    is_ending = true;
    spur_lock_take(&spur_locations.lock);
    is_over = true;
    struct spur_loc *first = spur_locations.first;
    spur_locations.first = NULL;
    for (struct spur_loc *loc = first; loc; loc = loc->next) {
        loc->listed = false;
        spur_loc_shut(loc);
    }
    spur_lock_give(&spur_locations.lock);
    (void)spur_fence_threads();
    return first;
}

bool spur_loc_all_end(void)
{
    return is_ending;
}

bool spur_loc_close_all(int64_t exit_status)
{
    bool all = true;
    bool saw_main = false;
    if (spur_self.loc) /* while all who know what was last are listed */
        (void)clock_for(spur_self.loc);
    struct spur_loc *loc = shut_all();
    const uint64_t deadline = spur_now_ms() + PATIENCE_MS;
    for (struct spur_loc *next; loc; loc = next) {
        next = loc->next;
        saw_main |= loc->thread == 0;
        all &= take_over(loc, deadline) && close_location(loc, OTF2_UNDEFINED_UINT64, &exit_status);
    }
    all &= is_zero_by(&closing, is_closing ? 0 : deadline);
    /* A main thread without any wrapped call still has its beginning and its end. */
    if (!saw_main) {
        loc = open_main();
        all &= loc && close_location(loc, OTF2_UNDEFINED_UINT64, &exit_status);
    }
    return all;
}

bool spur_loc_others_write(void)
{
    return atomic_load(&closing) > (is_closing ? 1u : 0u) || spur_event_files_are_written();
}

void spur_loc_after_fork(void)
{
    atomic_store_explicit(&closing, 0, memory_order_relaxed);
    is_closing = is_over = is_ending = false;
    spur_event_files_after_fork();
    spur_hooks.forked(spur_locations.first);
    for (struct spur_loc *loc = spur_locations.first; loc; loc = loc->next) {
        loc->closed = true;
        spur_loc_shut(loc);
        loc->slot = &spur_slot_nowhere; /* for a call that has the location in hand still */
    }
    spur_locations = (struct spur_locations){.threads = 1, .contingent = OTF2_UNDEFINED_COMM};
    spur_self.loc = NULL;
}

/* ---- times read by others ---- */

uint64_t spur_time(void)
{
    return spur_clock_now();
}

void spur_tick_to(struct spur_loc *loc, uint64_t time)
{
    spur_samples_settle(loc, time);
    spur_loc_move(loc, time);
}

void spur_rest(struct spur_loc *loc, const _Atomic uint64_t *since)
{
    loc->rests_since = since;
}
