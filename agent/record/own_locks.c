/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Libraries whose locks and threads are their own affair: drivers of devices take locks where no
 * wrapped call encloses them, and have threads that only wait. And interpreters, whose locks are
 * counted.
 */
#include <link.h>
#include <stdatomic.h>

#include "agent/spur_locks.h"

struct span {
    uintptr_t begin, end;
};

/* The end is written last: until then no address is within. */
struct spans {
    _Atomic unsigned n;
    struct {
        uintptr_t begin;
        _Atomic uintptr_t end;
    } span[SPUR_LOCKS_LEFT_OUT];
};

static struct spans left_out, interpreters;
static _Atomic(void (*)(void)) at_first;

static inline bool is_in(const struct spans *spans, const void *caller)
{
    const uintptr_t at = (uintptr_t)caller;
    const unsigned n = atomic_load_explicit(&spans->n, memory_order_relaxed);
    for (unsigned i = 0; i < n && i < SPUR_LOCKS_LEFT_OUT; i++)
        if (at < atomic_load_explicit(&spans->span[i].end, memory_order_acquire) &&
            at >= spans->span[i].begin)
            return true;
    return false;
}

bool spur_locks_are_left_out(const void *caller)
{
    return is_in(&left_out, caller);
}

bool spur_locks_are_interpreters(const void *caller)
{
    return is_in(&interpreters, caller);
}

/* `data` is the span: its begin is the address that is looked for. */
static int find_library(struct dl_phdr_info *info, size_t size, void *data)
{
    struct span *wanted = data, found = {UINTPTR_MAX, 0};
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        const uintptr_t end = begin + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        found.begin = begin < found.begin ? begin : found.begin;
        found.end = end > found.end ? end : found.end;
    }
    if (wanted->begin < found.begin || wanted->begin >= found.end)
        return 0;
    *wanted = found;
    return 1;
}

/* The library that has the address. False: it is there already, or there is no room. */
static bool add(struct spans *spans, const void *address)
{
    struct span span = {(uintptr_t)address, 0};
    if (is_in(spans, address) || !dl_iterate_phdr(find_library, &span))
        return false;
    const unsigned at = atomic_fetch_add(&spans->n, 1);
    if (at >= SPUR_LOCKS_LEFT_OUT) {
        atomic_store(&spans->n, SPUR_LOCKS_LEFT_OUT);
        return false;
    }
    spans->span[at].begin = span.begin;
    atomic_store_explicit(&spans->span[at].end, span.end, memory_order_release);
    return true;
}

void spur_locks_leave_out(const void *address)
{
    void (*call)(void) = atomic_load(&at_first);
    if (add(&left_out, address) && call)
        call();
}

void spur_locks_of_interpreter(const void *address)
{
    (void)add(&interpreters, address);
}

void spur_locks_at_left_out(void (*call)(void))
{
    atomic_store(&at_first, call);
}
