/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All that a wrapper may know of the agent.
 *
 * Promises to the host: nothing here fails visibly; no function changes errno, allocates from the
 * host's heap, takes a lock that the host can hold, or is a cancellation point. An agent that
 * cannot record says one line, turns itself off, and the program runs on.
 *
 * A wrapper has one shape:
 *
 *     static struct spur_call call = {"MPI_Send", "p2p", OTF2_REGION_ROLE_POINT2POINT,
 *                                     OTF2_PARADIGM_MPI};
 *     struct spur_loc *loc = spur_enter(&call);    one clock read, writes Enter
 *     if (loc)
 *         spur_put_MpiSend(loc, ...);              at the time of the Enter
 *     int ret = real_MPI_Send(...);
 *     if (loc) {
 *         spur_tick(loc);                          the second clock read
 *         spur_put_...(loc, ...);                  at the time of the Leave
 *         spur_leave(loc, &call);                  writes Leave
 *     }
 *     return ret;
 *
 * errno: spur_enter() and spur_leave() save and restore it, so what the real call left is kept.
 */
#ifndef SPUR_AGENT_H
#define SPUR_AGENT_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "agent/spur_define.h"
#include "agent/spur_signals.h"
#include "agent/spur_waits.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/own_stack.h"
#include "base/quiet.h"
#include "session/transport.h"

#define SPUR_EXPORT __attribute__((visibility("default")))

/* The calling thread's stream of events. Borrowed from the agent, valid between enter and leave. */
struct spur_loc;

/*
 * A wrapped function, one static object per row of a *_calls.def table. The region is defined when
 * it is first entered, so that only what happened is defined. Never freed.
 */
struct spur_call {
    const char *name;  /* as a C user writes it: region name and canonical name */
    const char *group; /* region description: "p2p", "coll", ... */
    OTF2_RegionRole role;
    OTF2_Paradigm paradigm;  /* also gives the region's source file: "MPI", "PTHREAD", ... */
    _Atomic uint64_t region; /* the agent's, 0 = not yet defined: see agent/record/event.c */
    const bool *is_off;      /* its group is switched off, fixed before the first call; NULL: no */
};

/* ---- recording: hot path ---- */

/*
 * Enter the region of `call`. NULL when nothing is to be recorded: recording is off, the family is
 * switched off, or the call comes from inside another wrapped call or the agent (the depth guard,
 * one per thread, covers all families). Every non-NULL result is given to spur_leave() by the same
 * thread. The first non-NULL result in a process creates its files.
 */
struct spur_loc *spur_enter(struct spur_call *call);
void spur_leave(struct spur_loc *loc, struct spur_call *call);
/* spur_tick() and spur_leave() in one, for a call with nothing to record in between. */
void spur_leave_now(struct spur_loc *loc, struct spur_call *call);

/*
 * For a call that spur_enter() has not let in and that others depend on, since it makes a request
 * or a communicator, say. NULL when it is of no interest: nested, or recording is off for good.
 * Otherwise spur_leave() is to be called as after spur_enter(), and writes no Leave. What is put to
 * the result is written outside of the call's region if `is_recorded`, and else, or while recording
 * is paused, dropped; spur_is_dropped() tells which.
 */
struct spur_loc *spur_follow(struct spur_call *call, bool is_recorded);
bool spur_is_dropped(const struct spur_loc *loc);

/*
 * For a call inside of one that was let in, which ends what was begun outside: where to put that.
 * It is not to be left. NULL outside of such a call, and in the middle of a record.
 */
struct spur_loc *spur_within(void);

/*
 * Pause recording in the whole process, or go on. MeasurementOnOff is written for the calling
 * thread now, for others when they notice. Regions that are open are left when the threads leave
 * them. No effect inside a wrapped call, or when nothing changes.
 */
void spur_recording(bool on);
/* Would a call be recorded now? */
bool spur_is_recording(void);
/* It is not, and may be again. */
bool spur_is_paused(void);
/* Of what was recorded only the newest part is kept. */
bool spur_keeps_newest(void);

