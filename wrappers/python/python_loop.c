/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compilers put seldom run code of the loop elsewhere, where the code has no name (Debian's Python:
 * 13 KB). A part of the loop is a target of a jump in the loop, and begins in the middle of a
 * frame. The jumps are looked for in the bytes of the loop: bytes that only look like a jump hardly
 * lead to a part.
 */
#include "wrappers/python/python_loop.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#include "wrappers/python/python_api.h"

enum { PARTS_MAX = 8 };

struct part {
    uintptr_t start, end;
};

static struct {
    struct part loop;
    struct part text; /* of the object that has the loop */
    struct part other[PARTS_MAX];
    _Atomic int n_others; /* -1: the parts have not been looked for */
} loop = {.n_others = -1};

static bool is_in(const struct part *part, uintptr_t address)
{
    return address - part->start < part->end - part->start;
}

/* ---- other parts ---- */

static bool is_other(int n, uintptr_t address)
{
    for (int i = 0; i < n; i++)
        if (is_in(&loop.other[i], address))
            return true;
    return false;
}

#if defined(__x86_64__)
/* The target of the jump at `at`; 0: no jump. */
static uintptr_t target_of(const uint8_t *at)
{
    enum { TWO_BYTES = 0x0f, CONDITION = 0x80, JUMP = 0xe9, HIGH = 0xf0 };
    int32_t way;
    bool is_conditional = at[0] == TWO_BYTES && (at[1] & HIGH) == CONDITION;
    if (!is_conditional && at[0] != JUMP)
        return 0;
    at += 1 + is_conditional;
    memcpy(&way, at, sizeof way);
    return (uintptr_t)at + sizeof way + (uintptr_t)(intptr_t)way;
}
#else
static uintptr_t target_of(const uint8_t *at)
{
    (void)at;
    return 0;
}
#endif

/* Several threads may come here at once: all find the same parts. */
static void find_others(void *arg)
{
    enum { JUMP_BYTES = 6 };
    (void)arg;
    int n = 0;
    for (uintptr_t at = loop.loop.start; at + JUMP_BYTES <= loop.loop.end && n < PARTS_MAX; at++) {
        uintptr_t to = target_of((const uint8_t *)at); // NOLINT(performance-no-int-to-ptr)
        struct spur_code_part part;
        if (!is_in(&loop.text, to) || is_in(&loop.loop, to) || is_other(n, to) ||
            !spur_code_part(to, &part) || part.is_beginning)
            continue;
        loop.other[n++] = (struct part){part.start, part.end};
    }
    atomic_store_explicit(&loop.n_others, n, memory_order_release);
}

bool python_is_loop(const void *address)
{
    uintptr_t call = (uintptr_t)address - 1;
    if (is_in(&loop.loop, call))
        return true;
    if (!is_in(&loop.text, call))
        return false;
    if (atomic_load_explicit(&loop.n_others, memory_order_acquire) < 0)
        spur_on_own_stack(find_others, NULL);
    return is_other(atomic_load_explicit(&loop.n_others, memory_order_acquire), call);
}

/* ---- the start ---- */

/* The code of the object loaded at `base`. */
static void find_text(const char *base)
{
    const ElfW(Ehdr) *head = (const void *)base;
    const ElfW(Phdr) *part = (const void *)(base + head->e_phoff);
    uintptr_t shift = (uintptr_t)base;
    for (int i = 0; i < head->e_phnum; i++)
        if (part[i].p_type == PT_LOAD && part[i].p_offset == 0)
            shift = (uintptr_t)base - part[i].p_vaddr;
    for (int i = 0; i < head->e_phnum; i++) {
        struct part text = {shift + part[i].p_vaddr, shift + part[i].p_vaddr + part[i].p_memsz};
        if (part[i].p_type == PT_LOAD && is_in(&text, loop.loop.start))
            loop.text = text;
    }
}

void python_loop_find(void)
{
    void *address = python_symbol("_PyEval_EvalFrameDefault");
    Dl_info info;
    void *symbol = NULL;
    if (!address || !dladdr1(address, &info, &symbol, RTLD_DL_SYMENT) || !symbol)
        return;
    loop.loop = (struct part){(uintptr_t)address,
                              (uintptr_t)address + ((const ElfW(Sym) *)symbol)->st_size};
    find_text(info.dli_fbase);
}
