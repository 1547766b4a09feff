/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locations: one per thread. Only the owning thread writes to a location. The end of the process,
 * possibly on another thread, takes a location over with a lock that costs the owner no atomic
 * read-modify-write: the owner raises `busy` around each record by plain stores. A thread that
 * takes a location over shuts `gate`, makes all threads pass a barrier with membarrier(2), and
 * waits until `busy` is down.
 *
 * Guard: `guard` is not 0 while the thread is inside a wrapped call or the agent. The guard is
 * raised before anything else is touched and lowered last. So a signal handler in between finds the
 * guard raised and is not recorded. A handler may also go on with another fibre of the thread
 * (agent/record/fibre.h). So the guard is raised by one instruction, and only the fibre that raised
 * the guard lowers it.
 */
#ifndef SPUR_LOCATION_H
#define SPUR_LOCATION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/record/polls.h"
#include "agent/spur_agent.h"
#include "base/file_signal.h"
#include "base/lock.h"
#include "base/sharers.h"
#include "session/segment.h"

enum { SPUR_THREAD_NAME = 64 };

/*
 * The bits of spur_loc.gate. Any bit takes the owner off the short way, with two exceptions: call
 * sites, which concern Enters only, and the clock, which chooses between two short ways.
 */
enum {
    SPUR_GATE_SHUT = 1,    /* revoked, or never opened: no writing */
    SPUR_GATE_FENCED = 2,  /* without membarrier(2): the owner has to fence by itself */
    SPUR_GATE_CALLED = 4,  /* the clock is not the TSC: a call reads the clock */
    SPUR_GATE_METRICS = 8, /* values are read at each event, see agent/metrics/metrics.h */
    SPUR_GATE_STACKS =
        16, /* regions are entered in their calling contexts, see agent/stacks/stack.h */
    SPUR_GATE_SAMPLE = 32,  /* a signal handler of the thread writes records, see
                             * agent/sampling/sample.h; without SPUR_GATE_STACKS only samples have
                             * stacks, with the places of open regions */
    SPUR_GATE_CONTROL = 64, /* short calls are left out, see agent/record/short_calls.h */
    SPUR_GATE_FIBRES = 128, /* several stacks take turns on the thread, see agent/record/fibre.h */
    SPUR_GATE_SITES = 256,  /* Enters name the place of the call, see agent/record/call_site.h */
    SPUR_GATE_SHARED = 512, /* the thread has sharers, see base/sharers.h */
};

struct spur_loc {
    struct spur_slot *slot;
    uint64_t now; /* the time of the next records */
    _Atomic uint32_t busy;
    _Atomic uint32_t gate;
    uint64_t stamp; /* of cached regions valid for the location, see agent/record/event.c */
    bool closed;
    bool listed;      /* in spur_locations; guarded by the lock there */
    bool is_gathered; /* has ended without a file, see agent/segment/gathered.h */
    bool told_off;    /* state of the last MeasurementOnOff: see agent/record/control.h */
    bool stands;      /* the slot is for a thread in a call without records: likewise */
    uint32_t thread;
    int tid; /* the kernel's number, of the first threads; 0: not asked */
    uint32_t deep_room;
    struct spur_stack *stack; /* the last stack, if stacks are taken */
    uint32_t *deep;           /* words beyond the slot's room, see agent/record/open.h */
    uint8_t type;             /* OTF2_LocationType */
    uint8_t family;           /* of the next spur_open_region() */
    OTF2_EvtWriter *writer;
    struct spur_metrics *metrics; /* of the thread; NULL: none, see agent/metrics/metrics.h */
    struct spur_shorts *shorts;   /* NULL: all calls are kept, see agent/record/short_calls.h */
    struct spur_sites *sites;     /* with SPUR_GATE_SITES */
    struct spur_polls polls;
    struct spur_thread *handle; /* NULL for the main thread and threads first seen at work */
    const _Atomic uint64_t *rests_since; /* spur_rest(), or NULL */
    struct spur_loc *next;               /* in spur_locations */
    struct spur_loc *previous;
    char name[SPUR_THREAD_NAME];
};

/* The common data of a thread's creator and of the thread itself; freed by the later of both. */
struct spur_thread {
    _Atomic uint32_t users;
    uint32_t number; /* also the sequence count of the thread events */
    uint32_t generation;
    OTF2_CommRef contingent;
    struct spur_slot *creator; /* slot of the creating thread, if any */
    uint64_t events;           /* after the end */
    struct spur_loc *loc;      /* while the thread runs */
    char name[SPUR_THREAD_NAME];
};

/* A wrapped call that runs code of the program, with the guard down; see agent/record/jump.c. */
struct spur_open_callback {
    const struct spur_callback *at; /* on its wrapper's stack; not to be followed */
    struct spur_call *call;
    const void *frame; /* the agent's */
    uint32_t depth;    /* number of open words, with the call's region */
    uint32_t word;     /* of the call's region */
};
enum { SPUR_CALLBACKS = 4 };

