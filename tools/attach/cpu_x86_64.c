/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/attach/cpu.h"

#include <elf.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

const unsigned char cpu_trap[CPU_TRAP_BYTES] = {0xcc, 0xcc, 0xcc, 0xcc};

bool cpu_get(int tid, struct cpu_state *state)
{
    struct iovec wide = {state->wide, sizeof state->wide};
    if (ptrace(PTRACE_GETREGS, tid, NULL, &state->registers) != 0 ||
        ptrace(PTRACE_GETREGSET, tid, (void *)(uintptr_t)NT_X86_XSTATE, &wide) != 0)
        return false;
    state->wide_bytes = wide.iov_len;
    return wide.iov_len < sizeof state->wide;
}

bool cpu_set(int tid, const struct cpu_state *state)
{
    struct iovec wide = {(void *)(uintptr_t)state->wide, state->wide_bytes};
    return ptrace(PTRACE_SETREGSET, tid, (void *)(uintptr_t)NT_X86_XSTATE, &wide) == 0 &&
           ptrace(PTRACE_SETREGS, tid, NULL, &state->registers) == 0;
}

uint64_t cpu_program_counter(const struct cpu_state *state)
{
    return state->registers.rip;
}

uint64_t cpu_stack(const struct cpu_state *state)
{
    return state->registers.rsp;
}

long cpu_system_call(const struct cpu_state *state, int argument, uint64_t *value)
{
    const uint64_t arguments[] = {state->registers.rdi, state->registers.rsi, state->registers.rdx};
    *value = arguments[argument];
    return (long)state->registers.orig_rax;
}

bool cpu_has_c_thread(const struct cpu_state *state, uint64_t *at)
{
    enum { OWN_ADDRESS = 16 };
    *at = state->registers.fs_base + OWN_ADDRESS;
    return state->registers.fs_base != 0;
}

/* call rel32; or ff /2 with its addressing bytes: 2 to 7 bytes, and one more for a prefix. */
bool cpu_is_return(const unsigned char *before, size_t n)
{
    enum { NEAR = 5, SHORTEST = 2, LONGEST = 7 };
    const unsigned char *end = before + n;
    if (n >= NEAR && end[-NEAR] == 0xe8)
        return true;
    for (size_t length = SHORTEST; length <= LONGEST && length <= n; length++)
        if (end[-(int)length] == 0xff && (end[1 - (int)length] & 0x38) == 0x10)
            return true;
    return false;
}

/* mov $15, %rax; syscall */
bool cpu_is_signal_return(const unsigned char *code)
{
    static const unsigned char restorer[CPU_SIGNAL_RETURN] = {0x48, 0xc7, 0xc0, 0x0f, 0,
                                                              0,    0,    0x0f, 0x05};
    return memcmp(code, restorer, sizeof restorer) == 0;
}

/* No system call is to be started again when the thread goes on. */
void cpu_do_system_call(struct cpu_state *state, uint64_t at, long number,
                        const uint64_t argument[6])
{
    struct user_regs_struct *r = &state->registers;
    r->orig_rax = UINT64_MAX;
    r->rax = (uint64_t)number;
    r->rdi = argument[0];
    r->rsi = argument[1];
    r->rdx = argument[2];
    r->r10 = argument[3];
    r->r8 = argument[4];
    r->r9 = argument[5];
    r->rip = at;
}

/* At a function's begin the stack is 8 bytes off 16. Flags: no direction, no stepping. */
void cpu_do_call(struct cpu_state *state, uint64_t function, uint64_t stack,
                 const uint64_t argument[4])
{
    enum { FLAGS = 0x202 };
    struct user_regs_struct *r = &state->registers;
    r->orig_rax = UINT64_MAX;
    r->rax = 0;
    r->rdi = argument[0];
    r->rsi = argument[1];
    r->rdx = argument[2];
    r->rcx = argument[3];
    r->rsp = stack;
    r->rbp = 0;
    r->eflags = FLAGS;
    r->rip = function;
}

uint64_t cpu_result(const struct cpu_state *state)
{
    return state->registers.rax;
}
