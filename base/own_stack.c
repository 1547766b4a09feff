/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unused stacks wait in a few places. A place is taken or filled by a single exchange: a signal
 * handler that comes in between finds the places whole, and so does a child of fork(). A child that
 * dies, or a handler that jumps away while a fault is handled, costs its stack.
 */
#include "base/own_stack.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

#include "base/own_stack_switch.h"
#include "base/quiet.h"
#include "base/raw_call.h"
#include "base/sharers.h"
#include "base/valgrind.h"

enum { BYTES = 256 << 10, GUARD_BYTES = 64 << 10 /* the largest page size */, IDLE = 16 };

static _Atomic(char *) idle[IDLE];
/*
 * For one thread at a time, if no more memory can be mapped (RLIMIT_AS): other threads wait up to
 * this limit.
 */
enum { WAITS = 1000, WAIT_NS = 1000 * 1000 };
static _Alignas(64) char reserve[BYTES];
static atomic_bool is_reserve_taken;
static _Atomic bool is_sealed;

void spur_own_stack_seal(void)
{
    atomic_store_explicit(&is_sealed, true, memory_order_relaxed);
}

/* Decides by the address: a jump may have left the thread's borrowed stack behind. */
bool spur_own_stack_has(uintptr_t address)
{
    return spur_sharers.aside && spur_sharers.aside - 1 - address < BYTES;
}

bool spur_is_on_own_stack(void)
{
    return spur_own_stack_has((uintptr_t)__builtin_frame_address(0));
}

/* Threads missing in the child do not give the reserve back. */
void spur_own_stack_after_fork(void)
{
    if (spur_sharers.aside != (uintptr_t)reserve + BYTES || !spur_is_on_own_stack())
        atomic_store_explicit(&is_reserve_taken, false, memory_order_relaxed);
}

/*
 * Valgrind's number of a stack is in the lowest word. Without Valgrind the page of that word is not
 * touched. Not a part of run(): run() is on the caller's stack.
 */
__attribute__((noinline)) static void tell_valgrind(char *stack)
{
    const uintptr_t number = spur_valgrind_stack(stack, BYTES);
    if (number)
        *(uintptr_t *)(void *)stack = number;
}

__attribute__((noinline)) static void unmap(char *stack)
{
    if (spur_is_on_valgrind())
        spur_valgrind_no_stack(*(uintptr_t *)(void *)stack);
    spur_raw_call(SYS_munmap, (long)(stack - GUARD_BYTES), GUARD_BYTES + BYTES, 0, 0, 0, 0);
}

static char *map(void)
{
    enum { FLAGS = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK };
    long low = spur_raw_call(SYS_mmap, 0, GUARD_BYTES + BYTES, PROT_NONE, FLAGS, -1, 0);
    if (low < 0)
        return NULL;
    low += GUARD_BYTES;
    char *stack = (char *)low; // NOLINT(performance-no-int-to-ptr)
    if (spur_raw_call(SYS_mprotect, low, BYTES, PROT_READ | PROT_WRITE, 0, 0, 0) == 0) {
        tell_valgrind(stack);
        return stack;
    }
    spur_raw_call(SYS_munmap, low - GUARD_BYTES, GUARD_BYTES + BYTES, 0, 0, 0, 0);
    return NULL;
}

static char *take_reserve(void)
{
    static const struct timespec wait = {0, WAIT_NS}; /* code that runs here has little stack */
    for (int i = 0; i < WAITS; i++) {
        if (!atomic_exchange_explicit(&is_reserve_taken, true, memory_order_acquire)) {
            if (!*(uintptr_t *)(void *)reserve)
                tell_valgrind(reserve);
            return reserve;
        }
        spur_raw_call(SYS_nanosleep, (long)&wait, 0, 0, 0, 0, 0);
    }
    return NULL;
}

static char *take(void)
{
    for (int i = 0; i < IDLE; i++) {
        char *stack = atomic_load_explicit(&idle[i], memory_order_relaxed);
        if (stack &&
            atomic_compare_exchange_strong_explicit(&idle[i], &stack, NULL, memory_order_acquire,
                                                    memory_order_relaxed))
            return stack;
    }
    char *stack = map();
    return stack ? stack : take_reserve();
}

static void give(char *stack)
{
    if (stack == reserve) {
        atomic_store_explicit(&is_reserve_taken, false, memory_order_release);
        return;
    }
    for (int i = 0; i < IDLE; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong_explicit(&idle[i], &none, stack, memory_order_release,
                                                    memory_order_relaxed))
            return;
    }
    unmap(stack);
}

/* Neither inlined nor cloned: scripts/check_stack sees the leaving of a stack by the call. */
#ifdef __clang__
#define SPUR_STAYS_A_CALL __attribute__((noinline))
#else
#define SPUR_STAYS_A_CALL __attribute__((noipa))
#endif

/* The kernel's form of an action, up to the handler. */
struct kernel_action {
    void (*handler)(int);
    uint64_t rest[3];
};

/* Signals sent by somebody, a terminal or a limit, to be rid of a program that goes on too long. */
static uint64_t deadly(void)
{
    static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGALRM, SIGTERM, SIGXCPU, SIGVTALRM};
    uint64_t set = 0;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct kernel_action now = {0};
        if (spur_raw_call(SYS_rt_sigaction, ends[i], 0, (long)&now, sizeof set, 0, 0) == 0 &&
            now.handler == SIG_DFL)
            set |= SPUR_SIGNAL_BIT(ends[i]);
    }
    return set;
}

/* At the low end of the agent's stack, so the thread's own stack needs less room. */
struct note {
    uintptr_t number; /* of Valgrind */
    uintptr_t outer;  /* the stack borrowed before */
    bool is_sharers;
};

/* A sharer's borrowed stack is not noted: calls within take another stack. */
static void call_on(char *stack, void (*call)(void *), void *arg)
{
    struct note *note = (struct note *)(void *)stack;
    note->outer = spur_sharers.aside;
    note->is_sharers = spur_is_sharer();
    if (!note->is_sharers)
        spur_sharers.aside = (uintptr_t)stack + BYTES;
    spur_own_stack_switch(call, arg, stack + BYTES);
    if (!note->is_sharers)
        spur_sharers.aside = note->outer;
}

static bool stays(void)
{
    return spur_is_on_own_stack() || atomic_load_explicit(&is_sealed, memory_order_relaxed);
}

/* Locks taken by `call` need not change the mask of signals again. */
static void run(void (*call)(void *), void *arg, uint64_t let_through)
{
    spur_quiet_begin_but(let_through);
    char *stack = take();
    if (stack)
        call_on(stack, call, arg);
    else
        call(arg);
    if (stack)
        give(stack);
    spur_quiet_end();
}

SPUR_STAYS_A_CALL
void spur_on_own_stack(void (*call)(void *), void *arg)
{
    if (stays())
        call(arg);
    else
        run(call, arg, 0);
}

SPUR_STAYS_A_CALL
void spur_on_own_stack_for_long(void (*call)(void *), void *arg)
{
    if (stays())
        call(arg);
    else
        run(call, arg, deadly());
}
