/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All that a wrapper may know about the agent.
 *
 * Promises to the host: nothing here fails visibly. No function changes errno, allocates from the
 * host's heap, takes a lock that the host can hold, or is a cancellation point. An agent that
 * cannot record prints one line and turns itself off, and the program continues.
 *
 * A wrapper has this shape:
 *
 *     static struct spur_call call = {.name = "MPI_Send", .group = "p2p", SPUR_CALL_OF(MPI),
 *                                     .role = OTF2_REGION_ROLE_POINT2POINT};
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
 * spur_enter() and spur_leave() save and restore errno: the program sees the real call's errno.
 */
#ifndef SPUR_AGENT_H
#define SPUR_AGENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "agent/spur_attached.h"
#include "agent/spur_define.h"
#include "agent/spur_device.h"
#include "agent/spur_frames.h"
#include "agent/spur_gauge.h"
#include "agent/spur_interpreter.h"
#include "agent/spur_layer.h"
#include "agent/spur_leaves.h"
#include "agent/spur_locks.h"
#include "agent/spur_ranges.h"
#include "agent/spur_sharers.h"
#include "agent/spur_signals.h"
#include "agent/spur_waits.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/now.h"
#include "base/own_stack.h"
#include "base/quiet.h"
#include "base/readable.h"
#include "base/source_name.h"
#include "session/transport.h"
#include "settings/families.h"
#include "settings/memory_setting.h"

#define SPUR_EXPORT __attribute__((visibility("default")))

/* The calling thread's stream of events. Borrowed from the agent, valid between enter and leave. */
struct spur_loc;

/*
 * A wrapped function, one static object per row of a *_calls.def table. Its region is defined at
 * the first Enter, so that the archive defines only regions that occurred. Never freed.
 */
struct spur_call {
    const char *name;  /* as written by a C user: region name and canonical name */
    const char *group; /* region description: "p2p", "coll", ... */
    OTF2_RegionRole role;
    OTF2_Paradigm paradigm;  /* the family's, for records */
    uint8_t family;          /* enum spur_family; SPUR_CALL_OF() sets both */
    _Atomic uint64_t region; /* belongs to the agent, 0: not yet defined (agent/record/event.c) */
    const bool *is_off;      /* the group is off, fixed before the first call; NULL: on */
};
#define SPUR_CALL_OF(FAMILY) .paradigm = SPUR_PARADIGM_##FAMILY, .family = SPUR_FAMILY_##FAMILY

/*
 * The caller of a function: the return address of the call, and the end of the frame of the
 * function. Return addresses in the agent are passed over, so any function between the program and
 * spur_enter() may be meant; the function called by the program itself is the cheapest.
 */
struct spur_caller {
    const void *address;
    const void *frame;
};
#define SPUR_CALLER ((struct spur_caller){__builtin_return_address(0), __builtin_dwarf_cfa()})

/* ---- recording: hot path ---- */

/*
 * Enter the region of `call`. Returns NULL if the call is not recorded: recording or the family is
 * off, or the call comes from inside another wrapped call or the agent (the depth guard, one per
 * thread, covers all families). The same thread must give every other result to spur_leave(). The
 * first such result in a process creates the files of the process.
 */
#define spur_enter(call) spur_enter_from(call, SPUR_CALLER)
struct spur_loc *spur_enter_from(struct spur_call *call, struct spur_caller caller);
void spur_leave(struct spur_loc *loc, struct spur_call *call);
/* spur_tick() and spur_leave() in one, for a call with nothing to record in between. */
void spur_leave_now(struct spur_loc *loc, struct spur_call *call);

/*
 * For a call that spur_enter() has refused, if later calls depend on the refused call: for example
 * because the call makes a request or a communicator. Returns NULL if the call does not matter:
 * nested, or recording is off for good. Otherwise call spur_leave() as after spur_enter(); no Leave
 * is written. Records put to the result are written outside of the call's region if `is_recorded`.
 * Otherwise, or in a pause of recording, the records are dropped; spur_is_dropped() tells whether.
 */
