/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stacks of calls without a region, such as the calls that allocate memory. Part of
 * agent/spur_agent.h, which wrappers include; its promises hold here too.
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

/* The place in the caller of the function that contains this call: the agent is built with frame
 * pointers. */
static inline __attribute__((always_inline)) struct spur_frame spur_frame_of_caller(void)
{
    const uintptr_t *own = __builtin_frame_address(0);
    uintptr_t back = (uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0));
    return (struct spur_frame){back - 1, (uintptr_t)__builtin_dwarf_cfa(), own[SPUR_CELL(CHAIN)]};
}

/* The place in the function that contains this call, or, where the processor has no way to tell, in
 * its caller. */
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
 * On the stack of the calling thread, somewhere above `here`, a call will return to `from`. The
 * result is the calling context of the frame of that call, below the contexts of its callers, with
 * `most` frames altogether. If the stack cannot be followed up to there, the result is
 * spur_def_call_site(from). One thread at a time; takes no lock except the locks of spur_def_*(),
 * and asks no unwinder. Keeps errno.
 */
OTF2_CallingContextRef spur_def_call_stack(struct spur_frame here, const void *from, uint32_t most);

/* Contiguous code of a function: compilers move the seldom run parts of a function elsewhere. */
struct spur_code_part {
    uintptr_t start, end;
    bool is_beginning; /* of the function; else it has been entered elsewhere */
};
/* The part with `address`, by call frame information; false: not known. Takes only locks of the
 * agent's stacks. As async-signal-safe as stacks are. Keeps errno. */
bool spur_code_part(uintptr_t address, struct spur_code_part *part);

#endif
