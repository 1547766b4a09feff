/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stacks of calls that make no region, as those that take memory. Part of agent/spur_agent.h, which
 * wrappers include; its promises hold here too.
 */
#ifndef SPUR_FRAMES_H
#define SPUR_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/spur_define.h"

/* A place in a function that is at work: the instruction, and two registers there. */
struct spur_frame {
    uintptr_t address, stack, pointer;
};

/* Of the function that this is in. All 0: there are no stacks on this processor. */
static inline __attribute__((always_inline)) struct spur_frame spur_frame_here(void)
{
    struct spur_frame here = {0, 0, 0};
#if defined(__x86_64__)
    __asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
                     : "=a"(here.address), "=d"(here.stack), "=c"(here.pointer));
#endif
    return here;
}

/* In a constructor, if spur_def_call_stack() will be called. */
void spur_frames_start(void);

enum { SPUR_FRAMES_MAX = 128 };
/*
 * Somewhere above `here` on the stack of the calling thread is a call that will return to `from`:
 * the calling context of that frame, below those of its callers, `most` of them together. If the
 * stack cannot be followed up to there, it is spur_def_call_site(from). One thread at a time; takes
 * no lock but those of spur_def_*(), and asks no unwinder. Keeps errno.
 */
OTF2_CallingContextRef spur_def_call_stack(struct spur_frame here, const void *from, uint32_t most);

/* Code of a function that lies together: compilers put elsewhere what it seldom runs. */
struct spur_code_part {
    uintptr_t start, end;
    bool is_beginning; /* of the function; else it has been entered elsewhere */
};
/* The part with that address, by call frame information; false: nobody says. Takes no lock but of
 * the agent's stacks. Async-signal-safe as stacks are. Keeps errno. */
bool spur_code_part(uintptr_t address, struct spur_code_part *part);

#endif
