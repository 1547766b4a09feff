/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What Valgrind has to know of the agent to be right about the program: of its stacks, since a
 * change to an unknown one looks as if variables came and went; and where an address is only tried.
 * These are Valgrind's requests for programs: instructions that change nothing, and that only
 * Valgrind knows. Elsewhere, and on other machines, they do nothing. Keep errno.
 */
#ifndef SPUR_VALGRIND_H
#define SPUR_VALGRIND_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SPUR_VALGRIND_RUNS = 0x1001,
    SPUR_VALGRIND_REGISTER = 0x1501,
    SPUR_VALGRIND_DEREGISTER = 0x1502,
    SPUR_VALGRIND_SILENCE = 0x1801
};

static inline uintptr_t spur_valgrind_ask(uintptr_t request, uintptr_t a, uintptr_t b)
{
    const volatile uintptr_t words[6] = {request, a, b, 0, 0, 0};
#if defined(__x86_64__)
    uintptr_t answer;
    __asm__ volatile("rolq $3, %%rdi\n\t"
                     "rolq $13, %%rdi\n\t"
                     "rolq $61, %%rdi\n\t"
                     "rolq $51, %%rdi\n\t"
                     "xchgq %%rbx, %%rbx"
                     : "=d"(answer)
                     : "a"(words), "0"((uintptr_t)0)
                     : "cc", "memory");
    return answer;
#elif defined(__aarch64__)
    register uintptr_t answer __asm__("x3") = 0;
    register const volatile uintptr_t *asked __asm__("x4") = words;
    __asm__ volatile("ror x12, x12, #3\n\t"
                     "ror x12, x12, #13\n\t"
                     "ror x12, x12, #51\n\t"
                     "ror x12, x12, #61\n\t"
                     "orr x10, x10, x10"
                     : "+r"(answer)
                     : "r"(asked)
                     : "cc", "memory");
    return answer;
#else
    return words[1] & 0;
#endif
}

static inline bool spur_is_on_valgrind(void)
{
    return spur_valgrind_ask(SPUR_VALGRIND_RUNS, 0, 0) != 0;
}

/* From its lowest to its last byte. The number of the stack, or 0 without Valgrind. */
static inline uintptr_t spur_valgrind_stack(const char *low, uintptr_t bytes)
{
    return spur_valgrind_ask(SPUR_VALGRIND_REGISTER, (uintptr_t)low, (uintptr_t)low + bytes - 1);
}

static inline void spur_valgrind_no_stack(uintptr_t number)
{
    (void)spur_valgrind_ask(SPUR_VALGRIND_DEREGISTER, number, 0);
}

/* The thread's accesses are not reported until spur_valgrind_unhush(). */
static inline void spur_valgrind_hush(void)
{
    (void)spur_valgrind_ask(SPUR_VALGRIND_SILENCE, 1, 0);
}

static inline void spur_valgrind_unhush(void)
{
    (void)spur_valgrind_ask(SPUR_VALGRIND_SILENCE, UINTPTR_MAX, 0);
}

#endif