struct spur_loc *spur_follow(struct spur_call *call, bool is_recorded);
bool spur_is_dropped(const struct spur_loc *loc);

/*
 * For a call inside a recorded call, if the inner call ends something begun outside: the location
 * for its records. Do not leave the location. Returns NULL outside of a recorded call, and in the
 * middle of a record.
 */
struct spur_loc *spur_within(void);

/*
 * Pause or resume recording in the whole process. The calling thread writes MeasurementOnOff now,
 * other threads when they notice. Open regions are left when the threads leave them. No effect
 * inside a wrapped call, or if nothing changes.
 */
void spur_recording(bool on);
/* Would a call be recorded now? */
bool spur_is_recording(void);
/* The same; also true for a child of fork() that decides with its first call. */
bool spur_may_record(void);
/* Recording is paused: a call would not be recorded now, but may be later. */
bool spur_is_paused(void);
/*
 * spur_enter() would refuse any call of the thread now, without further work: for wrappers that can
 * then go on to the real function at once.
 */
bool spur_sleeps(void);
/* Only the newest part of the events is kept (a ring). */
bool spur_keeps_newest(void);

/*
 * For a construct that contains code of the program. The guard is held only while records are
 * written:
 *
 *     struct spur_loc *loc = spur_begin(family, false);   the guard, one clock read
 *     if (loc) {
 *         mark = spur_open_region(loc, region);              and more, all at this time
 *         spur_end(loc);
 *     }
 *     ... code of the program ...
 *     loc = spur_begin(family, true);
 *     if (loc) {
 *         spur_close(loc, mark);
 *         spur_end(loc);
 *     }
 *
 * spur_begin_at() does the same at `time`, read from the clock before; 0: now. spur_begin() returns
 * NULL if spur_enter() would; but with `is_end` not because recording is paused or the family is
 * off. The same thread must give every other result to spur_end().
 *
 * Functions open a region (Enter, Leave), a membership in a team (ThreadTeamBegin, ThreadTeamEnd)
 * or a fork (ThreadFork, ThreadJoin). Each returns a mark for spur_close(). spur_close() ends the
 * marked object and all opened since, innermost first, or does nothing if the object has already
 * ended. The agent closes all that is open when the thread or the process ends.
 */
struct spur_loc *spur_begin(enum spur_family family, bool is_end);
struct spur_loc *spur_begin_at(enum spur_family family, bool is_end, uint64_t time);
void spur_end(struct spur_loc *loc);
uint32_t spur_open_region(struct spur_loc *loc, OTF2_RegionRef region);
uint32_t spur_open_team(struct spur_loc *loc, OTF2_CommRef team);
uint32_t spur_open_fork(struct spur_loc *loc, OTF2_Paradigm paradigm, uint32_t requested);
void spur_close(struct spur_loc *loc, uint32_t mark);
#define SPUR_NOT_OPEN UINT32_MAX /* a mark of nothing; spur_close() accepts it */

/* Read the clock: the following records have this time. Nothing else moves the location's time. */
void spur_tick(struct spur_loc *loc);

/* Read the clock, and give later records a time read before: for events reported late. */
uint64_t spur_time(void);
void spur_tick_to(struct spur_loc *loc, uint64_t time);
/*
 * The thread is about to wait for work, perhaps until the process ends. Its open regions ended at
 * *since, unless *since is 0: if the thread records nothing more, the regions are left at *since.
 * NULL: the thread continues. `since` is borrowed until then.
 */
void spur_rest(struct spur_loc *loc, const _Atomic uint64_t *since);

/*
 * Hold the depth guard without recording: between begin and end, wrapped calls of this thread are
 * not recorded. For a family's own calls into wrapped libraries. Nests.
 */
void spur_inside_begin(void);
void spur_inside_end(void);
/* True when the thread is inside a wrapped call or the agent. */
bool spur_inside(void);

/* A wrapped call that runs code of the program; lies on the wrapper's stack. */
struct spur_callback {
    struct spur_loc *loc;
    bool is_open; /* inner calls are recorded */
};

