/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/attach/cpu.h"

#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>

enum { SYSTEM_CALL_BYTES = 2 };

/* mov %rax, %rbx; mov $15, %eax; syscall */
const unsigned char cpu_back[CPU_BACK_BYTES] = {0x48, 0x89, 0xc3, 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05};
/* syscall; ret */
const unsigned char cpu_call_and_return[3] = {0x0f, 0x05, 0xc3};
/* mov $15, %rax; syscall */
const unsigned char cpu_signal_return[CPU_SIGNAL_RETURN] = {0x48, 0xc7, 0xc0, 0x0f, 0,
                                                            0,    0,    0x0f, 0x05};

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
           cpu_set_general(tid, state);
}

bool cpu_set_general(int tid, const struct cpu_state *state)
{
    return ptrace(PTRACE_SETREGS, tid, NULL, &state->registers) == 0;
}

uint64_t cpu_program_counter(const struct cpu_state *state)
{
    return state->registers.rip;
}

uint64_t cpu_stack(const struct cpu_state *state)
{
    return state->registers.rsp;
}

/*
 * The kernel has put a restart code in the place of a result: the thread was waiting in the system
 * call.
 */
static bool is_begun_again(const struct user_regs_struct *r)
{
    enum { FIRST_RESTART = 512, LAST_RESTART = 516 };
    const long long result = (long long)r->rax;
    return (long long)r->orig_rax >= 0 && -result >= FIRST_RESTART && -result <= LAST_RESTART &&
           -result != FIRST_RESTART + 3;
}

bool cpu_waits(const struct cpu_state *state)
{
    return is_begun_again(&state->registers);
}

bool cpu_is_interrupted(const struct cpu_state *state)
{
    return (long long)state->registers.orig_rax >= 0 && (long long)state->registers.rax == -EINTR;
}

void cpu_begin_again(struct cpu_state *state)
{
    state->registers.rax = state->registers.orig_rax;
    state->registers.orig_rax = UINT64_MAX;
    state->registers.rip -= SYSTEM_CALL_BYTES;
}

long cpu_system_call(const struct cpu_state *state, int argument, uint64_t *value)
{
    const uint64_t arguments[] = {state->registers.rdi, state->registers.rsi, state->registers.rdx};
    *value = arguments[argument];
    return (long)state->registers.orig_rax;
}

/* mov $number, %eax; syscall */
long cpu_number_of(const unsigned char code[CPU_CALL_BYTES])
{
    enum { MOVE = 0xb8, CALL_AT = 5 };
    int32_t number;
    memcpy(&number, code + 1, sizeof number);
    return code[0] == MOVE && memcmp(code + CALL_AT, cpu_call_and_return, SYSTEM_CALL_BYTES) == 0
               ? number
               : -1;
}

void cpu_name_call(struct cpu_state *state, long number)
{
    state->registers.orig_rax = (unsigned long long)number;
}

bool cpu_has_c_thread(const struct cpu_state *state, uint64_t *at)
{
    enum { OWN_ADDRESS = 16 };
    *at = state->registers.fs_base + OWN_ADDRESS;
    return state->registers.fs_base != 0;
}

/* call rel32; or ff /2 with its addressing bytes: 2 to 7 bytes, and a further byte for a prefix. */
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

bool cpu_is_signal_return(const unsigned char *code)
{
    return memcmp(code, cpu_signal_return, sizeof cpu_signal_return) == 0;
}

/* ---- a frame that restores the state of a thread ---- */

/* The general registers, as left by the kernel before a restart of a system call. */
static void fill_general(greg_t *to, const struct user_regs_struct *r)
{
    const bool is_again = is_begun_again(r);
    const unsigned long long from[][2] = {
        {REG_R8, r->r8},
        {REG_R9, r->r9},
        {REG_R10, r->r10},
        {REG_R11, r->r11},
        {REG_R12, r->r12},
        {REG_R13, r->r13},
        {REG_R14, r->r14},
        {REG_R15, r->r15},
        {REG_RDI, r->rdi},
        {REG_RSI, r->rsi},
        {REG_RBP, r->rbp},
        {REG_RBX, r->rbx},
        {REG_RDX, r->rdx},
        {REG_RCX, r->rcx},
        {REG_RSP, r->rsp},
        {REG_EFL, r->eflags},
        {REG_RAX, is_again ? r->orig_rax : r->rax},
        {REG_RIP, r->rip - (is_again ? SYSTEM_CALL_BYTES : 0)},
        {REG_CSGSFS, (r->cs & 0xffff) | r->ss << 48},
    };
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++)
        to[from[i][0]] = (greg_t)from[i][1];
}

/* The vector registers in use, with the fields that tell the kernel the size. */
static size_t fill_wide(unsigned char *to, const struct cpu_state *state)
{
    enum { LEGACY = 512, SMALLEST = 576, TOLD = 464, LEAF = 13, COMPONENTS = 63 };
    const uint32_t end = FP_XSTATE_MAGIC2;
    uint32_t bytes = SMALLEST;
    uint64_t used;
    memcpy(&used, state->wide + LEGACY, sizeof used);
    for (unsigned i = 2; i < COMPONENTS; i++) {
        unsigned size, offset, flags, none;
        if (used >> i & 1 && __get_cpuid_count(LEAF, i, &size, &offset, &flags, &none) &&
            offset + size > bytes)
            bytes = offset + size;
    }
    if (bytes > state->wide_bytes)
        bytes = (uint32_t)state->wide_bytes;
    const struct _fpx_sw_bytes told = {.magic1 = FP_XSTATE_MAGIC1,
                                       .extended_size = bytes + (uint32_t)sizeof end,
                                       .xstate_bv = used | 3,
                                       .xstate_size = bytes};
    memcpy(to, state->wide, bytes);
    memcpy(to + TOLD, &told, sizeof told);
    memcpy(to + bytes, &end, sizeof end);
    return bytes + sizeof end;
}

size_t cpu_frame(const struct cpu_state *state, uint64_t mask, uint64_t back, uint64_t at,
                 unsigned char *frame)
{
    enum { FLAGS = 7, NO_STACK = 0x7f00 };
    ucontext_t context;
    memset(&context, 0, sizeof context);
    context.uc_flags = FLAGS; /* vector registers, and the stack's segment */
    /*
     * An invalid stack for signals: so the kernel leaves the thread's stack for signals unchanged.
     */
    context.uc_stack.ss_flags = NO_STACK;
    fill_general(context.uc_mcontext.gregs, &state->registers);
    context.uc_mcontext.fpregs = (void *)(uintptr_t)(at + CPU_FRAME_HEAD);
    memcpy(&context.uc_sigmask, &mask, sizeof mask);
    memset(frame, 0, CPU_FRAME_HEAD);
    memcpy(frame, &back, sizeof back);
    memcpy(frame + sizeof back, &context, offsetof(ucontext_t, uc_sigmask) + sizeof mask);
    return CPU_FRAME_HEAD + fill_wide(frame + CPU_FRAME_HEAD, state);
}

bool cpu_is_back(const struct cpu_state *state, uint64_t back, uint64_t *result)
{
    *result = state->registers.rbx;
    return state->registers.orig_rax == SYS_rt_sigreturn &&
           state->registers.rip == back + CPU_BACK_BYTES;
}

void cpu_do_back_again(struct cpu_state *state)
{
    cpu_begin_again(state);
}

/* No system call is to be started again when the thread goes on. */
void cpu_do_system_call(struct cpu_state *state, uint64_t at, uint64_t stack, long number,
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
    r->rsp = stack;
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
