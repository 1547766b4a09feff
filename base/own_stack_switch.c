/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/own_stack_switch.h"

#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#if defined(__x86_64__)
__asm__(".pushsection .text\n"
        ".globl spur_own_stack_switch\n"
        ".hidden spur_own_stack_switch\n"
        ".type spur_own_stack_switch, @function\n"
        "spur_own_stack_switch:\n"
        "    .cfi_startproc\n"
        "    pushq %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset %rbp, -16\n"
        "    movq %rsp, %rbp\n"
        "    .cfi_def_cfa_register %rbp\n"
        "    movq %rdi, %rax\n"
        "    movq %rsi, %rdi\n"
        "    movq %rdx, %rsp\n"
        "    call *%rax\n"
        "    movq %rbp, %rsp\n"
        "    popq %rbp\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size spur_own_stack_switch, . - spur_own_stack_switch\n"
        ".popsection\n");
#elif defined(__aarch64__)
/* hint #34 is bti c, in case that the linker leads here by a stub. */
__asm__(".pushsection .text\n"
        ".globl spur_own_stack_switch\n"
        ".hidden spur_own_stack_switch\n"
        ".type spur_own_stack_switch, %function\n"
        "spur_own_stack_switch:\n"
        "    .cfi_startproc\n"
        "    hint #34\n"
        "    stp x29, x30, [sp, #-16]!\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset x29, -16\n"
        "    .cfi_offset x30, -8\n"
        "    mov x29, sp\n"
        "    .cfi_def_cfa_register x29\n"
        "    mov x9, x0\n"
        "    mov x0, x1\n"
        "    mov sp, x2\n"
        "    blr x9\n"
        "    mov sp, x29\n"
        "    .cfi_def_cfa_register sp\n"
        "    ldp x29, x30, [sp], #16\n"
        "    .cfi_def_cfa_offset 0\n"
        "    .cfi_restore x29\n"
        "    .cfi_restore x30\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size spur_own_stack_switch, . - spur_own_stack_switch\n"
        ".popsection\n");
#elif defined(__riscv)
/* Not by t0: a call through it would be taken for a return, too. */
__asm__(".pushsection .text\n"
        ".globl spur_own_stack_switch\n"
        ".hidden spur_own_stack_switch\n"
        ".type spur_own_stack_switch, @function\n"
        "spur_own_stack_switch:\n"
        "    .cfi_startproc\n"
        "    addi sp, sp, -16\n"
        "    .cfi_def_cfa_offset 16\n"
        "    sd ra, 8(sp)\n"
        "    sd s0, 0(sp)\n"
        "    .cfi_offset ra, -8\n"
        "    .cfi_offset s0, -16\n"
        "    addi s0, sp, 16\n"
        "    .cfi_def_cfa s0, 0\n"
        "    mv t1, a0\n"
        "    mv a0, a1\n"
        "    mv sp, a2\n"
        "    jalr t1\n"
        "    addi sp, s0, -16\n"
        "    .cfi_def_cfa sp, 16\n"
        "    ld ra, 8(sp)\n"
        "    ld s0, 0(sp)\n"
        "    .cfi_restore ra\n"
        "    .cfi_restore s0\n"
        "    addi sp, sp, 16\n"
        "    .cfi_def_cfa_offset 0\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size spur_own_stack_switch, . - spur_own_stack_switch\n"
        ".popsection\n");
#else
void spur_own_stack_switch(void (*call)(void *), void *arg, void *top)
{
    spur_own_stack_switch_c(call, arg, top);
}
#endif

struct crossing {
    void (*call)(void *);
    void *arg;
};

/* makecontext() passes int only. */
static void cross(unsigned high, unsigned low)
{
    uintptr_t word = (uintptr_t)((uint64_t)high << 32 | low);
    struct crossing crossing = *(const struct crossing *)word; // NOLINT(performance-no-int-to-ptr)
    crossing.call(crossing.arg);
}

/* The part of the stack that is used is not known to end where it is mapped; it is large enough. */
void spur_own_stack_switch_c(void (*call)(void *), void *arg, void *top)
{
    enum { BYTES = 128 << 10 };
    ucontext_t here, there;
    struct crossing crossing = {call, arg};
    uint64_t word = (uintptr_t)&crossing;
    void (*function)(unsigned, unsigned) = cross;
    void (*entry)(void);
    if (getcontext(&there) != 0) {
        call(arg);
        return;
    }
    there.uc_stack.ss_sp = (char *)top - BYTES;
    there.uc_stack.ss_size = BYTES;
    there.uc_link = &here;
    memcpy(&entry, &function, sizeof entry); /* ISO C knows no such call */
    makecontext(&there, entry, 2, (unsigned)(word >> 32), (unsigned)word);
    (void)swapcontext(&here, &there);
}
