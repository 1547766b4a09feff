/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * seccomp: from then on the kernel may kill the process for a system call that is not the program's
 * own, so spur's system calls are made before. There are two ways to ask for seccomp: prctl(),
 * wrapped together with the names of threads, and the system call, without a function in the C
 * library. clone(), too, may be made by syscall().
 */
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "wrappers/process/process_real.h"

/*
 * syscall() is variadic for the compiler, and a number of words for the machine. Declared so, the
 * real function is jumped to and not called: the function may return on another stack, as for
 * SYS_clone.
 */
WRAPPER_FIND(syscall, long, (long, long, long, long, long, long, long))

SPUR_EXPORT long process_syscall(long number, long a, long b, long c, long d, long e,
                                 long f) __asm__("syscall");

/* Early: signal handlers may call syscall(), and the look-up takes the loader's lock. */
__attribute__((constructor)) static void start(void)
{
    (void)find_syscall();
}

/* Without a program for the filter the caller only asks whether the kernel knows filters. */
static bool is_seal(long number, long operation, long argument)
{
    return number == SYS_seccomp && (operation == SECCOMP_SET_MODE_STRICT ||
                                     (operation == SECCOMP_SET_MODE_FILTER && argument != 0));
}

/* The same as in prctl(), see wrappers/pthread/pthread_thread.c. */
static bool forbids_clock(long number, long option, long argument)
{
    return number == SYS_prctl && option == PR_SET_TSC && (int)argument == PR_TSC_SIGSEGV;
}

static void tell_clone3(long argument, long bytes)
{
    const struct clone_args *args;
    memcpy(&args, &argument, sizeof argument);
    if (bytes >= CLONE_ARGS_SIZE_VER0 && spur_is_readable(args) &&
        spur_is_readable(&args->stack_size))
        process_shares(args->flags, args->stack + args->stack_size);
}

/* Tells the agent of a system call before the call is made. */
static void tell(long number, long a, long b, long c)
{
    if (is_seal(number, a, c))
        spur_process_seal();
    else if (forbids_clock(number, a, b))
        spur_clock_forbid();
    else if (number == SYS_clone)
        process_shares((uint64_t)a, (uint64_t)b);
    else if (number == SYS_clone3)
        tell_clone3(a, b);
}

long process_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    tell(number, a, b, c);
    return find_syscall()(number, a, b, c, d, e, f);
}