struct spur_thread_state {
    struct spur_loc *loc;
    struct spur_loc *writing; /* this thread drives its writer: for the library's callbacks */
    int32_t guard;            /* 0: down; each caller inside has taken 1 away */
    int32_t own_guard;        /* used instead, if the thread has sharers */
    uint32_t generation; /* of the process that `loc` belongs to, see spur_process.generation */
    const void
        *frame; /* with the guard up: end of the stack of the raiser, see agent/record/jump.c */
    uint32_t callbacks;  /* innermost last */
    uint32_t strangers;  /* refused calls from above the frame of the call inside */
    const void *suspect; /* the frame of a stranger; NULL: nothing to find out */
    uint32_t left_out;   /* left out calls, not yet counted in the segment */
    uint32_t owed;       /* depth to close to, + 1; 0: nothing, see agent/record/fibre.h */
    bool has_fibres;     /* fibres have been seen at work */
    struct spur_open_callback callback[SPUR_CALLBACKS];
    struct spur_hold_signal file_signal; /* while the library writes, */
    bool holds_file_signal;              /* see agent/record/event_files.c */
    bool is_sampling;                    /* inside the handler of samples */
    uint32_t pending; /* samples to be written later, see agent/sampling/sample.h */
    uint32_t held;    /* samples of the call at work */
};

/*
 * Is the caller now alone inside? If not, or later, the guard is to be lowered again. One
 * instruction where the processor has a suitable one: an interruption comes before or after.
 */
/* NOLINTNEXTLINE(readability-non-const-parameter): written by assembler */
static inline __attribute__((always_inline)) bool spur_guard_take(int32_t *guard)
{
#if defined(__x86_64__)
    bool is_alone;
    __asm__ volatile("subl $1, %0" : "+m"(*guard), "=@ccc"(is_alone)::"memory");
    return is_alone;
#else
    return __atomic_fetch_sub(guard, 1, __ATOMIC_SEQ_CST) == 0;
#endif
}

/* NOLINTNEXTLINE(readability-non-const-parameter): written by assembler */
static inline __attribute__((always_inline)) void spur_guard_give(int32_t *guard)
{
#if defined(__x86_64__)
    __asm__ volatile("addl $1, %0" : "+m"(*guard)::"cc", "memory");
#else
    __atomic_fetch_add(guard, 1, __ATOMIC_SEQ_CST);
#endif
}

/*
 * The guard of the caller. If the thread has sharers, `guard` is up for good, so that all calls
 * come here; the sharers take `guard` as well, and may damage its value. The cell of the sharers is
 * up for good, too.
 */
int32_t *spur_guard_of_shared(void);
static inline int32_t *spur_guard_at(struct spur_thread_state *self)
{
    return __builtin_expect(!spur_sharers.tid, 1) ? &self->guard : spur_guard_of_shared();
}

/* In a child of fork(): the child has no sharers. */
void spur_thread_forked(void);

/* No longjmp() leaves the call that raised the guard. */
#define SPUR_NO_FRAME ((const void *)UINTPTR_MAX)

extern _Thread_local struct spur_thread_state spur_self;

/* The slot of a location without records. */
extern struct spur_slot spur_slot_nowhere;

/* The gates of new locations. */
extern uint32_t spur_loc_gate;
void spur_loc_init(void);

/* A stamp for the high byte of cached regions: a cached region belongs to one process. */
enum { SPUR_STAMP_SHIFT = 56 };
uint64_t spur_loc_stamp(void);

/* The locations of the process; the threads' numbers. */
struct spur_locations {
    struct spur_lock lock;    /* guards all but `threads`, and the changes of a thread by others */
    struct spur_loc *first;   /* the live ones */
    _Atomic uint64_t threads; /* numbers given so far; 0 is the main thread */
    OTF2_CommRef contingent;  /* of the threads of this process, once one is created */
    char main_name[SPUR_THREAD_NAME]; /* set before the main thread has a location */
};
extern struct spur_locations spur_locations;

/*
 * Events of the location go the short way, with times from a call or from the TSC, a constant of
 * each use; Enters have sites perhaps.
 */
static inline __attribute__((always_inline)) bool spur_loc_is_plain(const struct spur_loc *loc,
                                                                    bool is_called)
{
    return (atomic_load_explicit(&loc->gate, memory_order_relaxed) & ~(uint32_t)SPUR_GATE_SITES) ==
           (is_called ? SPUR_GATE_CALLED : 0u);
}

/*
 * Take the location for a record. False when the location is closed: do not write. With `at_once`,
 * false also means: the long way has to be gone; then the location is still to be disowned or
 * owned.
 */
bool spur_loc_own_slowly(struct spur_loc *loc);

