/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The handlers' data about the calling thread, and about a parallel region.
 *
 * While the thread is at work for the runtime (waiting for other threads, or for work), the depth
 * guard is up: the runtime's calls of wrapped libraries, such as pthread_cond_wait(), are no part
 * of the program. The functions of openmp_records.h want the guard down.
 */
#ifndef WRAPPERS_OPENMP_OMPT_THREAD_H
#define WRAPPERS_OPENMP_OMPT_THREAD_H

#include <stdatomic.h>

#include "wrappers/openmp/ompt_types.h"
#include "wrappers/openmp/openmp_records.h"

/* One execution of a parallel region; used again by the encountering thread when nobody uses the
 * object. */
struct ompt_parallel {
    struct ompt_parallel *next; /* of the same encountering thread */
    struct openmp_parallel records;
    const void *code;
    bool is_league;
    bool has_begun;               /* the encountering thread is a member by now */
    struct ompt_parallel *around; /* outer region of this thread, or NULL */
    _Atomic uint32_t users;       /* the encountering thread, and each member until its end */
    _Atomic uint64_t
        ended; /* when the encountering thread had its last barrier behind; 0: not yet */
};

/* A thread's part of a parallel region. */
struct ompt_member {
    struct openmp_task task;
    struct ompt_parallel *parallel;
    bool is_worker;            /* not the encountering thread */
    bool is_in_last_barrier;   /* a worker: its part is done */
    struct ompt_member *below; /* of the region around, or the next free one */
};

struct ompt_thread {
    struct ompt_parallel *made;  /* all, in use or not; as many as the thread nests, and a few */
    struct ompt_parallel *met;   /* innermost region that the thread has met and not ended */
    struct ompt_member *member;  /* innermost; NULL outside of parallel regions */
    struct ompt_member *free;    /* to be used again */
    struct openmp_task *waiting; /* tasks that wait on this thread, innermost first, by `next` */
    bool is_guarded;
    bool is_excluding; /* has called a wrapped function that begins a mutual exclusion */
    const void *call;  /* return address of the last wrapped call that begins a construct, */
    const void *place; /* and the place of this construct */
};

extern _Thread_local struct ompt_thread ompt_thread __attribute__((tls_model("initial-exec")));

/* A runtime reports to the agent. */
extern bool ompt_is_heard;

static inline void ompt_excludes(void)
{
    ompt_thread.is_excluding = true;
}

/*
 * The program calls a function of the runtime that begins a construct. `address`: the call's return
 * address. `body`: the function that the compiler has made of the construct; 0: none.
 */
static inline void ompt_calls(const void *address, uintptr_t body)
{
    ompt_thread.call = address;
    ompt_thread.place = body ? spur_place_of(body, address) : address;
}

/* ompt_calls() without a body, if the program makes the call; calls within the runtime do nothing.
 */
void ompt_calls_outside(const void *address);

/*
 * The place of a construct for which the runtime reports the return address `code`; NULL: the place
 * of the current task. `begins`: the report comes within the program's call, so the last wrapped
 * call gives the place even if `code` is an address of the runtime.
 */
const void *ompt_place(const void *code, bool begins);
/* The agent registers with a runtime, which contains the function `runtime`. */
void ompt_place_start(void *runtime);

/* The thread goes to work for the runtime, or comes back. Returns the state before. */
static inline bool ompt_guard(bool is_up)
{
    bool was_up = ompt_thread.is_guarded;
    if (is_up && !was_up)
        spur_inside_begin();
    if (!is_up && was_up)
        spur_inside_end();
    ompt_thread.is_guarded = is_up;
    return was_up;
}

static inline struct openmp_task *ompt_task_of(const union ompt_data *word)
{
    return word ? word->ptr : NULL;
}

#endif
