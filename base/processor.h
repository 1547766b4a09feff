/* SPDX-License-Identifier: BSD-3-Clause */
/* What differs between processors when a stack is followed: the rows of processors.def. */
#ifndef SPUR_PROCESSOR_H
#define SPUR_PROCESSOR_H

enum {
#define PROCESSOR(NAME, stack, pointer, link, address, pushed, bits, chain, at, words)             \
    SPUR_##NAME##_STACK = stack, SPUR_##NAME##_POINTER = pointer, SPUR_##NAME##_LINK = link,       \
    SPUR_##NAME##_ADDRESS = address, SPUR_##NAME##_PUSHED = pushed, SPUR_##NAME##_BITS = bits,     \
    SPUR_##NAME##_CHAIN = chain, SPUR_##NAME##_AT = at, SPUR_##NAME##_REGISTERS = address + 1,
#include "base/processors.def"
};

enum spur_processor_id {
#define PROCESSOR(NAME, ...) SPUR_##NAME,
#include "base/processors.def"
    SPUR_PROCESSORS
};

/* A cell of the row that this is compiled for; SPUR_HERE: its number. */
#if defined(__x86_64__)
#define SPUR_HERE SPUR_X86_64
#define SPUR_CELL(name) SPUR_X86_64_##name
#elif defined(__aarch64__)
#define SPUR_HERE SPUR_AARCH64
#define SPUR_CELL(name) SPUR_AARCH64_##name
#elif defined(__riscv) && __riscv_xlen == 64
#define SPUR_HERE SPUR_RISCV64
#define SPUR_CELL(name) SPUR_RISCV64_##name
#else
#define SPUR_HERE SPUR_NONE
#define SPUR_CELL(name) SPUR_NONE_##name
#endif

/* A function that signs where it returns to, if the processor can do that. */
#if defined(__aarch64__)
#define SPUR_SIGNED __attribute__((target("branch-protection=pac-ret")))
#else
#define SPUR_SIGNED
#endif

#endif
