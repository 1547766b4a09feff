/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ends of a process that run no destructors: the trace is closed first. All that is called
 * here may be called by a signal handler, and in a child of vfork(), whose end is not ours.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/spur_agent.h"

typedef void (*process_end)(int);

typedef void (*process_abort)(void);
typedef void (*process_assert)(const char *, const char *, unsigned, const char *);

enum process_call { CALL__exit, CALL__Exit, CALL_quick_exit, PROCESS_CALLS };

static const char *const names[PROCESS_CALLS] = {"_exit", "_Exit", "quick_exit"};
static _Atomic process_end reals[PROCESS_CALLS];
static _Atomic process_abort real_abort;
static _Atomic process_assert real_assert;

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

/* ISO C knows no cast from data to function. */
static void find_aborts(void)
{
    process_abort next_abort = NULL;
    process_assert next_assert = NULL;
    void *address = spur_real("abort", NULL);
    memcpy(&next_abort, &address, sizeof address);
    atomic_store_explicit(&real_abort, next_abort, memory_order_relaxed);
    address = spur_real("__assert_fail", NULL);
    memcpy(&next_assert, &address, sizeof address);
    atomic_store_explicit(&real_assert, next_assert, memory_order_relaxed);
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
    spur_quiet_begin(); /* as in process_real.c */
    for (unsigned id = 0; id < PROCESS_CALLS; id++)
        real_find((enum process_call)id);
    find_aborts();
    spur_quiet_end();
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

/*
 * abort() says what it is about to do and no more: SIGABRT may have a handler, which may record,
 * leave by _exit() or by longjmp(). An assertion that fails comes to the C library's own abort().
 */
SPUR_EXPORT void abort(void)
{
    process_abort real = atomic_load_explicit(&real_abort, memory_order_relaxed);
    spur_process_aborts();
    spur_crash_aborts();
    if (real)
        real();
    signal(SIGABRT, SIG_DFL);
    raise(SIGABRT);
    __builtin_trap();
}

/* NOLINTBEGIN(bugprone-reserved-identifier,readability-inconsistent-declaration-parameter-name) */
void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
    __attribute__((noreturn));

SPUR_EXPORT void __assert_fail(const char *assertion, const char *file, unsigned line,
                               const char *function)
{
    process_assert real = atomic_load_explicit(&real_assert, memory_order_relaxed);
    spur_process_aborts();
    spur_crash_aborts();
    if (real)
        real(assertion, file, line, function);
    abort();
}
/* NOLINTEND(bugprone-reserved-identifier,readability-inconsistent-declaration-parameter-name) */
