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
#include "base/processor.h"

/* A place in a function that is at work: the instruction, and two registers there. */
struct spur_frame {
    uintptr_t address, stack, pointer;
};

/* Of the function that called the one that this is in: the agent is built with frame pointers. */
static inline __attribute__((always_inline)) struct spur_frame spur_frame_of_caller(void)
{
    const uintptr_t *own = __builtin_frame_address(0);
    uintptr_t back = (uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0));
    return (struct spur_frame){back - 1, (uintptr_t)__builtin_dwarf_cfa(), own[SPUR_CELL(CHAIN)]};
}

/* Of the function that this is in, or where the processor has no way to say that of its caller. */
static inline __attribute__((always_inline)) struct spur_frame spur_frame_here(void)
{
#if defined(__x86_64__)
    struct spur_frame here;
    __asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
                     : "=a"(here.address), "=d"(here.stack), "=c"(here.pointer));
    return here;
#else
    return spur_frame_of_caller();
#endif
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
