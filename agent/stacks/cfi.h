/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way from a frame of the stack to the frame of its caller, by the call frame information
 * (.eh_frame) that compilers put into every object: at any instruction, without debug information
 * or frame pointers. For signal handlers: the module takes no lock of the loader, and runs no code
 * of the program's unwinder. Memory is read by process_vm_readv(2), so an address that is wrong or
 * just being unmapped is no fault. Results are kept by address.
 */
#ifndef SPUR_CFI_H
#define SPUR_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The place of a value, relative to a register (its DWARF number) or to the frame itself. CONTEXT:
 * in the kernel's data on the stack for a signal, with all registers of the caller. UNKNOWN: a
 * place that this module does not understand.
 */
enum { SPUR_CFI_CONTEXT = 0xfb, SPUR_CFI_UNKNOWN, SPUR_CFI_CFA, SPUR_CFI_SAME, SPUR_CFI_NOWHERE };

struct spur_cfi_place {
    uint8_t base;
    bool is_read; /* the word at the place is meant */
    int32_t offset;
};

struct spur_cfi_rule {
    struct spur_cfi_place frame;   /* the caller's stack pointer */
    struct spur_cfi_place pointer; /* the caller's frame pointer */
    struct spur_cfi_place address; /* the return address; nowhere: the outermost frame */
    bool is_signal;                /* of a signal handler: the caller was interrupted there */
    bool is_plt; /* one word more is on the stack in the second half of 16 bytes */
};

/*
 * The rule at the instruction `pc` (for a return address: of the call, one byte before). False: no
 * rule. Keeps errno. May take a lock of this module, of the agent's memory and of
 * agent/stacks/code_map.h.
 */
bool spur_cfi_find(uintptr_t pc, struct spur_cfi_rule *rule);

/* Copy memory of this process that may be gone: returns the number of bytes copied. */
size_t spur_cfi_read(uintptr_t from, void *to, size_t bytes);

/* False where the kernel or the processor does not let the module work. May be called again. */
bool spur_cfi_start(void);
void spur_cfi_after_fork(void);

#endif