static inline __attribute__((always_inline)) void spur_loc_make_busy(struct spur_loc *loc)
{
    atomic_store_explicit(&loc->busy, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
}

/* For records at the present time of the location: any clock will do. */
static inline __attribute__((always_inline)) bool spur_loc_own_at_once(struct spur_loc *loc)
{
    const uint32_t either = SPUR_GATE_SITES | SPUR_GATE_CALLED;
    spur_loc_make_busy(loc);
    return __builtin_expect(!(atomic_load_explicit(&loc->gate, memory_order_relaxed) & ~either), 1);
}

/* For records that read the clock. */
static inline __attribute__((always_inline)) bool spur_loc_own_plain(struct spur_loc *loc,
                                                                     bool is_called)
{
    spur_loc_make_busy(loc);
    return __builtin_expect(spur_loc_is_plain(loc, is_called), 1);
}

/* The same by the TSC, false also if Enters have sites. */
static inline __attribute__((always_inline)) bool spur_loc_own_whole(struct spur_loc *loc)
{
    spur_loc_make_busy(loc);
    return __builtin_expect(!atomic_load_explicit(&loc->gate, memory_order_relaxed), 1);
}

/* Nothing is written to the location from now on. The owner may still be at a record. */
static inline void spur_loc_shut(struct spur_loc *loc)
{
    atomic_fetch_or_explicit(&loc->gate, SPUR_GATE_SHUT, memory_order_seq_cst);
}

static inline bool spur_loc_is_shut(const struct spur_loc *loc)
{
    return atomic_load_explicit(&loc->gate, memory_order_relaxed) & SPUR_GATE_SHUT;
}

static inline bool spur_loc_own(struct spur_loc *loc)
{
    return spur_loc_own_at_once(loc) || spur_loc_own_slowly(loc);
}

static inline void spur_loc_disown(struct spur_loc *loc)
{
    atomic_store_explicit(&loc->busy, 0, memory_order_release);
}

/*
 * The next records carry `time`, if not earlier than their present time. Where the gate is not
 * open, a signal handler may do the same in between: the later time stays.
 */
static inline void spur_loc_move(struct spur_loc *loc, uint64_t time)
{
    uint64_t now = __atomic_load_n(&loc->now, __ATOMIC_RELAXED);
    while (time > now && !__atomic_compare_exchange_n(&loc->now, &now, time, true, __ATOMIC_RELAXED,
                                                      __ATOMIC_RELAXED))
        ;
}

/* Samples have stacks, and Enters have none: regions that stay open get a place in the stack. */
static inline bool spur_loc_has_places(const struct spur_loc *loc)
{
    enum { BOTH = SPUR_GATE_SAMPLE | SPUR_GATE_STACKS };
    return (atomic_load_explicit(&loc->gate, memory_order_relaxed) & BOTH) == SPUR_GATE_SAMPLE &&
           loc->stack;
}

/*
 * A record could not be written (the disk is full): this location gets no more records, and
 * recording goes off. Finishing continues from the last complete record.
 */
void spur_loc_fail(struct spur_loc *loc, OTF2_ErrorCode error);

/* A number for the next location. */
uint32_t spur_loc_next(void);
/* Open the location of the number; NULL on failure. */
struct spur_loc *spur_loc_open(uint32_t number, OTF2_LocationType type, const char *name);
/*
 * The location of a thread that begins. The caller owns the location, and writes the ThreadBegin
 * before disowning. So if the process ends meanwhile, the location has a beginning and an end, or
 * remains unknown.
 */
struct spur_loc *spur_loc_open_thread(struct spur_thread *thread);
/* With the lock: the end of the process will see the location. Done by agent/record/thread.c. */
void spur_thread_is_listed(struct spur_thread *thread, struct spur_loc *loc);
/* Make `loc`, which may be NULL, the location of the calling thread. */
struct spur_loc *spur_loc_adopt(struct spur_loc *loc);
/*
 * The calling thread ends with the guard up once. False: the thread is inside another call, on a
 * stack with which another thread may go on. A record that was cut short is mended
 * (agent/record/jump.c).
 */
bool spur_thread_is_left(struct spur_loc *loc);
/* Close and free the calling thread's location, at the end of the thread. The end of the process
 * waits. */
void spur_loc_close(struct spur_loc *loc, bool joinable);

/*
 * A location without a thread, for metrics of the process; NULL on failure. One thread at a time
 * writes the records, and meanwhile spur_self.writing is the location.
 */
struct spur_loc *spur_loc_open_metrics(const char *name);

/*
 * The location's thread is in the middle of creating a thread, and will not return to record the
 * creation: write the ThreadCreate, at the location's present time, not later than the new thread's
 * beginning. No record, unless the new thread has begun already, or (`may_begin`) may still begin.
 */
OTF2_ErrorCode spur_loc_put_created(struct spur_loc *loc, bool may_begin);

/* The calling thread's location; made if missing. NULL on failure. Depth is raised. */
struct spur_loc *spur_loc_self(void);

/*
 * Close all locations at the end of the process: leave open regions, end threads and the program,
 * whose exit status may be OTF2_UNDEFINED_INT64. False when a location could not be taken over
 * within a second for all locations, or when the calling thread itself writes to a location; the
 * events of that location are then left to finishing.
 */
bool spur_loc_close_all(int64_t exit_status);

/* Is the calling thread in spur_loc_close_all()? */
bool spur_loc_all_end(void);
/* Afterwards: does another thread still write the files of a location? */
bool spur_loc_others_write(void);

/* In a child of fork(): the inherited locations are the parent's. */
void spur_loc_after_fork(void);

#endif