/*
 * What the program runs inside of, so that the guard is held only while records are written:
 *
 *     struct spur_loc *loc = spur_begin(paradigm, false);   the guard, one clock read
 *     if (loc) {
 *         mark = spur_open_region(loc, region);              and more, all at this time
 *         spur_end(loc);
 *     }
 *     ... code of the program ...
 *     loc = spur_begin(paradigm, true);
 *     if (loc) {
 *         spur_close(loc, mark);
 *         spur_end(loc);
 *     }
 *
 * spur_begin_at() is the same for what happened at `time`, which was read from the clock; 0: now.
 * spur_begin() is NULL when spur_enter() would be; with `is_end` not so while recording is paused
 * or the paradigm is switched off. Every other result is given to spur_end() by the same thread.
 *
 * What is opened is a region (Enter, Leave), a membership in a team (ThreadTeamBegin and -End), or
 * a fork (ThreadFork, ThreadJoin). Each returns the mark for spur_close(), which ends it and what
 * was opened since, innermost first, and does nothing if that has happened already. What is open
 * when the thread or the process ends is closed by the agent.
 */
struct spur_loc *spur_begin(OTF2_Paradigm paradigm, bool is_end);
struct spur_loc *spur_begin_at(OTF2_Paradigm paradigm, bool is_end, uint64_t time);
void spur_end(struct spur_loc *loc);
uint32_t spur_open_region(struct spur_loc *loc, OTF2_RegionRef region);
uint32_t spur_open_team(struct spur_loc *loc, OTF2_CommRef team);
uint32_t spur_open_fork(struct spur_loc *loc, OTF2_Paradigm paradigm, uint32_t requested);
void spur_close(struct spur_loc *loc, uint32_t mark);
#define SPUR_NOT_OPEN UINT32_MAX /* a mark of nothing: it may be closed */

/* Read the clock: what follows carries this time. Nothing else moves the location's time. */
void spur_tick(struct spur_loc *loc);

/* The clock, and following records at a time that was read from it: for what is told late. */
uint64_t spur_time(void);
void spur_tick_to(struct spur_loc *loc, uint64_t time);
/*
 * The thread is about to wait for work, and may do so until the process ends. What it has open was
 * over at *since, unless that is 0; if it records nothing more, this is when it is left. NULL: the
 * thread goes on. `since` is borrowed until then.
 */
void spur_rest(struct spur_loc *loc, const _Atomic uint64_t *since);

/*
 * Hold the depth guard without recording: between begin and end, wrapped calls made by this thread
 * pass straight through. For a family's own calls into wrapped libraries. Nests.
 */
void spur_inside_begin(void);
void spur_inside_end(void);
/* True when the thread is inside a wrapped call or the agent. */
bool spur_inside(void);

/* A wrapped call that runs code of the program; lies on the wrapper's stack. */
struct spur_callback {
    struct spur_loc *loc;
    bool is_open; /* what it calls is recorded */
};

/*
 * Between spur_enter() of `call` and its spur_leave(): what the thread calls between begin and end
 * is recorded, within the region of `call`. Nests. The end returns what is to be left; NULL: the
 * region is over already, since the thread has gone on with another stack meanwhile.
 */
void spur_callback_begin(struct spur_callback *callback, struct spur_loc *loc,
                         struct spur_call *call);
struct spur_loc *spur_callback_end(struct spur_callback *callback);

/* Is this the code of the unwinder that the agent has opened? */
bool spur_is_unwinder(const void *address);

/*
 * longjmp() is about to take the calling thread to a place from where its stack begins at `stack`:
 * the wrapped calls whose frames it drops are left. Async-signal-safe.
 */
void spur_jump(const void *stack);
/* False: there is nothing that spur_jump() could do. */
bool spur_jump_matters(void);

/* spur_put_MpiSend(loc, receiver, communicator, ...): one record at the location's current time. */
#define SPUR_PUT_PARAM_(Row, kind, name) , otf2_t_##kind name
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    void spur_put_##Name(struct spur_loc *loc OTF2_SEQ(SPUR_PUT_PARAM_, Name, __VA_ARGS__));
#include <otf2/otf2_events.def>
#undef EVENT