/*
 * Between spur_enter() of `call` and its spur_leave(): calls of the thread between begin and end
 * are recorded, within the region of `call`. Nests. The end returns the location to leave; NULL:
 * the region has already ended, because the thread continued on another stack meanwhile.
 */
void spur_callback_begin(struct spur_callback *callback, struct spur_loc *loc,
                         struct spur_call *call);
struct spur_loc *spur_callback_end(struct spur_callback *callback);

/*
 * The same around fork(). fork() runs handlers of pthread_atfork(). Where nobody could tell that
 * the call is left, the callback is not open: the call's region stays, and calls of the handlers
 * are not recorded. In the child the region is the parent's: the child forgets the region, and the
 * region ends in the parent as ever.
 */
void spur_fork_begin(struct spur_callback *callback, struct spur_loc *loc, struct spur_call *call);
void spur_fork_forget(const struct spur_callback *callback);

/* Does the address belong to the code of the unwinder that the agent has opened? */
bool spur_is_unwinder(const void *address);

/*
 * longjmp() is about to jump: afterwards the thread's stack begins at `stack`. Leaves the wrapped
 * calls whose frames the jump drops. Async-signal-safe.
 */
void spur_jump(const void *stack);
/* False: spur_jump() would do nothing. */
bool spur_jump_matters(void);

/* spur_put_MpiSend(loc, receiver, communicator, ...): one record at the location's current time. */
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    void spur_put_##Name(struct spur_loc *loc OTF2_SEQ(SPUR_PUT_PARAM_, Name, __VA_ARGS__));
#include <otf2/otf2_events.def>
#undef EVENT

/* spur_put_IoOperationBegin_with(loc, attribute, ...): with an attribute (spur_define.h). */
#define SPUR_PUTS_WITH(ROW)                                                                        \
    ROW(IoCreateHandle, (IO_HANDLE, handle), (IO_ACCESS_MODE, mode),                               \
        (IO_CREATION_FLAG, creationFlags), (IO_STATUS_FLAG, statusFlags))                          \
    ROW(IoOperationBegin, (IO_HANDLE, handle), (IO_OPERATION_MODE, mode),                          \
        (IO_OPERATION_FLAG, operationFlags), (U64, bytesRequest), (U64, matchingId))               \
    ROW(IoOperationComplete, (IO_HANDLE, handle), (U64, bytesResult), (U64, matchingId))           \
    ROW(ParameterUnsignedInt, (PARAMETER, parameter), (U64, value))
#define SPUR_PUT_WITH_(Name, ...)                                                                  \
    void spur_put_##Name##_with(struct spur_loc *loc,                                              \
                                const struct spur_attribute *attribute OTF2_SEQ(SPUR_PUT_PARAM_,   \
                                                                                Name, "",          \
                                                                                __VA_ARGS__));
SPUR_PUTS_WITH(SPUR_PUT_WITH_)

/*
 * A number that differs between a child of fork() and its parent: the child's ids of definitions
 * belong to another process. Async-signal-safe.
 */
uint32_t spur_generation(void);

/* ---- processes ---- */

/*
 * Called once when MPI is up: rank and size in MPI_COMM_WORLD. Gives the process its number, and
 * thereby the ids of its locations.
 */
void spur_process_rank(uint32_t rank, uint32_t size);
/* The name of the rank's MPI job, the same for all its processes. */
void spur_process_job(const char *job);
/* Another process of the session has started this process. */
void spur_process_creator(const char *name);
/*
 * The library has started n processes, which may be untraced. And: a library has started this
 * process so. Of processes that start others together, only the first process reports the start.
 */
void spur_process_spawns(uint32_t n);
void spur_process_is_spawned(void);
/* This process's name within the session, "" while nothing is recorded. Borrowed. */
const char *spur_process_name(void);
/*
 * Give the process this property. The last value of a name counts. False while nothing is recorded:
 * then the property is lost.
 */
bool spur_process_property(const char *name, const char *value);
/*
 * The process is about to end by itself. Only longjmp() leads back; the thread then calls
 * spur_process_goes_on(). Async-signal-safe.
 */
