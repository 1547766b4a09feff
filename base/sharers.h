/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sharers of a thread: processes, and threads of other libraries, that clone() has made in the
 * memory of the thread, its thread-local storage included, and that run beside it. A thread-local
 * variable of ours is then that of all of them. So only the thread itself writes to those that it
 * expects to find as it left them, and only the thread itself is recorded. Once a thread has had a
 * sharer its calls ask who makes them: by a system call, unless the stack leaves no doubt. All
 * others look at one word.
 */
#ifndef SPUR_SHARERS_H
#define SPUR_SHARERS_H

#include <stdbool.h>
#include <stdint.h>

enum { SPUR_SHARERS_KNOWN = 8 };

extern _Thread_local struct spur_sharers {
    int32_t tid;    /* of the thread itself; 0: it has never had a sharer */
    bool is_sealed; /* a sharer may make no system calls: stacks tell who calls */
    bool is_apart;  /* the thread waits for one of ours, see base/apart.h */
    uint32_t made;
    /*
     * High ends of stacks: the thread's, with one below which the thread was when it made a sharer;
     * of ours that the thread has borrowed (base/own_stack.h); of the last sharers.
     */
    uintptr_t own, made_at, aside, top[SPUR_SHARERS_KNOWN];
} spur_sharers;

/* Is the caller not the thread itself? Of a thread that has had sharers. */
bool spur_sharers_ask(void);
static inline bool spur_is_sharer(void)
{
    return __builtin_expect(spur_sharers.tid != 0, 0) && spur_sharers_ask();
}

/* The thread `tid` is about to get one, whose stack has this high end. */
void spur_sharers_add(int32_t tid, bool is_main, uintptr_t top);
/* The calling sharer may make no system calls from now on. */
void spur_sharers_seal(void);
/* In a child of fork(), which has no sharers: was it a sharer who forked? */
bool spur_sharers_forget(void);

#endif
