/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The processor, as far as attaching knows about processors: a source file for each kind. On an
 * unsupported processor the command is unknown_processor.c, which refuses. A thread is stopped by
 * ptrace(2) while its state is read or written.
 */
#ifndef TOOLS_ATTACH_CPU_H
#define TOOLS_ATTACH_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

enum {
    CPU_WIDE_BYTES = 16 << 10,
    CPU_SIGNAL_RETURN = 9,
    CPU_BACK_BYTES = 10,
    CPU_CALL_BYTES = 7,
    CPU_UNDER_STACK = 128, /* the red zone: a function may use these bytes unannounced */
    CPU_FRAME_ALIGN = 64,
    CPU_FRAME_OFFSET = 56, /* puts the frame at a called function's return address */
    CPU_FRAME_HEAD = 328,
    CPU_FRAME_BYTES = CPU_FRAME_HEAD + CPU_WIDE_BYTES + 4,
};

struct cpu_state {
    struct user_regs_struct registers;
    size_t wide_bytes;
    unsigned char wide[CPU_WIDE_BYTES]; /* vector registers, as the kernel writes them */
};

bool cpu_get(int tid, struct cpu_state *state);
bool cpu_set(int tid, const struct cpu_state *state);
bool cpu_set_general(int tid, const struct cpu_state *state); /* all but the vector registers */

uint64_t cpu_program_counter(const struct cpu_state *state);
uint64_t cpu_stack(const struct cpu_state *state);
/* The system call that the stop interrupted, with an argument of the call; -1: no call. */
long cpu_system_call(const struct cpu_state *state, int argument, uint64_t *value);
/*
 * The number of the system call that this code makes, in the form of the C library; -1: other code.
 */
long cpu_number_of(const unsigned char code[CPU_CALL_BYTES]);
/* Note that the thread is in the system call of this number. */
void cpu_name_call(struct cpu_state *state, long number);
/* Did the interrupted call wait, so that the kernel begins the call again? */
bool cpu_waits(const struct cpu_state *state);
/*
 * Did the system call fail with EINTR? cpu_begin_again() lets the thread make the call once more.
 */
bool cpu_is_interrupted(const struct cpu_state *state);
void cpu_begin_again(struct cpu_state *state);
/*
 * The thread's own structure in the C library. The structure holds a pointer to itself `at` this
 * address.
 */
bool cpu_has_c_thread(const struct cpu_state *state, uint64_t *at);

/* Is the address between these bytes, before and behind, a return address of a call? */
bool cpu_is_return(const unsigned char *before, size_t n);
/* Is this the code to which a signal handler returns? */
bool cpu_is_signal_return(const unsigned char *code);

/*
 * The frame that the kernel puts on the stack for a signal handler, for `at` = a multiple of
 * CPU_FRAME_ALIGN + CPU_FRAME_OFFSET. A function that returns through the frame gives the thread
 * this state and this mask of signals. An interrupted system call is begun again. `back`: code that
 * ends a handler. Returns the number of bytes, at most CPU_FRAME_BYTES.
 */
size_t cpu_frame(const struct cpu_state *state, uint64_t mask, uint64_t back, uint64_t at,
                 unsigned char *frame);

/*
 * Set the next action of a thread: a system call by the instruction at `at`, or a function. `stack`
 * holds the address to which the function returns.
 */
void cpu_do_system_call(struct cpu_state *state, uint64_t at, uint64_t stack, long number,
                        const uint64_t argument[6]);
void cpu_do_call(struct cpu_state *state, uint64_t function, uint64_t stack,
                 const uint64_t argument[4]);
uint64_t cpu_result(const struct cpu_state *state);

/*
 * Code that ends a handler and keeps the result of a function. cpu_is_back(): the thread is there
 * now, about to call the kernel. cpu_do_back_again(): let the thread call the kernel again.
 */
extern const unsigned char cpu_back[CPU_BACK_BYTES];
bool cpu_is_back(const struct cpu_state *state, uint64_t back, uint64_t *result);
void cpu_do_back_again(struct cpu_state *state);

/* Two pieces of code in every C library: a system call and a return; the end of a handler. */
extern const unsigned char cpu_call_and_return[3], cpu_signal_return[CPU_SIGNAL_RETURN];

#endif
