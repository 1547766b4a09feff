/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Starts a thread in the process. A single thread of the process is stopped, at a safe place, for
 * the duration of a call of mmap() and of pthread_create(); all further threads go on. So only the
 * new thread waits for locks.
 */
#include "tools/attach/inject.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "base/procfs.h"
#include "tools/attach/attach_place.h"
#include "tools/attach/cpu.h"
#include "tools/attach/refusals.h"
#include "tools/attach/stub.h"

enum { PAGE = 4096, STACK = 128 << 10, STOP_MS = 200, TRIES_MS = 10000 };
enum { CALL_MS = 10000, KERNEL_STOP = 0x80 };

static long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void nap(void)
{
    const struct timespec time = {.tv_nsec = 500000};
    nanosleep(&time, NULL);
}

/* ---- a stopped thread ---- */

/* The signal for which a thread stopped; 0: the thread stopped for a different reason. */
static int signal_of(int status)
{
    return status >> 16 == 0 ? WSTOPSIG(status) : 0;
}

/*
 * False: the thread has ended, or does not stop: in the kernel the thread may wait for a disk, or
 * in vfork().
 */
static bool wait_for_stop(int tid, int *status, long patience)
{
    const long begin = now_ms(), end = begin + patience;
    for (;;) {
        pid_t seen = waitpid(tid, status, __WALL | WNOHANG);
        if (seen == tid)
            return WIFSTOPPED(*status);
        if (seen < 0 || now_ms() > end)
            return false;
        if (now_ms() < begin + 2)
            sched_yield();
        else
            nap();
    }
}

/*
 * Lets the thread go on until the thread calls the kernel, or returns from the kernel. The thread's
 * signals are blocked. Signals that cannot be blocked reach the thread. The thread takes part in a
 * stop of the process later.
 */
static bool run_to_kernel(int tid)
{
    int status, signal = 0;
    for (;;) {
        if (ptrace(PTRACE_SYSCALL, tid, NULL, (void *)(uintptr_t)signal) != 0 ||
            !wait_for_stop(tid, &status, CALL_MS))
            return false;
        if (WSTOPSIG(status) == (SIGTRAP | KERNEL_STOP))
            return true;
        signal = signal_of(status);
    }
}

/*
 * Moves the thread from a suppressed system call to the point where the thread would get a signal.
 */
static bool run_to_interrupt(int tid)
{
    int status, signal = 0;
    do {
        if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0 ||
            ptrace(PTRACE_CONT, tid, NULL, (void *)(uintptr_t)signal) != 0 ||
            !wait_for_stop(tid, &status, CALL_MS))
            return false;
        signal = signal_of(status);
    } while (signal);
    return true;
}

/* Is a signal pending that the thread is about to get? */
static bool has_signal(int tid)
{
    char path[64], status[8192];
    uint64_t set[3] = {0};
    static const char *const names[] = {"\nSigPnd:", "\nShdPnd:", "\nSigBlk:"};
    snprintf(path, sizeof path, "/proc/%d/status", tid);
    if (spur_procfs_read(path, status, sizeof status) < 0)
        return true;
    for (int i = 0; i < 3; i++)
        set[i] = strtoull(status_line(status, names[i]), NULL, 16);
    return ((set[0] | set[1]) & ~set[2]) != 0;
}

/*
 * Some system calls fail with EINTR in a stop although no signal arrives (signal(7)). Without the
 * stop, the program would not have seen the failure. So the thread makes the call once more.
 */
static void undo_interrupt(int tid, struct cpu_state *state)
{
    if (!place_is_wait(state) || !cpu_is_interrupted(state) || has_signal(tid))
        return;
    cpu_begin_again(state);
    (void)cpu_set_general(tid, state);
}

