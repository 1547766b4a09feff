/* SPDX-License-Identifier: BSD-3-Clause */
/* The code of this object: the agent's. */
#ifndef SPUR_OWN_CODE_H
#define SPUR_OWN_CODE_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* Made by the linker. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));
extern const char etext __attribute__((visibility("hidden")));

static inline bool spur_is_own_code(const void *address)
{
    uintptr_t start = (uintptr_t)&__ehdr_start;
    return (uintptr_t)address - start <= (uintptr_t)&etext - start;
}

#endif