void spur_process_aborts(void);
void spur_process_mpi_aborts(int code);
void spur_process_goes_on(void);
/*
 * A process has waited for the process `pid` and got `status`. If the process `pid` records, the
 * archive says how the process ended. Async-signal-safe, keeps errno, takes at most 2 KiB of stack.
 */
void spur_child_ended(int pid, int status);
/* MPI_Finalize has returned: ranks that have recorded nothing by now will not record any more. */
void spur_process_finalized(void);

/*
 * In the child, right after a fork without handlers (of pthread_atfork()): nothing more is written
 * to the parent's trace. Harmless to repeat. Async-signal-safe.
 */
void spur_process_forked(void);
/*
 * Files may be out of reach from now on. Later events go to memory mapped now, with room for some
 * buffers. Shows the process, if processes are recorded.
 */
void spur_process_prepare(void);
/*
 * If processes are recorded, the process is part of the archive from now on, even without further
 * records. For a process that may end, or lose its rights to write files, before the first record.
 */
void spur_process_show(void);
/* A record exists already: an event now creates no files. */
bool spur_process_is_shown(void);

/* ---- other programs ---- */

/*
 * The environment for a program that is about to be started. Children of vfork() and signal
 * handlers may call these functions.
 *   lend       `envp`, which may be NULL, with the variables that make the program part of the
 *              session; `envp` itself if complete, or without memory. Texts are borrowed.
 *              `is_foreign`: without the agent, of which the program would die.
 *   give_back  the program has not replaced this process.
 *   reclaim    in a parent after vfork(): take back the environment lent to the child.
 *   for_good   as lend, for a process's own environment, which others may read at any time.
 * A program with the session's variables but without LD_PRELOAD is left out on purpose.
 */
struct spur_lent {
    void *room;
    size_t bytes;
};
char *const *spur_environment_lend(struct spur_lent *lent, char *const *envp, bool is_foreign);
void spur_environment_give_back(const struct spur_lent *lent);
void spur_environment_reclaim(void);
char **spur_environment_for_good(char *const *envp);
/* In a constructor: from now on the process's environment names the agent in the list of libraries
 * `variable`, with colons between them. False: the agent was not preloaded, or without memory. */
bool spur_environment_name(const char *variable);
bool spur_environment_name_one(const char *variable); /* false also if another is named */
/* Does `envp` lack a variable of the session, so that a program with `envp` would be lost? */
bool spur_environment_is_bare(char *const *envp);

/* A call that replaces this process, or starts a program in another process; lies on the stack. */
struct spur_exec {
    bool is_self;
    bool is_foreign; /* another C library's: the program's environment is without the agent */
    _Atomic uint32_t *untraced;
    _Atomic uint32_t *left_out; /* see agent/process/left_out.h */
};
/*
 * Before such a call, and after a failed call. `is_self`: the call replaces this process. False:
 * the program cannot be traced (static, with rights of its own, or of another C library) and must
 * get its original environment. An untraced program is counted, unless `envp` says not to trace the
 * program. `path` NULL: unknown; `dir` as in openat(), or SPUR_SEARCHED: as execvp() finds the
 * program. Restrictions as above.
 */
enum { SPUR_SEARCHED = -2 }; /* neither a descriptor nor AT_FDCWD */
bool spur_exec_begin(struct spur_exec *exec, bool is_self, int dir, const char *path,
                     char *const *envp);
void spur_exec_failed(const struct spur_exec *exec);

/*
 * Unify the definitions of all processes of the job over `t`; called inside MPI_Finalize before the
 * real MPI_Finalize. Recording continues; later definitions are unified from the files.
 */
void spur_unify_over(const struct spur_transport *t);

/* ---- clocks of several hosts ---- */

/*
 * Identifies the clock of this process: equal in processes that read the same clock, such as all
 * processes of a host. Never 0. Known from the start, whether anything is recorded or not.
 */
uint64_t spur_clock_id(void);

/* The way to one other process. Both functions block and return 0 or -errno. */
struct spur_link {
    int (*send)(const struct spur_link *link, uint64_t word);
    int (*receive)(const struct spur_link *link, uint64_t *word);
};

