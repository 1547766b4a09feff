/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What compilers call at the beginning and the end of every function with -finstrument-functions.
 * The regions are known by their address, and get their names when the archive is made.
 */
#include "wrappers/kit/wrapper_stack.h"

SPUR_EXPORT void __cyg_profile_func_enter(void *function, void *caller);
SPUR_EXPORT void __cyg_profile_func_exit(void *function, void *caller);

static OTF2_RegionRef find_region(void *key)
{
    static const struct spur_construct function = {"", OTF2_REGION_ROLE_FUNCTION,
                                                   OTF2_PARADIGM_COMPILER, "function"};
    return spur_def_region_at(&function, (const char *)key + 1); /* as if a call returned there */
}

void __cyg_profile_func_enter(void *function, void *caller)
{
    (void)caller;
    wrapper_stack_enter(SPUR_FAMILY_COMPILER, function, find_region);
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)caller;
    wrapper_stack_leave(SPUR_FAMILY_COMPILER, function);
}
