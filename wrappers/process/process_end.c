/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ends of a process that run no destructors: the trace is closed first. All functions called
 * here may be called by a signal handler, and in a child of vfork(): the end of such a child is not
 * spur's.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "wrappers/kit/wrapper.h"

typedef void (*process_end)(int);
typedef void (*process_abort)(void);
typedef void (*process_assert)(const char *, const char *, unsigned, const char *);

static void end_at_once(int status)
{
    syscall(SYS_exit_group, status);
}

/* Without the real function the caller goes another way. */
static void go_on(void)
{
}

enum process_end_call {
    CALL__exit,
    CALL__Exit,
    CALL_quick_exit,
    CALL_abort,
    CALL___assert_fail,
    PROCESS_ENDS
};

#define ROW(name_, missing_)                                                                       \
    [CALL_##name_] = {.call = {.name = #name_}, .missing = (wrapper_any)(missing_)}
static struct wrapper_function ends[PROCESS_ENDS] = {
    ROW(_exit, end_at_once), ROW(_Exit, end_at_once),   ROW(quick_exit, end_at_once),
    ROW(abort, go_on),       ROW(__assert_fail, go_on),
};

static process_end real_end(enum process_end_call id)
{
    return (process_end)wrapper_real(&ends[id]);
}

/*
 * The program's own handlers of quick_exit() are still recorded: spur's handler was registered
 * first, so spur's handler comes last.
 */
static _Atomic int quick_status;
static bool has_quick_handler;

static void after_quick_handlers(void)
{
    spur_process_end(atomic_load_explicit(&quick_status, memory_order_relaxed));
}

__attribute__((constructor)) static void start(void)
{
    wrapper_find_all(ends, PROCESS_ENDS);
    has_quick_handler = at_quick_exit(after_quick_handlers) == 0;
}

SPUR_EXPORT void _exit(int status)
{
    spur_process_end(status);
    real_end(CALL__exit)(status);
    __builtin_unreachable();
}

SPUR_EXPORT void _Exit(int status)
{
    spur_process_end(status);
    real_end(CALL__Exit)(status);
    __builtin_unreachable();
}

SPUR_EXPORT void quick_exit(int status)
{
    atomic_store_explicit(&quick_status, status, memory_order_relaxed);
    if (!has_quick_handler)
        spur_process_end(status);
    real_end(CALL_quick_exit)(status);
    __builtin_unreachable();
}

/*
 * abort() announces the abort and does no more. SIGABRT may have a handler: the handler may record,
 * leave by _exit() or by longjmp(). An assertion that fails comes to the C library's own abort().
 */
SPUR_EXPORT void abort(void)
{
    spur_process_aborts();
    spur_crash_aborts();
    ((process_abort)wrapper_real(&ends[CALL_abort]))();
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
    spur_process_aborts();
    spur_crash_aborts();
    ((process_assert)wrapper_real(&ends[CALL___assert_fail]))(assertion, file, line, function);
    abort();
}
/* NOLINTEND(bugprone-reserved-identifier,readability-inconsistent-declaration-parameter-name) */
