/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Libraries whose locks and threads are their own affair: drivers of devices take locks where no
 * wrapped call encloses them, and have threads that only wait.
 */
#include <link.h>
#include <stdatomic.h>

#include "agent/spur_locks.h"

struct span {
    uintptr_t begin, end;
};

/* The end is written last: until then no address is within. */
static struct {
    uintptr_t begin;
    _Atomic uintptr_t end;
} spans[SPUR_LOCKS_LEFT_OUT];
static _Atomic unsigned n_spans;
static _Atomic(void (*)(void)) at_first;

bool spur_locks_are_left_out(const void *caller)
{
    const uintptr_t at = (uintptr_t)caller;
    const unsigned n = atomic_load_explicit(&n_spans, memory_order_relaxed);
    for (unsigned i = 0; i < n && i < SPUR_LOCKS_LEFT_OUT; i++)
        if (at < atomic_load_explicit(&spans[i].end, memory_order_acquire) && at >= spans[i].begin)
            return true;
    return false;
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

void spur_locks_leave_out(const void *address)
{
    struct span span = {(uintptr_t)address, 0};
    if (spur_locks_are_left_out(address) || !dl_iterate_phdr(find_library, &span))
        return;
    const unsigned at = atomic_fetch_add(&n_spans, 1);
    if (at >= SPUR_LOCKS_LEFT_OUT) {
        atomic_store(&n_spans, SPUR_LOCKS_LEFT_OUT);
        return;
    }
    spans[at].begin = span.begin;
    atomic_store_explicit(&spans[at].end, span.end, memory_order_release);
    void (*call)(void) = atomic_load(&at_first);
    if (call)
        call();
}

void spur_locks_at_left_out(void (*call)(void))
{
    atomic_store(&at_first, call);
}
