/* SPDX-License-Identifier: BSD-3-Clause */
/* Call frame information as a processor has it, and code that one can do without. */
#ifndef SPUR_CFI_PROCESSOR_H
#define SPUR_CFI_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/stacks/cfi.h"
#include "base/processor.h"

/* A row, as far as entries of .eh_frame are read by it. */
struct cfi_processor {
    enum spur_processor_id id;
    uint8_t stack, pointer, link, registers, pushed;
};

extern const struct cfi_processor cfi_processors[SPUR_PROCESSORS];

enum { CFI_CODE_BYTES = 32 }; /* that cfi_by_code() looks at, at most */

/*
 * The rule at the beginning of `code`, if one can see what that is. `is_end`: the code of a signal
 * handler's end is meant, else that of stubs of the linker.
 */
bool cfi_by_code(const struct cfi_processor *processor, const uint8_t *code, size_t bytes,
                 bool is_end, struct spur_cfi_rule *rule);

#endif
