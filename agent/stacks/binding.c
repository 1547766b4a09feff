/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/stacks/binding.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "agent/stacks/code_map.h"
#include "base/own_stack.h"

/* An answer is a word: the address, the number of unloadings that it is true of, and yes or no. */
enum { ANSWERS_BITS = 6, UNLOADS_BITS = 7, SHIFT = UNLOADS_BITS + 1 };
static _Atomic uint64_t answers[1 << ANSWERS_BITS];

bool spur_binding_is_named(const char *name)
{
    static const char *const beginnings[] = {
#define BINDING(beginning) beginning,
#include "agent/stacks/bindings.def"
#undef BINDING
    };
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

static bool look_up_here(const void *address)
{
    char name[64];
    return spur_code_file(address, name, sizeof name) && spur_binding_is_named(name);
}
static bool look_up(const void *address);
SPUR_DOOR(bool, look_up, (const void *, address))

bool spur_binding_has(const void *address)
{
    const uint64_t number = spur_code_unloads() & ((1u << UNLOADS_BITS) - 1);
    const uint64_t question = (uint64_t)(uintptr_t)address << SHIFT | number << 1;
    _Atomic uint64_t *at =
        &answers[(uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u >> (64 - ANSWERS_BITS)];
    uint64_t answer = atomic_load_explicit(at, memory_order_relaxed);
    if ((answer & ~UINT64_C(1)) != question) {
        answer = question | look_up(address);
        atomic_store_explicit(at, answer, memory_order_relaxed);
    }
    return answer & 1;
}
