/* SPDX-License-Identifier: BSD-3-Clause */
/* The programs of call frame information, as the DWARF standard and the LSB describe them. */
#ifndef SPUR_CFI_PROGRAM_H
#define SPUR_CFI_PROGRAM_H

#include "agent/stacks/cfi.h"
#include "agent/stacks/cfi_processor.h"

/* A copy of an entry of .eh_frame, behind its length, and where it lies. */
struct cfi_entry {
    const uint8_t *bytes;
    size_t length;
    uintptr_t at;
};

/* The rule at `pc`, of the entry `fde` that refers to `cie`. Pure; believes nothing. */
bool cfi_run(const struct cfi_processor *processor, const struct cfi_entry *cie,
             const struct cfi_entry *fde, uintptr_t pc, struct spur_cfi_rule *rule);

/* The code that `fde` is about: from *start on, up to *end. False: nobody can say. */
bool cfi_range(const struct cfi_processor *processor, const struct cfi_entry *cie,
               const struct cfi_entry *fde, uintptr_t *start, uintptr_t *end);

#endif
