/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/stacks/cfi_processor.h"

#include <string.h>

const struct cfi_processor cfi_processors[SPUR_PROCESSORS] = {
#define PROCESSOR(NAME, stack, pointer, link, address, pushed, ...)                                \
    {SPUR_##NAME, stack, pointer, link, SPUR_##NAME##_REGISTERS, pushed},
#include "base/processors.def"
};

enum kind { OTHER, STUB, JUMP, SYSCALL, TRAP };

static const struct code {
    enum spur_processor_id id;
    enum kind kind;
    uint32_t mask, value;
} known[] = {
#define CODE(NAME, kind, mask, value) {SPUR_##NAME, kind, mask, value},
#include "base/processors.def"
};

/* The n-th instruction; all that matter have four bytes. */
static enum kind kind_of(const struct cfi_processor *processor, const uint8_t *code, size_t bytes,
                         size_t n)
{
    uint32_t word;
    if ((n + 1) * sizeof word > bytes)
        return OTHER;
    memcpy(&word, code + n * sizeof word, sizeof word);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].id == processor->id && (word & known[i].mask) == known[i].value)
            return known[i].kind;
    return OTHER;
}

bool cfi_by_code(const struct cfi_processor *processor, const uint8_t *code, size_t bytes,
                 bool is_end, struct spur_cfi_rule *rule)
{
    static const struct spur_cfi_place same = {SPUR_CFI_SAME, false, 0};
    *rule = (struct spur_cfi_rule){.pointer = same, .address = same};
    if (is_end) {
        rule->frame.base = SPUR_CFI_CONTEXT;
        rule->is_signal = true;
        return kind_of(processor, code, bytes, 0) == SYSCALL &&
               kind_of(processor, code, bytes, 1) == TRAP;
    }
    size_t n = 0;
    while (kind_of(processor, code, bytes, n) == STUB)
        n++;
    rule->frame.base = processor->stack;
    return kind_of(processor, code, bytes, n) == JUMP;
}
