/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * longjmp() and its other names: the wrapped calls dropped by the jump are left first. The target
 * is in the buffer, in a form that the C library means for nobody else: the stack pointer, mixed
 * with a number of the process. A test at the start tells whether the form is still the same. If
 * the form is different, or on other processors, the regions stay open until the thread ends. If
 * one of the regions guards, nothing more of the thread is recorded.
 */
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include "wrappers/kit/wrapper.h"

typedef void (*jump)(struct __jmp_buf_tag *, int);

enum jump_call { CALL_longjmp, CALL__longjmp, CALL_siglongjmp, CALL___longjmp_chk, JUMP_CALLS };

#define ROW(name_) [CALL_##name_] = {.call = {.name = #name_}}
static struct wrapper_function jumps[JUMP_CALLS] = {ROW(longjmp), ROW(_longjmp), ROW(siglongjmp),
                                                    ROW(__longjmp_chk)};
static bool knows_stack;

#if defined(__x86_64__)
/* The stack pointer at the place of the call of setjmp(). */
static const void *stack_of(const struct __jmp_buf_tag *buffer)
{
    enum { STACK_POINTER = 6, TURN = 17, WORD = 64 };
    uint64_t mixed = (uint64_t)buffer->__jmpbuf[STACK_POINTER];
    uint64_t secret;
    __asm__("mov %%fs:0x30, %0" : "=r"(secret));
    uint64_t address = (mixed >> TURN | mixed << (WORD - TURN)) ^ secret;
    const void *stack;
    memcpy(&stack, &address, sizeof stack);
    return stack;
}

static void learn(void)
{
}
#elif defined(__aarch64__) || defined(__riscv)
/*
 * The stack pointer is mixed with the number by an exclusive or, or not at all: one buffer of a
 * known place tells the number.
 */
enum { STACK_POINTER = 13 };
#if defined(__aarch64__)
#define SPUR_GET_STACK "mov %0, sp"
#else
#define SPUR_GET_STACK "mv %0, sp"
#endif
static uint64_t secret;

static const void *stack_of(const struct __jmp_buf_tag *buffer)
{
    uint64_t mixed, address;
    const void *stack;
    memcpy(&mixed, (const char *)buffer->__jmpbuf + STACK_POINTER * sizeof mixed, sizeof mixed);
    address = mixed ^ secret;
    memcpy(&stack, &address, sizeof stack);
    return stack;
}

static __attribute__((noinline)) void learn(void)
{
    jmp_buf here;
    uint64_t stack;
    __asm__ volatile(SPUR_GET_STACK : "=r"(stack));
    secret = 0;
    if (setjmp(here) == 0) /* NOLINT(cert-err52-cpp): nobody jumps there */
        secret = (uintptr_t)stack_of(here) ^ stack;
}
#else
static const void *stack_of(const struct __jmp_buf_tag *buffer)
{
    (void)buffer;
    return NULL;
}

static void learn(void)
{
}
#endif

/* Tests the form with a frame different from the frame of learn(). */
static __attribute__((noinline)) bool is_true(void)
{
    enum { FRAME_BYTES = 4096 };
    jmp_buf here;
    if (setjmp(here) != 0) /* NOLINT(cert-err52-cpp): nobody jumps there */
        return false;
    uintptr_t place = (uintptr_t)&here;
    uintptr_t stack = (uintptr_t)stack_of(here);
    return stack <= place && place - stack < FRAME_BYTES;
}

__attribute__((constructor)) static void start(void)
{
    wrapper_find_all(jumps, JUMP_CALLS);
    learn();
    knows_stack = is_true();
}

static _Noreturn void leave_and_jump(enum jump_call id, struct __jmp_buf_tag *buffer, int value)
{
    jump real = (jump)wrapper_real(&jumps[id]);
    spur_process_goes_on();
    if (knows_stack && spur_jump_matters())
        spur_jump(stack_of(buffer));
    real(buffer, value);
    __builtin_unreachable();
}

void __longjmp_chk(struct __jmp_buf_tag buffer[1], int value) __attribute__((noreturn));

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): reserved in the header */
#define JUMP(name)                                                                                 \
    SPUR_EXPORT void name(struct __jmp_buf_tag buffer[1], int value)                               \
    {                                                                                              \
        leave_and_jump(CALL_##name, buffer, value);                                                \
    }
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