/*
 * Compare this process's clock with the clock of another process, which answers meanwhile. The
 * result is kept with the definitions, so the result counts even if the process is killed.
 * Finishing applies the result to all processes with this clock. Takes a few exchanges of messages,
 * at most about a fifth of a second. Call at the start and at the end of the run.
 */
void spur_clock_ask(const struct spur_link *link);
void spur_clock_answer(const struct spur_link *link);

/*
 * The process is about to end without destructors (_exit, quick_exit): close and publish everything
 * now. `status` as given to exit(). Harmless if called twice, or in a vfork child.
 */
void spur_process_end(int status);

/*
 * The program is about to make the kernel forbid system calls. The recording is closed and
 * published now, and this process and its children record no more: the kernel might kill the
 * process for a system call of the agent.
 */
void spur_process_seal(void);

/*
 * The program is about to forbid the calling thread to read the processor's clock: recording
 * continues with the system's clock. Async-signal-safe.
 */
void spur_clock_forbid(void);

/* ---- notes ---- */

/*
 * Processes of a session agree by notes if messages are not possible, or not yet. A note is a small
 * file of the session. A note never changes, and readers see all of it. Names are file names.
 *   put     0; -EEXIST: the note exists already and stays; another -errno: failure
 *   get     the text, agent memory of *room bytes; NULL: no such note
 *   each    calls `each` for the names that begin with `prefix`
 * A process without files, for example without records, can put no note and sees none.
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
/* In the new thread, first: the thread takes its location and records ThreadBegin. */
void spur_thread_begin(struct spur_thread *thread);
/* In the new thread: calls of threads are not recorded, nor was the creation. It is sampled. */
void spur_thread_untold(void);
/* In the new thread, made by a library inside a wrapped call: the thread is not traced. */
void spur_thread_ignore(void);
/*
 * The thread's end: open regions are left, ThreadEnd is written, the location is closed and its
 * memory recycled. Later calls of the thread are not recorded. Safe to call twice.
 * `joinable` decides whether ThreadEnd carries the sequence count or UNDEFINED.
 */
void spur_thread_end(bool joinable);
/*
 * Each thread calls this function when its spur_thread_end() begins; the guard may be down. Up to
 * four functions, set in constructors.
 */
void spur_thread_at_end(void (*call)(void));
/*
 * A thread whose beginning no wrapper has seen makes this call before its first record; the guard
 * is up. If `call` returns false, the thread is not recorded yet. One function per process.
 */
void spur_thread_at_first(bool (*call)(void));
/* Name of the calling thread's location (copied, not cut at 15 bytes). */
void spur_thread_name(const char *name);
/* Name of another thread's location; `thread` from spur_thread_new(), still valid after its end. */
void spur_thread_name_of(struct spur_thread *thread, const char *name);
/* After the end of the thread: is the thread in the trace? Not if recording went off before. */
bool spur_thread_is_told(const struct spur_thread *thread);
/* The creator's side has no more use for `thread` (joined, or detached and forgotten). */
void spur_thread_release(struct spur_thread *thread);

/* ---- the real functions, settings ---- */

/*
 * The next definition of a symbol after the agent's own, NULL if none. Not on the hot path: takes
 * the loader's lock. `version` may be NULL.
 */
void *spur_real(const char *name, const char *version);
void *spur_real_scope(void); /* place where spur_real() looks, for dlsym() within the agent */

/* Is a family switched on by SPUR_WRAP? Read once, at start. */
bool spur_wraps(enum spur_family family);

/*
 * The value of SPUR_<name>, a comma list that a family reads itself; NULL without memory. The
 * family reports a mistake in the list by spur_complain() with one line (not copied), before the
 * first record. One process of the session prints all complaints, once something is recorded.
 */
const char *spur_setting(const char *name);
struct spur_memory_setting spur_memory_wanted(void);
bool spur_python_wanted(void); /* and the family is on */
void spur_complain(const char *line);

/* All running threads pass a full memory barrier. False: impossible on this kernel. Slow. */
bool spur_fence_threads(void);

#endif
