/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The processor, as far as attaching knows it: a file for each. Where there is none, the command is
 * unknown_processor.c, which refuses. A thread is stopped by ptrace(2) while its state is read or
 * written.
 */
#ifndef TOOLS_ATTACH_CPU_H
#define TOOLS_ATTACH_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

enum { CPU_WIDE_BYTES = 16 << 10, CPU_TRAP_BYTES = 4, CPU_SIGNAL_RETURN = 9 };

struct cpu_state {
    struct user_regs_struct registers;
    size_t wide_bytes;
    unsigned char wide[CPU_WIDE_BYTES]; /* vector registers, as the kernel writes them */
};

bool cpu_get(int tid, struct cpu_state *state);
bool cpu_set(int tid, const struct cpu_state *state);

uint64_t cpu_program_counter(const struct cpu_state *state);
uint64_t cpu_stack(const struct cpu_state *state);
/* The system call that the stop has interrupted, with an argument of it; -1: none. */
long cpu_system_call(const struct cpu_state *state, int argument, uint64_t *value);
/* The thread's own structure in the C library, and where that has its own address. */
bool cpu_has_c_thread(const struct cpu_state *state, uint64_t *at);

/* Do these bytes, before the address and behind it, make it one that a call returns to? */
bool cpu_is_return(const unsigned char *before, size_t n);
/* Is the code there what a signal handler returns to? */
bool cpu_is_signal_return(const unsigned char *code);

/* What a thread is to do next: a system call by the instruction at `at`; a function that returns to
 * `back`, with a stack that ends at `stack`. */
void cpu_do_system_call(struct cpu_state *state, uint64_t at, long number,
                        const uint64_t argument[6]);
void cpu_do_call(struct cpu_state *state, uint64_t function, uint64_t stack,
                 const uint64_t argument[4]);
uint64_t cpu_result(const struct cpu_state *state);

/* The code that a called function returns to: stops the thread by SIGTRAP. */
extern const unsigned char cpu_trap[CPU_TRAP_BYTES];

#endif