/* Releases a thread that has stopped too late for this command. */
static void release_late(void)
{
    static struct cpu_state state;
    int status;
    for (pid_t tid; (tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0;) {
        int signal = WIFSTOPPED(status) ? signal_of(status) : 0;
        if (WIFSTOPPED(status) && !signal && cpu_get(tid, &state))
            undo_interrupt(tid, &state);
        (void)ptrace(PTRACE_DETACH, tid, NULL, (void *)(uintptr_t)signal);
    }
}

/*
 * A thread taken away from the thread's own work. If this command is killed, or gives up, the
 * thread goes on alone: everything run by the thread ends in a frame, and the frame restores the
 * thread's registers and signals. For this reason the frame is written first, and removed last.
 */
struct held {
    struct target *target;
    int tid;
    uint64_t mask;
    struct cpu_state before, now;
    struct cpu_state framed; /* as before; an interrupted system call has its own number */
    uint64_t frame;          /* on the thread's stack */
    size_t frame_bytes;
    bool is_apart; /* in the middle of a call: the registers cannot be restored */
};

static unsigned char image[CPU_FRAME_BYTES], under[CPU_FRAME_BYTES];

/* The address of a frame of so many bytes below `end`. */
static uint64_t place_of_frame(uint64_t end, size_t bytes)
{
    return (end - bytes) / CPU_FRAME_ALIGN * CPU_FRAME_ALIGN - CPU_FRAME_ALIGN + CPU_FRAME_OFFSET;
}

/* Writes the frame. The earlier content of the stack is restored later. */
static bool prepare(struct held *held)
{
    const struct target *target = held->target;
    if (ptrace(PTRACE_GETSIGMASK, held->tid, (void *)sizeof held->mask, &held->mask) != 0)
        return false;
    held->framed = held->before;
    cpu_name_call(&held->framed, place_call(target, &held->before));
    /* The first call only computes the frame's size. */
    held->frame_bytes = cpu_frame(&held->framed, held->mask, target->signal_return, 0, image);
    held->frame = place_of_frame(cpu_stack(&held->before) - CPU_UNDER_STACK, held->frame_bytes);
    (void)cpu_frame(&held->framed, held->mask, target->signal_return, held->frame, image);
    return target_read(target, held->frame, under, held->frame_bytes) &&
           target_write(target, held->frame, image, held->frame_bytes);
}

static void let_go(struct held *held)
{
    int status;
    if (held->is_apart) {
        (void)ptrace(PTRACE_INTERRUPT, held->tid, NULL, NULL);
        (void)wait_for_stop(held->tid, &status, STOP_MS);
    } else {
        (void)ptrace(PTRACE_SETSIGMASK, held->tid, (void *)sizeof held->mask, &held->mask);
        (void)cpu_set(held->tid, &held->before);
        (void)target_write(held->target, held->frame, under, held->frame_bytes);
    }
    (void)ptrace(PTRACE_DETACH, held->tid, NULL, NULL);
}

/* ---- actions of the thread ---- */

static bool block_signals(const struct held *held)
{
    uint64_t all = UINT64_MAX;
    return ptrace(PTRACE_SETSIGMASK, held->tid, (void *)sizeof all, &all) == 0;
}

/* Into the kernel, and back out of the kernel. */
static bool do_system_call(struct held *held, long number, const uint64_t argument[6],
                           uint64_t *result)
{
    held->now = held->before;
    cpu_do_system_call(&held->now, held->target->system_call, held->frame, number, argument);
    held->is_apart = true;
    if (!cpu_set_general(held->tid, &held->now) || !block_signals(held) ||
        !run_to_kernel(held->tid) || !run_to_kernel(held->tid) || !cpu_get(held->tid, &held->now))
        return false;
    *result = cpu_result(&held->now);
    return *result < (uint64_t)-PAGE;
}

static uint64_t map(struct held *held, uint64_t bytes, int protection)
{
    uint64_t address = 0;
    const uint64_t argument[6] = {
        0, bytes, (uint64_t)protection, MAP_PRIVATE | MAP_ANONYMOUS, (uint64_t)-1, 0};
    return do_system_call(held, SYS_mmap, argument, &address) ? address : 0;
}

/* The function returns to `back`, in front of a frame at `stack`. */
static bool do_call(struct held *held, uint64_t function, uint64_t stack, uint64_t back,
                    const uint64_t argument[4], uint64_t *result)
{
    size_t bytes = cpu_frame(&held->framed, held->mask, back, stack, image);
    held->now = held->before;
    cpu_do_call(&held->now, function, stack, argument);
    if (!target_write(held->target, stack, image, bytes) || !cpu_set_general(held->tid, &held->now))
        return false;
    do
        if (!run_to_kernel(held->tid) || !cpu_get(held->tid, &held->now))
            return false;
    while (!cpu_is_back(&held->now, back, result));
    cpu_do_back_again(&held->now);
    held->is_apart = !cpu_set_general(held->tid, &held->now) || !run_to_interrupt(held->tid);
    return !held->is_apart;
}

/* The address of the order there; 0: no thread was started. */
static uint64_t start_thread(struct held *held, struct attach_order *order)
{
    enum { STUB_AT = 64 };
    size_t code_bytes;
    const void *stub = attach_stub(&code_bytes);
    const struct target *target = held->target;
    uint64_t code = map(held, PAGE, PROT_READ | PROT_EXEC);
    uint64_t data = code ? map(held, STACK + sizeof *order, PROT_READ | PROT_WRITE) : 0;
    uint64_t place = data + STACK, failed = 1;
    const uint64_t argument[4] = {data, 0, code + STUB_AT, place};
    if (!data || code_bytes > PAGE / 2 || !target_write(target, place, order, sizeof *order) ||
        !target_write(target, code, cpu_back, sizeof cpu_back) ||
        !target_write(target, argument[2], stub, code_bytes))
        return 0;
    bool is_done = do_call(held, target->functions.create, place_of_frame(place, CPU_FRAME_BYTES),
                           code, argument, &failed);
    return is_done && (uint32_t)failed == 0 ? place : 0;
}

/* ---- choice of the thread ---- */

enum outcome { OUTCOME_LATER, OUTCOME_DONE, OUTCOME_FORBIDDEN, OUTCOME_FAILED };

static bool may_trace; /* tracing was possible once: a refused thread just stops late */

static int n_forbidden; /* refusals in a row, without a tracer as explanation */

/*
 * A thread can have only one tracer: a second command has the thread, or had the thread just now.
 */
static enum outcome not_permitted(int tid)
{
    enum { SURE = 5 };
    if (tracer_of(tid) == TRACER_NONE)
        return ++n_forbidden < SURE ? OUTCOME_LATER : OUTCOME_FORBIDDEN;
    n_forbidden = 0;
    return OUTCOME_LATER;
}

static enum outcome try_thread(struct target *target, int tid, struct attach_order *order,
                               uint64_t *place)
{
    static struct held held;
    int status;
    held = (struct held){.target = target, .tid = tid};
    if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)(uintptr_t)PTRACE_O_TRACESYSGOOD) != 0)
        return (errno == EPERM || errno == ENOSYS) && !may_trace ? not_permitted(tid)
                                                                 : OUTCOME_LATER;
    may_trace = true;
    if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0 || !wait_for_stop(tid, &status, STOP_MS)) {
        (void)ptrace(PTRACE_DETACH, tid, NULL, NULL);
        return OUTCOME_LATER;
    }
    int signal = signal_of(status); /* the signal that the thread was about to get */
    bool is_known = !signal && WSTOPSIG(status) == SIGTRAP && cpu_get(tid, &held.before);
    bool is_safe = is_known && place_is_safe(target, tid, &held.before);
    if (is_known)
        undo_interrupt(tid, &held.before);
    if (!is_safe || !prepare(&held)) {
        (void)ptrace(PTRACE_DETACH, tid, NULL, (void *)(uintptr_t)signal);
        return OUTCOME_LATER;
    }
    *place = start_thread(&held, order);
    let_go(&held);
    return *place ? OUTCOME_DONE : OUTCOME_FAILED;
}

