/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ends of a process that run no destructors: the trace is closed first. All that is called
 * here may be called by a signal handler, and in a child of vfork(), whose end is not ours.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/spur_agent.h"

typedef void (*process_end)(int);

enum process_call { CALL__exit, CALL__Exit, CALL_quick_exit, PROCESS_CALLS };

static const char *const names[PROCESS_CALLS] = {"_exit", "_Exit", "quick_exit"};
static _Atomic process_end reals[PROCESS_CALLS];

static void end_at_once(int status)
{
    syscall(SYS_exit_group, status);
}

static process_end real_find(enum process_call id)
{
    process_end real = atomic_load_explicit(&reals[id], memory_order_relaxed);
    if (real)
        return real;
    void *address = spur_real(names[id], NULL);
    real = end_at_once;
    if (address)
        memcpy(&real, &address, sizeof real); /* ISO C knows no cast from data to function */
    atomic_store_explicit(&reals[id], real, memory_order_relaxed);
    return real;
}

/*
 * The program's own handlers of quick_exit() are still recorded: ours was registered before them,
 * so it comes last.
 */
static _Atomic int quick_status;
static bool has_quick_handler;

static void after_quick_handlers(void)
{
    spur_process_end(atomic_load_explicit(&quick_status, memory_order_relaxed));
}

/* Early: the look-up takes the loader's lock, which a signal handler must not wait for. */
__attribute__((constructor)) static void start(void)
{
    for (unsigned id = 0; id < PROCESS_CALLS; id++)
        real_find((enum process_call)id);
    has_quick_handler = at_quick_exit(after_quick_handlers) == 0;
}

SPUR_EXPORT void _exit(int status)
{
    spur_process_end(status);
    real_find(CALL__exit)(status);
    __builtin_unreachable();
}

SPUR_EXPORT void _Exit(int status)
{
    spur_process_end(status);
    real_find(CALL__Exit)(status);
    __builtin_unreachable();
}

SPUR_EXPORT void quick_exit(int status)
{
    atomic_store_explicit(&quick_status, status, memory_order_relaxed);
    if (!has_quick_handler)
        spur_process_end(status);
    real_find(CALL_quick_exit)(status);
    __builtin_unreachable();
}
