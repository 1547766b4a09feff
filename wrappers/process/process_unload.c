/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dlclose(): what is loaded at the same addresses next is other code. Not dlopen(): what that finds
 * depends on who calls it.
 */
#include "wrappers/kit/wrapper.h"

SPUR_EXPORT int dlclose(void *handle);

WRAPPER_FIND(dlclose, int, (void *))

SPUR_EXPORT int dlclose(void *handle)
{
    spur_code_unloaded(); /* destructors, and other threads meanwhile, may make calls */
    int ret = find_dlclose()(handle);
    spur_code_unloaded();
    return ret;
}
