/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/attach/attach_place.h"

#include <linux/futex.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

enum { STACK_BYTES = 4 << 20, PIECE = 64 << 10, CALL_BYTES = 8 };

/*
 * Calls in which a thread waits, made by the C library without holding a lock. Calls for memory
 * (mmap, madvise, brk, futex) are not in the list.
 */
struct wait {
    long number;
    bool is_for_bytes;
};

static const struct wait *wait_of(long number)
{
    static const struct wait calls[] = {
#define WAIT(name) {SYS_##name, false},
#define WAIT_FOR_BYTES(name) {SYS_##name, true},
#include "tools/attach/waits.def"
#undef WAIT
#undef WAIT_FOR_BYTES
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (number == calls[i].number)
            return &calls[i];
    return NULL;
}

bool place_is_wait(const struct cpu_state *state)
{
    uint64_t unused;
    return wait_of(cpu_system_call(state, 0, &unused)) != NULL;
}

long place_call(const struct target *target, const struct cpu_state *state)
{
    unsigned char code[CPU_CALL_BYTES];
    uint64_t unused;
    long number = cpu_system_call(state, 0, &unused);
    if (number != SYS_restart_syscall)
        return number;
    long said = target_read(target, cpu_program_counter(state) - sizeof code, code, sizeof code)
                    ? cpu_number_of(code)
                    : -1;
    return said < 0 ? number : said;
}

static bool is_waiting(const struct target *target, const struct cpu_state *state)
{
    const long number = place_call(target, state);
    const struct wait *wait = wait_of(number);
    uint64_t operation;
    (void)cpu_system_call(state, 1, &operation);
    if (wait)
        return !wait->is_for_bytes || cpu_waits(state) || cpu_is_interrupted(state);
    /*
     * Conditions, joins and semaphores wait with FUTEX_WAIT_BITSET; the C library's own locks do
     * not.
     */
    return number == SYS_futex && ((int)operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
}

/*
 * Does a frame on the stack return to code in which a thread may hold needed locks? Code called by
 * the loader may wait in the C library and start threads, as constructors do. So a thread that
 * waits there holds no lock, whatever the loader has left on the thread's stack.
 */
static bool is_bad_return(const struct target *target, uint64_t word, bool is_waiting_there)
{
    unsigned char code[CALL_BYTES + CPU_SIGNAL_RETURN];
    const struct target_mapping *mapping = target_mapping_of(target, word);
    if (!mapping || mapping->code == CODE_NONE ||
        !target_read(target, word - CALL_BYTES, code, sizeof code))
        return false;
    if (cpu_is_signal_return(code + CALL_BYTES))
        return true;
    bool may_hold = mapping->code == CODE_LOADER || mapping->code == CODE_MEMORY;
    return may_hold && !is_waiting_there && cpu_is_return(code, CALL_BYTES);
}

/*
 * All words are examined: a stale word of an earlier frame may hide a safe place, but cannot hide
 * an unsafe place.
 */
static bool has_bad_frame(const struct target *target, const struct cpu_state *state,
                          bool is_waiting_there)
{
    static uint64_t words[PIECE / sizeof(uint64_t)];
    uint64_t at = cpu_stack(state) & ~(uint64_t)7;
    const struct target_mapping *stack = target_mapping_of(target, at);
    if (!stack)
        return true;
    uint64_t end = stack->end - at < STACK_BYTES ? stack->end : at + STACK_BYTES;
    while (at < end) {
        uint64_t bytes = end - at < sizeof words ? end - at : sizeof words;
        if (!target_read(target, at, words, bytes))
            return true;
        for (size_t i = 0; i < bytes / sizeof words[0]; i++)
            if (is_bad_return(target, words[i], is_waiting_there))
                return true;
        at += bytes;
    }
    return false;
}

/*
 * Is the thread in a sequence that the kernel must begin again after a move of the thread (rseq)?
 */
static bool is_in_sequence(const struct target *target, int tid)
{
    enum { SEQUENCE_AT = 8 };
    struct __ptrace_rseq_configuration found = {0};
    uint64_t sequence = 0;
    if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, tid, (void *)sizeof found, &found) <= 0 ||
        !found.rseq_abi_pointer)
        return false;
    return !target_read(target, found.rseq_abi_pointer + SEQUENCE_AT, &sequence, sizeof sequence) ||
           sequence != 0;
}

/*
 * A signal handler's frame must fit on the stack: on the stack of the thread, not on a stack of the
 * program's own.
 */
static bool has_own_stack(const struct target *target, uint64_t stack, uint64_t thread)
{
    const struct target_mapping *mapping = target_mapping_of(target, stack);
    return mapping &&
           (mapping->is_stack || (mapping == target_mapping_of(target, thread) &&
                                  stack - mapping->start > 2 * (uint64_t)CPU_FRAME_BYTES));
}

bool place_is_safe(const struct target *target, int tid, const struct cpu_state *state)
{
    uint64_t thread, own;
    const struct target_mapping *code = target_mapping_of(target, cpu_program_counter(state));
    if (!cpu_has_c_thread(state, &thread) || !target_read(target, thread, &own, sizeof own) ||
        own != thread - 16)
        return false;
    if (!has_own_stack(target, cpu_stack(state), thread) || is_in_sequence(target, tid))
        return false;
    bool is_in_loader = code && code->code == CODE_LOADER; /* with system calls of its own */
    bool is_waiting_there = is_waiting(target, state) && !is_in_loader;
    if (!is_waiting_there && (!code || code->code != CODE_OTHER || target->has_own_memory))
        return false;
    return !has_bad_frame(target, state, is_waiting_there);
}