/*
 * spur_leave_after_MpiIsend(loc, call, receiver, communicator, ...): the record, which was waiting
 * for the call's success, at the location's time, and then spur_leave_now(); cheaper than both.
 */
#define SPUR_LEAVES_AFTER(ROW)                                                                     \
    ROW(MpiIsend, (U32, receiver), (COMM, communicator), (U32, msgTag), (U64, msgLength),          \
        (U64, requestID))                                                                          \
    ROW(MpiIrecvRequest, (U64, requestID))
#define SPUR_LEAVE_AFTER_(Name, ...)                                                               \
    void spur_leave_after_##Name(struct spur_loc *loc,                                             \
                                 struct spur_call *call OTF2_SEQ(SPUR_PUT_PARAM_, Name, "",        \
                                                                 __VA_ARGS__));
SPUR_LEAVES_AFTER(SPUR_LEAVE_AFTER_)

/*
 * Differs in a child of fork() from what it is in the parent: ids of definitions are then another
 * process's. Async-signal-safe.
 */
uint32_t spur_generation(void);

/* ---- processes ---- */

/*
 * Called once when MPI is up: rank and size in MPI_COMM_WORLD. Gives the process its number, and
 * with it the ids of its locations.
 */
void spur_process_rank(uint32_t rank, uint32_t size);
/* The MPI job that the rank is of, as its starter calls it, the same for all its processes. */
void spur_process_job(const char *job);
/* Another process of the session has started this one. */
void spur_process_creator(const char *name);
/*
 * The library has started so many others, where they may not be traced; and: this is one of such.
 * The first process of all tells of a start, no other.
 */
void spur_process_spawns(uint32_t n);
void spur_process_is_spawned(void);
/* This process's name within the session, "" while nothing is recorded. Borrowed. */
const char *spur_process_name(void);
/*
 * The process has this property; the last value of a name counts. False while nothing is recorded:
 * it is forgotten then.
 */
bool spur_process_property(const char *name, const char *value);
/*
 * The process is about to end by its own will, from where nobody comes back but by longjmp(), after
 * which the thread calls spur_process_goes_on(). Async-signal-safe.
 */
void spur_process_aborts(void);
void spur_process_mpi_aborts(int code);
void spur_process_goes_on(void);
/*
 * Somebody has waited for the process `pid` and got this status. If it records, how it ended will
 * be known. Async-signal-safe, keeps errno, takes 2 KiB of stack at most.
 */
void spur_child_ended(int pid, int status);
/* MPI_Finalize has returned: of ranks that recorded nothing by now, nothing is to be expected. */
void spur_process_finalized(void);

/*
 * In the child, right after a way of forking that runs no handlers (those of pthread_atfork()):
 * nothing more is written to the parent's trace. Harmless to repeat. Async-signal-safe.
 */
void spur_process_forked(void);
/*
 * Files may be out of reach from now on. What goes on being recorded is kept in memory that is
 * mapped now, as far as it goes: some buffers' worth. Shows the process, if processes are recorded.
 */
void spur_process_prepare(void);
/*
 * Part of the archive from now on even if it records nothing more, where processes are recorded.
 * For what may end, or lose its rights to write files, before it has recorded anything.
 */
void spur_process_show(void);
/* Something is recorded already: an event now creates no files. */
bool spur_process_is_shown(void);

/* ---- other programs ---- */

/*
 * The environment for a program that is about to be started. All of this may be called in a child
 * of vfork() and by a signal handler. lend       `envp`, which may be NULL, with what makes the
 * program part of the session; `envp` itself if it is right as it is, or there is no memory. Texts
 * are borrowed from it. give_back  the program has not taken this process's place. reclaim    in a
 * parent that goes on after vfork(): what the child was lent. for_good   the same as lend for a
 * process's own environment, which others may read at any time. A program that is given the rest of
 * the session, but no LD_PRELOAD, is left out on purpose.
 */
