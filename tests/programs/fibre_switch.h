/* SPDX-License-Identifier: BSD-3-Clause */
/* Changing from one stack to another, in the ways that libraries of fibres do it. */
#ifndef FIBRE_SWITCH_H
#define FIBRE_SWITCH_H

#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

enum { STACK_BYTES = 64 << 10 };

struct fibre {
    ucontext_t context;
    void *stack_pointer; /* of the switch by hand */
    sigjmp_buf jump;
    pthread_mutex_t mutex;
    char *stack;
    int is_done;
};

typedef void change(struct fibre *from, struct fibre *to);

static void change_context(struct fibre *from, struct fibre *to)
{
    swapcontext(&from->context, &to->context);
}

/* As libraries of fibres do it that want to be quick; by the C library where we have no code. */
#if defined(__x86_64__)
void change_by_hand(void **from, void *to);
__asm__(".text\n"
        "change_by_hand:\n"
        "    push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
        "    mov %rsp, (%rdi)\n"
        "    mov %rsi, %rsp\n"
        "    pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
        "    ret\n");

static void change_stack(struct fibre *from, struct fibre *to)
{
    change_by_hand(&from->stack_pointer, to->stack_pointer);
}

static void prepare(struct fibre *fibre, void (*body)(void))
{
    enum { REGISTERS = 6, ABOVE = 4 };
    uintptr_t *top = (uintptr_t *)(fibre->stack + STACK_BYTES) - ABOVE;
    top[1] = 0; /* where a call would have left its return address */
    top[0] = (uintptr_t)body;
    memset(top - REGISTERS, 0, REGISTERS * sizeof *top);
    fibre->stack_pointer = top - REGISTERS;
}
#else
static void change_stack(struct fibre *from, struct fibre *to)
{
    change_context(from, to);
}

static void prepare(struct fibre *fibre, void (*body)(void))
{
    (void)fibre, (void)body;
}
#endif

/* As coroutine libraries do it that begin with a context and go on by jumps. */
static void change_by_jump(struct fibre *from, struct fibre *to)
{
    if (sigsetjmp(from->jump, 1) == 0) {
        if (to->stack_pointer)
            siglongjmp(to->jump, 1);
        to->stack_pointer = to;
        from->stack_pointer = from;
        setcontext(&to->context);
    }
}

#endif
