/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How to get from a frame of the stack to its caller's, by the call frame information (.eh_frame)
 * that compilers put into every object: at any instruction, without debug information or frame
 * pointers. For signal handlers: it takes no lock of the loader, and runs no code of the program's
 * unwinder. It reads memory by process_vm_readv(2), so that an address that is wrong or just being
 * unmapped is no fault. What was found is kept by address.
 */
#ifndef SPUR_CFI_H
#define SPUR_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where something is, relative to a register (its DWARF number) or to the frame itself. CONTEXT: in
 * what the kernel has put on the stack for a signal, with all registers of the caller. UNKNOWN: it
 * is somewhere, but not so that this module understands it.
 */
enum { SPUR_CFI_CONTEXT = 0xfb, SPUR_CFI_UNKNOWN, SPUR_CFI_CFA, SPUR_CFI_SAME, SPUR_CFI_NOWHERE };

struct spur_cfi_place {
    uint8_t base;
    bool is_read; /* the word that lies there is meant */
    int32_t offset;
};

struct spur_cfi_rule {
    struct spur_cfi_place frame;   /* the caller's stack pointer */
    struct spur_cfi_place pointer; /* the caller's frame pointer */
    struct spur_cfi_place address; /* to which it returns; nowhere: the outermost frame */
    bool is_signal;                /* of a signal handler: the caller was interrupted there */
    bool is_plt; /* one word more is on the stack in the second half of 16 bytes */
};

/*
 * The rule at the instruction `pc` (for a return address: of the call, one byte before). False:
 * there is none. Keeps errno. May take a lock of this module, of the agent's memory and of
 * agent/stacks/code_map.h.
 */
bool spur_cfi_find(uintptr_t pc, struct spur_cfi_rule *rule);

/* Memory of this process that may be gone: how many bytes of it were copied. */
size_t spur_cfi_read(uintptr_t from, void *to, size_t bytes);

/* False where the kernel or the processor does not let it work. May be called again. */
bool spur_cfi_start(void);
void spur_cfi_after_fork(void);

#endif