struct spur_lent {
    void *room;
    size_t bytes;
};
char *const *spur_environment_lend(struct spur_lent *lent, char *const *envp);
void spur_environment_give_back(const struct spur_lent *lent);
void spur_environment_reclaim(void);
char **spur_environment_for_good(char *const *envp);
/* Is something of the session missing in `envp`, so that what is started with it would be lost? */
bool spur_environment_is_bare(char *const *envp);

/* A call that replaces this process, or starts a program in another one; lies on the stack. */
struct spur_exec {
    bool is_self;
    _Atomic uint32_t *untraced;
    _Atomic uint32_t *left_out; /* see agent/process/left_out.h */
};
/*
 * Before and, when it has failed, after such a call; `is_self`: it replaces this process. False:
 * the program cannot be traced (static, or with rights of its own) and is to get the environment
 * that it was meant to have; it is counted, but if `envp` says that it is not to be traced. `path`
 * NULL: not known; `dir` as that of openat(). Restrictions as above.
 */
bool spur_exec_begin(struct spur_exec *exec, bool is_self, int dir, const char *path,
                     char *const *envp);
void spur_exec_failed(const struct spur_exec *exec);

/*
 * Unify the definitions of all processes of the job over `t`; called inside MPI_Finalize before
 * the real one. Recording goes on afterwards; what is defined later is unified from the files.
 */
void spur_unify_over(const struct spur_transport *t);

/* ---- clocks of several hosts ---- */

/*
 * Which clock the times of this process come from: equal in processes that read the same clock, as
 * all of one host do. Never 0. Known from the start, whether anything is recorded or not.
 */
uint64_t spur_clock_id(void);

/* The way to one other process. Both functions block and return 0 or -errno. */
struct spur_link {
    int (*send)(const struct spur_link *link, uint64_t word);
    int (*receive)(const struct spur_link *link, uint64_t *word);
};

/*
 * Compare this process's clock with that of another one, which answers meanwhile. What is found is
 * kept with the definitions, so it counts even if the process is killed, and finishing applies it
 * to all processes that read this clock. Takes a few exchanges of messages, at worst about a fifth
 * of a second. Call it at the start of the run and at its end.
 */
void spur_clock_ask(const struct spur_link *link);
void spur_clock_answer(const struct spur_link *link);

/*
 * The process is about to end in a way that runs no destructors (_exit, quick_exit): close and
 * publish everything now. `status` as given to exit(). Harmless if called twice, or in a vfork
 * child.
 */
void spur_process_end(int status);

/*
 * The program is about to let the kernel forbid it system calls: what is recorded is closed and
 * published now, and no more is recorded, here and in children, since a call of ours might be one
 * that the process is killed for.
 */
void spur_process_seal(void);

/*
 * The program is about to forbid the calling thread to read the processor's clock: recording goes
 * on by the system's. Async-signal-safe.
 */
void spur_clock_forbid(void);

/* ---- notes ---- */

/*
 * How processes of a session agree when they cannot send messages, or not yet: a note is a small
 * file of the session. It never changes, and whoever sees it sees all of it. Names are file names.
 *   put     0; -EEXIST: there is one already, and it stays; another -errno: none was put
 *   get     the text, agent memory of *room bytes; NULL: there is none
 *   each    calls for the names that begin with `prefix`
 * Without files, as in a process that records nothing, no note can be put, and none is there.
 */
int spur_note_put(const char *name, const char *text);
char *spur_note_get(const char *name, size_t *room);
bool spur_note_is_there(const char *name);
void spur_note_remove(const char *name);
void spur_note_each(const char *prefix, void *data, void (*each)(void *data, const char *name));

/* ---- threads ---- */

/* A location made for a thread that does not run yet. */
struct spur_thread;

/*
 * Reserve a location for a thread that is about to be created. NULL when recording is off. *group,
 * the contingent of all threads of the process, and *sequence name the pair for ThreadWait.
 */
