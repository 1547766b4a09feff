/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread of the process is stopped, at a place where that is safe, for as long as it takes to
 * call mmap() and pthread_create(); all others go on. So locks are waited for by the new thread.
 */
#include "tools/attach/inject.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "tools/attach/attach_place.h"
#include "tools/attach/cpu.h"
#include "tools/attach/refusals.h"
#include "tools/attach/stub.h"

enum { PAGE = 4096, STACK = 64 << 10, STOP_MS = 200, TRIES_MS = 10000 };

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

/* ---- a thread that is stopped ---- */

/* False: the thread has ended, or does not stop; in the kernel it may wait for a disk, or vfork().
 */
static bool wait_for_stop(int tid, int *status, long patience)
{
    const long end = now_ms() + patience;
    for (;;) {
        pid_t seen = waitpid(tid, status, __WALL | WNOHANG);
        if (seen == tid)
            return WIFSTOPPED(*status);
        if (seen < 0 || now_ms() > end)
            return false;
        nap();
    }
}

static bool is_trap(int status)
{
    return WSTOPSIG(status) == SIGTRAP && status >> 16 == 0;
}

/*
 * The thread goes on until it comes back by SIGTRAP. Its signals are blocked, but for faults, and a
 * stop of the whole process, which it takes part in later.
 */
static bool run_until_trap(int tid, enum __ptrace_request how)
{
    int status;
    do {
        if (ptrace(how, tid, NULL, NULL) != 0)
            return false;
        if (waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
            return false;
    } while (status >> 16 != 0);
    return is_trap(status);
}

/* One that has stopped too late for us. */
static void release_late(void)
{
    int status;
    for (pid_t tid; (tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0;) {
        int signal = WIFSTOPPED(status) && status >> 16 == 0 ? WSTOPSIG(status) : 0;
        (void)ptrace(PTRACE_DETACH, tid, NULL, (void *)(uintptr_t)signal);
    }
}

/* Ends with the thread as it was found. */
struct held {
    struct target *target;
    int tid;
    uint64_t mask;
    struct cpu_state before, now;
};

static bool block_signals(struct held *held)
{
    uint64_t all = UINT64_MAX;
    return ptrace(PTRACE_GETSIGMASK, held->tid, (void *)sizeof held->mask, &held->mask) == 0 &&
           ptrace(PTRACE_SETSIGMASK, held->tid, (void *)sizeof all, &all) == 0;
}

static void let_go(struct held *held)
{
    (void)cpu_set(held->tid, &held->before);
    (void)ptrace(PTRACE_SETSIGMASK, held->tid, (void *)sizeof held->mask, &held->mask);
    (void)ptrace(PTRACE_DETACH, held->tid, NULL, NULL);
}

/* ---- what it does ---- */

static bool do_system_call(struct held *held, long number, const uint64_t argument[6],
                           uint64_t *result)
{
    held->now = held->before;
    cpu_do_system_call(&held->now, held->target->system_call, number, argument);
    if (!cpu_set(held->tid, &held->now) || !run_until_trap(held->tid, PTRACE_SINGLESTEP) ||
        !cpu_get(held->tid, &held->now))
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

static bool do_call(struct held *held, uint64_t function, uint64_t stack, uint64_t back,
                    const uint64_t argument[4], uint64_t *result)
{
    stack = (stack & ~(uint64_t)15) - sizeof back;
    held->now = held->before;
    cpu_do_call(&held->now, function, stack, argument);
    if (!target_write(held->target, stack, &back, sizeof back) || !cpu_set(held->tid, &held->now) ||
        !run_until_trap(held->tid, PTRACE_CONT) || !cpu_get(held->tid, &held->now))
        return false;
    *result = cpu_result(&held->now);
    return true;
}

/* The address of the order there; 0: no thread was started. */
static uint64_t start_thread(struct held *held, struct attach_order *order)
{
    size_t code_bytes;
    const void *stub = attach_stub(&code_bytes);
    const struct target *target = held->target;
    uint64_t code = map(held, PAGE, PROT_READ | PROT_EXEC);
    uint64_t data = code ? map(held, STACK + sizeof *order, PROT_READ | PROT_WRITE) : 0;
    uint64_t place = data + STACK, failed = 1;
    const uint64_t argument[4] = {data, 0, code + (uint64_t)CPU_TRAP_BYTES * 4, place};
    if (!data || code_bytes > PAGE / 2 || !target_write(target, place, order, sizeof *order) ||
        !target_write(target, code, cpu_trap, CPU_TRAP_BYTES) ||
        !target_write(target, argument[2], stub, code_bytes))
        return 0;
    bool is_done = do_call(held, target->create, place, code, argument, &failed);
    return is_done && (uint32_t)failed == 0 ? place : 0;
}

/* ---- which thread ---- */

enum outcome { OUTCOME_LATER, OUTCOME_DONE, OUTCOME_FORBIDDEN, OUTCOME_FAILED };

static bool may_trace; /* it was possible once: a thread that is refused is one that stops late */

static enum outcome try_thread(struct target *target, int tid, struct attach_order *order,
                               uint64_t *place)
{
    static struct held held;
    int status;
    held = (struct held){.target = target, .tid = tid};
    if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0)
        return errno == EPERM && !may_trace ? OUTCOME_FORBIDDEN : OUTCOME_LATER;
    may_trace = true;
    if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0 || !wait_for_stop(tid, &status, STOP_MS)) {
        (void)ptrace(PTRACE_DETACH, tid, NULL, NULL);
        return OUTCOME_LATER;
    }
    int signal = status >> 16 == 0 ? WSTOPSIG(status) : 0; /* it was about to get this one */
    if (signal || WSTOPSIG(status) != SIGTRAP || !cpu_get(tid, &held.before) ||
        !place_is_safe(target, &held.before) || !block_signals(&held)) {
        (void)ptrace(PTRACE_DETACH, tid, NULL, (void *)(uintptr_t)signal);
        return OUTCOME_LATER;
    }
    *place = start_thread(&held, order);
    let_go(&held);
    return *place ? OUTCOME_DONE : OUTCOME_FAILED;
}

/* The main thread first, and then as the folder lists them. */
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

/* The thread there may have to wait for a lock of the program: as long as the process is there. */
static const char *await(const struct target *target, uint64_t place, struct attach_order *order)
{
    for (;;) {
        if (!target_read(target, place, order, sizeof *order))
            return REFUSAL_ENDING;
        if (atomic_load(&order->state) == ATTACH_DONE)
            return NULL;
        release_late();
        nap();
    }
}

const char *inject(struct target *target, struct attach_order *order)
{
    const long end = now_ms() + TRIES_MS;
    enum outcome outcome;
    uint64_t place = 0;
#define FUNCTION(name) memcpy(&order->name, &target->name, sizeof order->name)
    FUNCTION(open);
    FUNCTION(symbol);
    FUNCTION(error);
    FUNCTION(self);
    FUNCTION(detach);
#undef FUNCTION
    may_trace = false;
    while ((outcome = try_threads(target, order, &place)) == OUTCOME_LATER && now_ms() < end) {
        release_late();
        nap();
    }
    if (outcome == OUTCOME_DONE)
        return await(target, place, order);
    if (outcome == OUTCOME_FORBIDDEN)
        return refusal_of_errno(target->pid, EPERM);
    if (outcome == OUTCOME_FAILED)
        return "no thread could be started in it";
    return refusal_of_errno(target->pid, 0) == REFUSAL_GONE ? REFUSAL_GONE : REFUSAL_PLACE;
}