/* Tries the main thread first, and then the threads in the order of the folder. */
static enum outcome try_threads(struct target *target, struct attach_order *order, uint64_t *place)
{
    char path[64];
    enum outcome outcome = try_thread(target, target->pid, order, place);
    snprintf(path, sizeof path, "/proc/%d/task", target->pid);
    DIR *folder = outcome == OUTCOME_LATER ? opendir(path) : NULL;
    for (struct dirent *entry; folder && outcome == OUTCOME_LATER && (entry = readdir(folder));) {
        int tid = (int)strtol(entry->d_name, NULL, 10);
        if (tid > 0 && tid != target->pid)
            outcome = try_thread(target, tid, order, place);
    }
    if (folder)
        closedir(folder);
    return outcome;
}

static const char *reason_of_absence(const struct target *target)
{
    char state = '\0';
    struct spur_procfs_stat stat;
    if (spur_procfs_stat(target->pid, &stat))
        state = stat.state;
    return !state ? REFUSAL_GONE : state == 'Z' || state == 'X' ? REFUSAL_ENDING : REFUSAL_EXECUTED;
}

/* The thread there may have to wait for a lock of the program: as long as the process is there. */
const char *inject_await(const struct target *target, uint64_t place, enum attach_state state,
                         struct attach_order *order)
{
    for (;;) {
        if (!target_read(target, place, order, sizeof *order))
            return reason_of_absence(target);
        enum attach_state now = atomic_load(&order->state);
        if (now == state || now == ATTACH_DONE)
            return NULL;
        release_late();
        nap();
    }
}

void inject_go(const struct target *target, uint64_t place)
{
    const uint32_t go = ATTACH_GO;
    (void)target_write(target, place + offsetof(struct attach_order, state), &go, sizeof go);
}

/* False after exec(): a new program has different memory. */
static bool is_there(const struct target *target)
{
    unsigned char byte;
    return target_read(target, target->system_call, &byte, sizeof byte);
}

const char *inject(struct target *target, struct attach_order *order, uint64_t *place)
{
    const long end = now_ms() + TRIES_MS;
    enum outcome outcome;
    *place = 0;
#define FUNCTION(name) memcpy(&order->name, &target->functions.name, sizeof order->name)
    FUNCTION(open);
    FUNCTION(symbol);
    FUNCTION(error);
    FUNCTION(self);
    FUNCTION(detach);
#undef FUNCTION
    may_trace = false;
    n_forbidden = 0;
    while ((outcome = try_threads(target, order, place)) == OUTCOME_LATER && now_ms() < end &&
           is_there(target)) {
        release_late();
        nap();
    }
    if (outcome == OUTCOME_DONE)
        return inject_await(target, *place, ATTACH_READY, order);
    if (outcome == OUTCOME_FORBIDDEN)
        return refusal_of_errno(target->pid, EPERM);
    if (outcome == OUTCOME_FAILED)
        return "no thread could be started in it";
    if (!is_there(target))
        return reason_of_absence(target);
    const enum tracer tracer = tracer_of(target->pid);
    return tracer == TRACER_SPUR ? REFUSAL_BUSY : tracer ? REFUSAL_TRACED : REFUSAL_PLACE;
}
