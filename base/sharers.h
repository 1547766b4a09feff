/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sharers of a thread: processes, and threads of other libraries, that clone() has made in the
 * memory of the thread, with the thread's thread-local storage, and that run beside the thread. A
 * thread-local variable of the agent is then one for the thread and all sharers. So only the thread
 * writes to variables whose value has to last, and only the thread is recorded. Once a thread has
 * had a sharer, each call asks who the caller is: by a system call, unless the stack leaves no
 * doubt. Other threads look at one word.
 */
#ifndef SPUR_SHARERS_H
#define SPUR_SHARERS_H

#include <stdbool.h>
#include <stdint.h>

enum { SPUR_SHARERS_KNOWN = 8 };

extern _Thread_local struct spur_sharers {
    int32_t tid;    /* of the thread itself; 0: it has never had a sharer */
    bool is_sealed; /* a sharer may make no system calls: stacks tell who calls */
    bool is_apart;  /* the thread waits for a thread of the agent, see base/apart.h */
    uint32_t made;
    /*
     * High ends of stacks: the thread's own; an address above the frame that made a sharer; the
     * stack of the agent that the thread has borrowed (base/own_stack.h); those of the last
     * sharers.
     */
    uintptr_t own, made_at, aside, top[SPUR_SHARERS_KNOWN];
} spur_sharers;

/* Is the caller not the thread itself? Of a thread that has had sharers. */
bool spur_sharers_ask(void);
static inline bool spur_is_sharer(void)
{
    return __builtin_expect(spur_sharers.tid != 0, 0) && spur_sharers_ask();
}

/* The thread `tid` is about to get a sharer, whose stack has this high end. */
void spur_sharers_add(int32_t tid, bool is_main, uintptr_t top);
/* The calling sharer may make no system calls from now on. */
void spur_sharers_seal(void);
/* In a child of fork(), which has no sharers: true if a sharer forked. */
bool spur_sharers_forget(void);

#endif
