/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/stacks/cfi_walk.h"

#include <string.h>
#include <ucontext.h>

#include "agent/stacks/cfi.h"

#if defined(__x86_64__)

/* DWARF numbers, and the most that a frame can be long: more than that is no frame. */
enum { REGISTERS = 17, POINTER = 6, STACK = 7, ADDRESS = 16, FRAME_BYTES_MAX = 64 << 20 };

/* The registers of a frame, as far as they are known: bit 1 << number. */
struct registers {
    uint64_t reg[REGISTERS];
    uint32_t known;
};

static void get_interrupted(const void *context, struct registers *frame)
{
    static const uint8_t place[REGISTERS] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                             REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                             REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    const ucontext_t *from = context;
    for (int i = 0; i < REGISTERS; i++)
        frame->reg[i] = (uint64_t)from->uc_mcontext.gregs[place[i]];
    frame->known = (1u << REGISTERS) - 1;
}

static bool read_word(struct spur_stack_window *window, uintptr_t at, uint64_t *word)
{
    const struct spur_stack_span *span = &window->span;
    if (at >= span->low && at < span->high && span->high - at >= sizeof *word) {
        memcpy(word, (const void *)at, sizeof *word); // NOLINT(performance-no-int-to-ptr)
        return true;
    }
    if (at < window->at || at - window->at > window->bytes ||
        window->bytes - (at - window->at) < sizeof *word) {
        window->at = at;
        window->bytes = spur_cfi_read(at, window->copy, sizeof window->copy);
        if (window->bytes < sizeof *word)
            return false;
    }
    memcpy(word, window->copy + (at - window->at), sizeof *word);
    return true;
}

/* What a place holds; false: it is not known. `cfa` is 0 while it is being looked for. */
static bool get_place(struct spur_stack_window *window, const struct registers *frame, uint64_t cfa,
                      const struct spur_cfi_place *place, uint64_t *value)
{
    uint64_t base = cfa;
    if (place->base < REGISTERS) {
        if (!(frame->known >> place->base & 1))
            return false;
        base = frame->reg[place->base];
    } else if (place->base != SPUR_CFI_CFA) {
        return false;
    }
    *value = base + (uint64_t)(int64_t)place->offset;
    return !place->is_read || read_word(window, *value, value);
}

/* The frame of the caller in place of this one; false: there is none, or it cannot be found. */
static bool step(struct spur_stack_window *window, struct registers *frame,
                 const struct spur_cfi_rule *rule, bool *is_whole)
{
    uint64_t cfa, address, pointer = 0;
    *is_whole = rule->address.base == SPUR_CFI_NOWHERE;
    if (*is_whole || !get_place(window, frame, 0, &rule->frame, &cfa))
        return false;
    if (rule->is_plt && (frame->reg[ADDRESS] & 15) >= 11)
        cfa += sizeof(uint64_t);
    /* Only a signal handler may have another stack than what it interrupted. */
    if (cfa % sizeof(uint64_t) ||
        (!rule->is_signal && cfa - frame->reg[STACK] - 1 >= FRAME_BYTES_MAX) ||
        !get_place(window, frame, cfa, &rule->address, &address))
        return false;
    bool has_pointer = rule->pointer.base == SPUR_CFI_SAME
                           ? frame->known >> POINTER & 1
                           : get_place(window, frame, cfa, &rule->pointer, &pointer);
    if (rule->pointer.base == SPUR_CFI_SAME)
        pointer = frame->reg[POINTER];
    frame->reg[STACK] = cfa;
    frame->reg[POINTER] = pointer;
    frame->reg[ADDRESS] = address;
    frame->known = 1u << STACK | 1u << ADDRESS | (uint32_t)has_pointer << POINTER;
    *is_whole = !address;
    return address;
}

static uint32_t walk(struct registers *here, struct spur_stack_window *window, const void **frame,
                     uint32_t room, bool *is_whole)
{
    struct spur_cfi_rule rule;
    bool is_exact = true; /* no call: the instruction where the walk begins */
    uint32_t n = 0;
    window->bytes = 0;
    *is_whole = false;
    while (n < room) {
        uintptr_t pc = here->reg[ADDRESS] - !is_exact;
        frame[n++] = (const void *)(pc + 1); // NOLINT(performance-no-int-to-ptr)
        if (!spur_cfi_find(pc, &rule) || !step(window, here, &rule, is_whole))
            break;
        is_exact = rule.is_signal;
    }
    return n;
}

uint32_t spur_stack_walk(const void *context, struct spur_stack_window *window, const void **frame,
                         uint32_t room, bool *is_whole)
{
    struct registers here;
    window->span = (struct spur_stack_span){0, 0};
    get_interrupted(context, &here);
    return walk(&here, window, frame, room, is_whole);
}

uint32_t spur_stack_walk_from(struct spur_frame from, struct spur_stack_window *window,
                              const void **frame, uint32_t room, bool *is_whole)
{
    struct registers here = {.known = 1u << ADDRESS | 1u << STACK | 1u << POINTER};
    here.reg[ADDRESS] = from.address;
    here.reg[STACK] = from.stack;
    here.reg[POINTER] = from.pointer;
    return walk(&here, window, frame, room, is_whole);
}

#else

uint32_t spur_stack_walk(const void *context, struct spur_stack_window *window, const void **frame,
                         uint32_t room, bool *is_whole)
{
    (void)context, (void)window, (void)frame, (void)room;
    *is_whole = false;
    return 0;
}

uint32_t spur_stack_walk_from(struct spur_frame from, struct spur_stack_window *window,
                              const void **frame, uint32_t room, bool *is_whole)
{
    (void)from;
    return spur_stack_walk(NULL, window, frame, room, is_whole);
}

#endif
