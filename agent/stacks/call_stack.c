/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/types.h>
#include <unistd.h>

#include "agent/spur_agent.h"
#include "agent/stacks/cfi.h"
#include "agent/stacks/cfi_walk.h"
#include "agent/stacks/context.h"
#include "agent/stacks/script_walk.h"
#include "agent/stacks/stack.h"
#include "base/mem.h"
#include "base/procfs.h"
#include "base/raw_call.h"

/* Frames of the agent, and of what stands in front of the allocator, below the call. */
enum { BELOW_MAX = 32, ROOM = SPUR_FRAMES_MAX + BELOW_MAX };

/* ---- the thread's own stack, which needs no copy: a system call would take most of the time ----
 */

enum { LINE_ROOM = 16 << 10, LOOKS_MAX = 8 };

/* Looked for again if the stack has grown below it. */
static _Thread_local struct {
    struct spur_stack_span span; /* empty: not known */
    uint32_t looks;
} own;

struct look {
    uintptr_t high; /* an address at the high end of the stack */
    bool is_main;
    uintptr_t guard; /* where the last mapping that nobody may read ends */
    struct spur_stack_span found;
};

/*
 * That of the main thread has a name. Those that the C library makes for threads have a page below
 * them that nobody may read: nothing else is in the same mapping below. Others are not believed.
 */
static bool look_at(void *data, const struct spur_procfs_mapping *mapping)
{
    struct look *look = data;
    if (look->high >= mapping->start && look->high < mapping->end) {
        bool is_stack =
            look->is_main ? strcmp(mapping->path, "[stack]") == 0 : look->guard == mapping->start;
        if (is_stack && mapping->is_readable)
            look->found = (struct spur_stack_span){mapping->start, look->high};
        return false;
    }
    if (!mapping->is_readable)
        look->guard = mapping->end;
    return true;
}

/* What describes a thread lies at the high end of its stack. */
static struct spur_stack_span find_span(void)
{
    struct look look = {.is_main = getpid() == spur_raw_call(SYS_gettid, 0, 0, 0, 0, 0, 0)};
    look.high = look.is_main ? (uintptr_t)getauxval(AT_RANDOM) : (uintptr_t)pthread_self();
    char *line = spur_mem_new(LINE_ROOM);
    if (line)
        (void)spur_procfs_each_mapping(line, LINE_ROOM, &look, look_at);
    spur_mem_free(line, LINE_ROOM);
    return look.found;
}

static struct spur_stack_span own_span(uintptr_t stack)
{
    bool is_in = stack >= own.span.low && stack < own.span.high;
    if (!is_in && own.looks < LOOKS_MAX) {
        own.looks++;
        own.span = find_span();
        is_in = stack >= own.span.low && stack < own.span.high;
    }
    return is_in ? (struct spur_stack_span){stack, own.span.high} : (struct spur_stack_span){0, 0};
}

/* ---- the stack of a call ---- */

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
    window.span = own_span(here.stack);
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
