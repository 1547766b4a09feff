/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dlclose(): what is loaded at the same addresses next is other code. Not dlopen(): what that finds
 * depends on who calls it.
 */
#include <stdatomic.h>
#include <string.h>

#include "agent/spur_agent.h"

SPUR_EXPORT int dlclose(void *handle);

typedef int (*unload)(void *);

static _Atomic unload real;

static unload real_find(void)
{
    unload found = atomic_load_explicit(&real, memory_order_relaxed);
    void *address = found ? NULL : spur_real("dlclose", NULL);
    if (address) {
        memcpy(&found, &address, sizeof found); /* ISO C knows no cast from data to function */
        atomic_store_explicit(&real, found, memory_order_relaxed);
    }
    return found;
}

SPUR_EXPORT int dlclose(void *handle)
{
    unload next = real_find();
    int ret = next ? next(handle) : -1;
    spur_code_unloaded();
    return ret;
}
