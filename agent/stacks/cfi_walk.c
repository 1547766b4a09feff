/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/stacks/cfi_walk.h"

#include <string.h>

#include "agent/stacks/cfi.h"
#include "base/own_stack.h"
#include "base/processor.h"

/* The cells of the processor, and the limit of a frame's length: a longer frame is no frame. */
enum {
    REGISTERS = SPUR_CELL(REGISTERS),
    POINTER = SPUR_CELL(POINTER),
    STACK = SPUR_CELL(STACK),
    LINK = SPUR_CELL(LINK),
    ADDRESS = SPUR_CELL(ADDRESS),
    IS_PUSHED = SPUR_CELL(PUSHED) > 0,
    FRAME_BYTES_MAX = 64 << 20
};
#define ONE UINT64_C(1)
static const uint64_t address_bits = UINT64_MAX >> (64 - SPUR_CELL(BITS));

/* The registers of a frame, as far as known: bit 1 << number. */
struct registers {
    uint64_t reg[REGISTERS];
    uint64_t known;
};

/* The place of each register in a ucontext_t, by its number. */
static uintptr_t place_of(uintptr_t context, int number)
{
#define LIST(...) __VA_ARGS__
#define PROCESSOR(NAME, stack, pointer, link, address, pushed, bits, chain, at, words)             \
    static const uint8_t words_##NAME[] = {LIST words};                                            \
    if (SPUR_HERE == SPUR_##NAME)                                                                  \
        return context + at + words_##NAME[number] * sizeof(uint64_t);
#include "base/processors.def"
#undef LIST
    return 0;
}

static void get_interrupted(const void *context, struct registers *frame)
{
    for (int i = 0; i < REGISTERS; i++)
        memcpy(&frame->reg[i], (const void *)place_of((uintptr_t)context, i), sizeof(uint64_t));
    frame->known = UINT64_MAX;
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

/* Reads the content of a place; false: unknown. `cfa` is 0 while the CFA is being looked for. */
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

/*
 * Takes all registers interrupted by a signal, in place of the frame to which the handler returns.
 */
static bool step_signal(struct spur_stack_window *window, struct registers *frame)
{
    enum { BELOW = 128 }; /* the kernel has put a siginfo_t there */
    struct registers caller = {.known = UINT64_MAX};
    for (int i = 0; i < REGISTERS; i++)
        if (!read_word(window, place_of(frame->reg[STACK] + BELOW, i), &caller.reg[i]))
            return false;
    *frame = caller;
    return true;
}

/* Only a signal handler and the agent may have another stack than their callers. */
static bool may_follow(uintptr_t stack, uintptr_t cfa, bool is_signal)
{
    const uintptr_t last = stack - 1; /* the end of the outermost frame is the end of the stack */
    return is_signal || cfa - stack - IS_PUSHED < FRAME_BYTES_MAX || spur_own_stack_has(last);
}

/*
 * Replaces the frame by the frame of the caller; false: there is no caller, or the caller cannot be
 * found.
 */
static bool step(struct spur_stack_window *window, struct registers *frame,
                 const struct spur_cfi_rule *rule, bool *is_whole)
{
    uint64_t cfa, address, pointer = 0;
    static const struct spur_cfi_place in_link = {LINK, false, 0};
    const struct spur_cfi_place *back = &rule->address;
    *is_whole = rule->address.base == SPUR_CFI_NOWHERE;
    if (!IS_PUSHED && rule->frame.base == SPUR_CFI_CONTEXT)
        return step_signal(window, frame);
    if (!IS_PUSHED && back->base == SPUR_CFI_SAME)
        back = &in_link;
    if (*is_whole || !get_place(window, frame, 0, &rule->frame, &cfa))
        return false;
    if (rule->is_plt && (frame->reg[ADDRESS] & 15) >= 11)
        cfa += sizeof(uint64_t);
    if (cfa % sizeof(uint64_t) || !may_follow(frame->reg[STACK], cfa, rule->is_signal) ||
        !get_place(window, frame, cfa, back, &address))
        return false;
    bool has_pointer = rule->pointer.base == SPUR_CFI_SAME
                           ? frame->known >> POINTER & 1
                           : get_place(window, frame, cfa, &rule->pointer, &pointer);
    if (rule->pointer.base == SPUR_CFI_SAME)
        pointer = frame->reg[POINTER];
    frame->reg[STACK] = cfa;
    frame->reg[POINTER] = pointer;
    address &= address_bits;
    frame->reg[ADDRESS] = address;
    frame->known = ONE << STACK | ONE << ADDRESS | (uint64_t)has_pointer << POINTER;
    *is_whole = !address;
    return address;
}

static uint32_t walk(struct registers *here, struct spur_stack_window *window, const void **frame,
                     uint32_t room, bool *is_whole)
{
    struct spur_cfi_rule rule;
    bool is_exact = true; /* no call: the walk begins at this instruction */
    uint32_t n = 0;
    window->bytes = 0;
    *is_whole = false;
    while (SPUR_HERE != SPUR_NONE && n < room) {
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
    struct registers here = {.known = ONE << ADDRESS | ONE << STACK | ONE << POINTER};
    here.reg[ADDRESS] = from.address;
    here.reg[STACK] = from.stack;
    here.reg[POINTER] = from.pointer;
    return walk(&here, window, frame, room, is_whole);
}
