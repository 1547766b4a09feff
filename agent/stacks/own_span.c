/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/stacks/own_span.h"

#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/procfs.h"
#include "base/raw_call.h"

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

struct spur_stack_span spur_stack_span_from(uintptr_t stack)
{
    bool is_in = stack >= own.span.low && stack < own.span.high;
    if (!is_in && own.looks < LOOKS_MAX) {
        own.looks++;
        own.span = find_span();
        is_in = stack >= own.span.low && stack < own.span.high;
    }
    return is_in ? (struct spur_stack_span){stack, own.span.high} : (struct spur_stack_span){0, 0};
}
