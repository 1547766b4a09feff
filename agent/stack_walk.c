/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libunwind remembers per thread how each address it has met is unwound, which is what makes it
 * fast, and has no way to forget. After an object that stacks went through has been unloaded others
 * may be loaded at its addresses, and following them by what is remembered could lead anywhere.
 * From then on the unwinder of libgcc_s is used, which takes ten times as long and looks everything
 * up.
 */
#include "agent/stack_walk.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>
#include <unwind.h>

#include "agent/code_map.h"

typedef int (*walker)(const void **address, int room);
typedef _Unwind_Reason_Code (*slow_walker)(_Unwind_Trace_Fn each, void *data);
typedef _Unwind_Ptr (*address_getter)(struct _Unwind_Context *context);

static walker walk;
static slow_walker walk_slowly;
static address_getter address_in;
static _Atomic uint64_t checked; /* unloads << 1 | has anything been lost */

/* ISO C knows no cast from data to function. */
static bool find(void *library, const char *name, void *function)
{
    void *address = library ? dlsym(library, name) : NULL;
    if (address)
        memcpy(function, &address, sizeof address);
    return address != NULL;
}

bool spur_walk_open(void)
{
    static const char *const names[] = {"libunwind.so.8", "libunwind.so"};
    enum { MODE = RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE };
    bool is_there = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !is_there; i++)
        is_there = find(dlopen(names[i], MODE), "unw_backtrace", (void *)&walk);
    void *slow = is_there ? dlopen("libgcc_s.so.1", MODE) : NULL;
    if (!find(slow, "_Unwind_Backtrace", (void *)&walk_slowly) ||
        !find(slow, "_Unwind_GetIP", (void *)&address_in))
        walk_slowly = NULL;
    (void)dlerror(); // NOLINT(concurrency-mt-unsafe): per thread; our failure is not the program's
    return is_there;
}

uintptr_t spur_walk_address(void)
{
    return (uintptr_t)walk;
}

struct walking {
    const void **address;
    uint32_t n, room;
};

static _Unwind_Reason_Code note(struct _Unwind_Context *context, void *data)
{
    struct walking *walking = data;
    if (walking->n == walking->room)
        return _URC_END_OF_STACK;
    _Unwind_Ptr address = address_in(context);
    walking->address[walking->n++] = (const void *)address; // NOLINT(performance-no-int-to-ptr)
    return _URC_NO_REASON;
}

static bool has_lost(void)
{
    uint64_t state = atomic_load_explicit(&checked, memory_order_relaxed);
    uint64_t unloads = spur_code_unloads();
    if (__builtin_expect(state >> 1 == unloads, 1))
        return state & 1;
    bool lost = (state & 1) || spur_code_has_lost();
    atomic_store_explicit(&checked, unloads << 1 | lost, memory_order_relaxed);
    return lost;
}

void spur_walk_after_fork(void)
{
    atomic_store_explicit(&checked, (uint64_t)spur_code_unloads() << 1 | 1, memory_order_relaxed);
}

uint32_t spur_walk(const void **address, uint32_t room)
{
    struct walking walking = {address, 0, room};
    if (__builtin_expect(!has_lost(), 1)) {
        int n = walk(address, (int)room);
        return n > 0 ? (uint32_t)n : 0;
    }
    if (walk_slowly)
        (void)walk_slowly(note, &walking);
    return walking.n;
}
