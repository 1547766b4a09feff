/* SPDX-License-Identifier: BSD-3-Clause */
/* links: finish */
#include <criterion/criterion.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own_stack.h"
#include "base/own_stack_switch.h"

enum { LARGE = 200 << 10 };

struct seen {
    uintptr_t at;
    bool is_own;
    uint64_t mask;
    int depth;
};

static uint64_t mask_now(void)
{
    uint64_t mask = 0;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof mask);
    return mask;
}

static bool blocks(uint64_t mask, int signal)
{
    return mask >> (signal - 1) & 1;
}

static void look(void *arg)
{
    volatile char room[LARGE];
    struct seen *seen = arg;
    room[0] = room[sizeof room - 1] = 1;
    seen->at = (uintptr_t)__builtin_frame_address(0);
    seen->is_own = spur_is_on_own_stack();
    seen->mask = mask_now();
    seen->depth += room[0];
    errno = EXDEV;
}

static bool is_near(uintptr_t a, uintptr_t b)
{
    return (a > b ? a - b : b - a) < 1 << 20;
}

Test(own_stack, runs_elsewhere_and_comes_back)
{
    struct seen seen = {0};
    uint64_t before = mask_now();
    cr_expect(!spur_is_on_own_stack());
    spur_on_own_stack(look, &seen);
    cr_expect_eq(errno, EXDEV);
    cr_expect_eq(seen.depth, 1);
    cr_expect(seen.is_own);
    cr_expect(!is_near(seen.at, (uintptr_t)__builtin_frame_address(0)));
    cr_expect(!spur_is_on_own_stack());
    cr_expect_eq(mask_now(), before);
}

static void nest(void *arg)
{
    struct seen *inner = arg;
    spur_on_own_stack(look, inner);
    inner->is_own = is_near(inner->at, (uintptr_t)__builtin_frame_address(0));
}

Test(own_stack, who_is_on_one_stays_there)
{
    struct seen seen = {0};
    spur_on_own_stack(nest, &seen);
    cr_expect(seen.is_own);
}

Test(own_stack, signals_wait_but_those_of_faults)
{
    struct seen seen = {0};
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_IGN);
    spur_on_own_stack(look, &seen);
    for (int i = 1; i <= 64; i++) {
        bool is_fault = i == SIGSEGV || i == SIGBUS || i == SIGILL || i == SIGFPE || i == SIGTRAP ||
                        i == SIGSYS;
        if (i != SIGKILL && i != SIGSTOP)
            cr_expect_eq(blocks(seen.mask, i), !is_fault, "signal %d", i);
    }
    spur_on_own_stack_for_long(look, &seen);
    cr_expect(!blocks(seen.mask, SIGINT));
    cr_expect(blocks(seen.mask, SIGTERM));
    cr_expect(blocks(seen.mask, SIGUSR1));
}

static volatile sig_atomic_t handled;

static void on_signal(int signal)
{
    handled = signal;
}

static void raise_one(void *arg)
{
    raise(SIGUSR1);
    *(int *)arg = handled;
}

Test(own_stack, what_came_meanwhile_is_handled_afterwards)
{
    int within = -1;
    signal(SIGUSR1, on_signal);
    spur_on_own_stack(raise_one, &within);
    cr_expect_eq(within, 0);
    cr_expect_eq(handled, SIGUSR1);
}

/* ---- without memory ---- */

static void stay(void *arg)
{
    int *ends = arg;
    char byte = 0;
    (void)!write(ends[1], &byte, 1);
    usleep(100 * 1000);
}

/* A sanitizer takes memory at the begin and the end of a thread. */
static _Atomic int begun; /* threads */
static _Atomic bool may_end;

static void *stay_in_thread(void *arg)
{
    begun++;
    spur_on_own_stack(stay, arg);
    while (!may_end)
        sched_yield();
    return NULL;
}

static void limit_memory(rlim_t bytes)
{
    struct rlimit limit = {bytes, RLIM_INFINITY};
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        abort();
}

/* A second thread has the waiting stack, a third thread the last stack of all. */
Test(own_stack, is_there_where_nothing_can_be_mapped)
{
    enum { OTHERS = 2 };
    struct seen seen = {0}, child = {0};
    pthread_t other[OTHERS];
    int ends[2], status;
    char bytes[OTHERS];
    cr_assert_eq(pipe(ends), 0);
    spur_on_own_stack(look, &seen);
    for (int i = 0; i < OTHERS; i++)
        cr_assert_eq(pthread_create(&other[i], NULL, stay_in_thread, ends), 0);
    cr_assert_eq(read(ends[0], bytes, 1), 1);
    while (begun < OTHERS)
        sched_yield();
    limit_memory(0);
    seen.is_own = false;
    spur_on_own_stack(look, &seen); /* in turn with the third thread */
    pid_t pid = fork();
    if (pid == 0) {
        spur_own_stack_after_fork();
        spur_on_own_stack(look, &child);
        _exit(child.is_own ? 0 : 1);
    }
    waitpid(pid, &status, 0);
    limit_memory(RLIM_INFINITY); /* a message takes memory */
    may_end = true;
    cr_expect(seen.is_own);
    cr_expect_eq(status, 0);
    for (int i = 0; i < OTHERS; i++)
        pthread_join(other[i], NULL);
}

/* ---- little of the caller's ---- */

/* The bound of scripts/check_stack. */
enum { PAINT = 0x5a, OF_THE_CALLER = 1024 };

static void on_small_stack(void *arg)
{
    spur_on_own_stack(look, arg);
}