struct spur_thread *spur_thread_new(OTF2_CommRef *group, uint64_t *sequence);
/* The creation failed: give the reservation back. Call instead of spur_thread_created(). */
void spur_thread_cancel(struct spur_thread *thread);
/* The creation succeeded: writes ThreadCreate at the creator's current time. */
void spur_thread_created(struct spur_loc *creator, struct spur_thread *thread);
/* In the new thread, first: it becomes the location and records ThreadBegin. */
void spur_thread_begin(struct spur_thread *thread);
/* In the new thread: its creation was not recorded, since no calls of threads are. It is sampled.
 */
void spur_thread_untold(void);
/* In the new thread: it was made by a library at work inside a wrapped call and is not traced. */
void spur_thread_ignore(void);
/*
 * The thread's end: open regions are left, ThreadEnd is written, the location is closed and its
 * memory recycled. Whatever the thread calls afterwards is not recorded. Safe to call twice.
 * `joinable` decides whether ThreadEnd carries the sequence count or UNDEFINED.
 */
void spur_thread_end(bool joinable);
/*
 * Call this, by the thread, when its spur_thread_end() begins; the guard may be down. Up to four
 * functions, in constructors.
 */
void spur_thread_at_end(void (*call)(void));
/*
 * Call this, by the thread, when a thread that no wrapper has seen begin is about to record for the
 * first time; the guard is up. When it returns false the thread is not recorded yet. One function
 * for the process.
 */
void spur_thread_at_first(bool (*call)(void));
/* Name of the calling thread's location (copied; cut at 15 bytes by nobody). */
void spur_thread_name(const char *name);
/* Name of another thread's location; `thread` from spur_thread_new(), still valid after its end. */
void spur_thread_name_of(struct spur_thread *thread, const char *name);
/* Once it has ended: is there anything of it in the trace? Not if recording went off before. */
bool spur_thread_is_told(const struct spur_thread *thread);
/* The creator's side has no more use for `thread` (joined, or detached and forgotten). */
void spur_thread_release(struct spur_thread *thread);

/* One acquisition of a lock, for ThreadAcquireLock and the ThreadReleaseLock that repeats it. */
struct spur_hold {
    uint32_t id;    /* of the lock, dense per process from 0; or the next */
    uint32_t order; /* its acquisitions so far, this one included */
    void *lock;     /* the agent's */
};
/* Memory is out, or nothing is recorded: there is no record of this acquisition and its release. */
#define SPUR_NO_LOCK UINT32_MAX

/*
 * The lock was acquired once more. Moves the location's time, if need be, to that of the last
 * release: clocks of two processors, or one read a few instructions early, must not show a lock in
 * two hands. Called by the thread that holds it, after spur_tick(). O(1), thread-safe.
 */
struct spur_hold spur_lock_acquired(struct spur_loc *loc, const void *lock);
/* It is about to be released, at the location's time. */
void spur_lock_released(const struct spur_loc *loc, const struct spur_hold *hold);
/*
 * The same with the records, for a call that enters a region and releases a lock at that time, and
 * for one that acquires a lock and leaves its region now. `hold` is written before another call of
 * this thread can be recorded.
 */
struct spur_loc *spur_enter_release(struct spur_call *call, const struct spur_hold *hold);
void spur_leave_acquired(struct spur_loc *loc, struct spur_call *call, const void *lock,
                         struct spur_hold *hold);
/* The object's address may be reused for another: forget it. */
void spur_object_forget(const void *object);

/* ---- the real functions, settings ---- */

/*
 * The next definition of a symbol after the agent's own, NULL if none. Not on the hot path: takes
 * the loader's lock. `version` may be NULL.
 */
void *spur_real(const char *name, const char *version);

/* Is a family switched on by SPUR_WRAP ("mpi", "pthread", ...)? Read once, at start. */
bool spur_wraps(const char *family);

/*
 * The value of SPUR_<name>, a comma list that is a family's to read; NULL without memory. Of what
 * is wrong in it the family complains by one line (not copied), before anything is recorded: one
 * process of the session says all such lines, once something is.
 */
const char *spur_setting(const char *name);
void spur_complain(const char *line);

/*
 * All running threads of the process pass a full memory barrier before it returns. False where the
 * kernel cannot do that. Slow.
 */
bool spur_fence_threads(void);

#endif
