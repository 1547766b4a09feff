/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dlclose(): what is loaded at the same addresses next is other code. Not dlopen(): what that finds
 * depends on who calls it.
 */
#include "agent/spur_agent.h"
#include "wrappers/process/process_find.h"

SPUR_EXPORT int dlclose(void *handle);

PROCESS_FIND(dlclose, int, (void *))

SPUR_EXPORT int dlclose(void *handle)
{
    real_dlclose next = find_dlclose();
    int ret = next ? next(handle) : -1;
    spur_code_unloaded();
    return ret;
}