/* On a page with nothing below. */
static size_t bytes_used(void (*call)(void *), void *arg)
{
    long page = sysconf(_SC_PAGESIZE);
    char *low = mmap(NULL, 2 * (size_t)page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(low, MAP_FAILED);
    char *painted = low + page;
    mprotect(painted, (size_t)page, PROT_READ | PROT_WRITE);
    memset(painted, PAINT, (size_t)page);
    spur_own_stack_switch(call, arg, painted + page);
    size_t clean = 0;
    while (clean < (size_t)page && painted[clean] == PAINT)
        clean++;
    munmap(low, 2 * (size_t)page);
    return (size_t)page - clean;
}

Test(own_stack, takes_little_of_the_callers)
{
    struct seen seen = {0};
    on_small_stack(&seen); /* late binding by the loader is over by now */
    size_t used = bytes_used(on_small_stack, &seen);
    cr_expect(seen.is_own);
    cr_expect(used <= OF_THE_CALLER, "%zu bytes", used);
}

/* ---- both ways to change stacks ---- */

static void look_a_little(void *arg)
{
    struct seen *seen = arg;
    seen->at = (uintptr_t)__builtin_frame_address(0);
    seen->depth++;
}

static void switch_by(void (*change)(void (*)(void *), void *, void *))
{
    enum { BYTES = 256 << 10 };
    struct seen seen = {0};
    char *stack = aligned_alloc(16, BYTES);
    change(look_a_little, &seen, stack + BYTES);
    cr_expect_eq(seen.depth, 1);
    cr_expect(seen.at > (uintptr_t)stack && seen.at <= (uintptr_t)stack + BYTES);
    free(stack);
}

Test(own_stack, is_changed_in_assembler_and_in_c)
{
    switch_by(spur_own_stack_switch);
    switch_by(spur_own_stack_switch_c);
}

/* ---- the way back is found ---- */

struct trace {
    void *address[32];
    int n;
};

static void trace_here(void *arg)
{
    struct trace *trace = arg;
    trace->n = backtrace(trace->address, 32);
}

/* Not inlined, and no tail call. */
static __attribute__((noinline)) int trace_from_here(struct trace *trace, uintptr_t *caller)
{
    *caller = (uintptr_t)__builtin_return_address(0);
    spur_on_own_stack(trace_here, trace);
    return trace->n;
}

Test(own_stack, unwinders_find_the_way_back)
{
    struct trace trace;
    uintptr_t caller;
    bool is_found = false;
    cr_expect_gt(trace_from_here(&trace, &caller), 3);
    for (int i = 0; i < trace.n; i++)
        is_found |= (uintptr_t)trace.address[i] == caller;
    cr_expect(is_found);
}

/* ---- several threads, and children ---- */

enum { THREADS = 24, ROUNDS = 50 };
static pthread_barrier_t together;

static void hold(void *arg)
{
    volatile char mine[LARGE];
    for (size_t i = 0; i < sizeof mine; i++)
        mine[i] = (char)*(int *)arg;
    pthread_barrier_wait(&together);
    for (size_t i = 0; i < sizeof mine; i += 64)
        if (mine[i] != (char)*(int *)arg)
            *(int *)arg = -1;
    pthread_barrier_wait(&together);
}

static void *hold_often(void *arg)
{
    for (int i = 0; i < ROUNDS; i++)
        spur_on_own_stack(hold, arg);
    return NULL;
}

Test(own_stack, each_thread_has_one_of_its_own)
{
    pthread_t thread[THREADS];
    int number[THREADS];
    pthread_barrier_init(&together, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        number[i] = i + 1;
        pthread_create(&thread[i], NULL, hold_often, &number[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        cr_expect_eq(number[i], i + 1);
    }
}

static int child_of(pid_t (*make)(void))
{
    struct seen seen = {0};
    int status = -1;
    pid_t child = make();
    if (child == 0) {
        spur_on_own_stack(look, &seen);
        _exit(seen.is_own ? 7 : 8);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static pid_t raw_fork(void)
{
    return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

Test(own_stack, children_have_them_too)
{
    struct seen seen = {0};
    cr_expect_eq(child_of(fork), 7);
    spur_on_own_stack(look, &seen); /* a stack that is idle now */
    cr_expect_eq(child_of(fork), 7);
    cr_expect_eq(child_of(_Fork), 7);
    cr_expect_eq(child_of(raw_fork), 7);
    spur_on_own_stack(look, &seen);
    cr_expect(seen.is_own);
}

/* ---- without a stack of the agent ---- */

Test(own_stack, a_sealed_process_makes_no_system_calls)
{
    struct seen seen = {0};
    uint64_t before = mask_now();
    spur_own_stack_seal();
    spur_on_own_stack(look, &seen);
    cr_expect_eq(seen.depth, 1);
    cr_expect(!seen.is_own);
    cr_expect_eq(seen.mask, before);
}

/* ---- doors ---- */

static long add_here(int a, long b)
{
    return spur_is_on_own_stack() ? a + b : -1;
}
static long add(int a, long b);
SPUR_DOOR(long, add, (int, a), (long, b))

static void store_here(long *to)
{
    *to = spur_is_on_own_stack() ? 5 : -1;
}
static void store(long *to);
/* NOLINTNEXTLINE(readability-non-const-parameter): written behind the door */
SPUR_DOOR_VOID(store, (long *, to))

static bool is_there_here(void)
{
    return spur_is_on_own_stack();
}
static bool is_there(void);
SPUR_DOOR_ALONE(bool, is_there)

Test(own_stack, doors_pass_what_they_are_given)
{
    long stored = 0;
    cr_expect_eq(add(2, 40), 42);
    store(&stored);
    cr_expect_eq(stored, 5);
    cr_expect(is_there());
}
