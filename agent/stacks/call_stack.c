/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include "agent/spur_agent.h"
#include "agent/stacks/cfi.h"
#include "agent/stacks/cfi_walk.h"
#include "agent/stacks/context.h"
#include "agent/stacks/own_span.h"
#include "agent/stacks/script_walk.h"
#include "agent/stacks/stack.h"

/* Frames of the agent, and of what stands in front of the allocator, below the call. */
enum { BELOW_MAX = 32, ROOM = SPUR_FRAMES_MAX + BELOW_MAX };

void spur_frames_start(void)
{
    (void)spur_cfi_start();
    spur_stack_know_ranges();
}

OTF2_CallingContextRef spur_def_call_stack(struct spur_frame here, const void *from, uint32_t most)
{
    static struct spur_stack_window window;
    static const void *frame[ROOM];
    static struct spur_script_walk script;
    int saved = errno;
    bool is_whole = false;
    uint32_t room = (most < SPUR_FRAMES_MAX ? most : SPUR_FRAMES_MAX) + BELOW_MAX;
    window.span = spur_stack_span_from(here.stack);
    uint32_t n = most > 1 ? spur_stack_walk_from(here, &window, frame, room, &is_whole) : 0;
    uint32_t first = 0;
    while (first < n && first < BELOW_MAX && frame[first] != from)
        first++;
    errno = saved;
    if (first == n || frame[first] != from)
        return spur_def_call_site(from);
    n = spur_script_walk(&script, false)
            ? spur_script_merge(&script, frame + first, n - first, ROOM - first, is_whole)
            : n - first;
    n = n < most ? n : most;
    n = spur_stack_choose(frame + first, n, is_whole);
    return spur_context_path(OTF2_UNDEFINED_CALLING_CONTEXT, frame + first, n, false);
}
