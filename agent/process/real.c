/* SPDX-License-Identifier: BSD-3-Clause */
/* The definitions behind the agent's own. */
#include <dlfcn.h>
#include <stddef.h>

#include "agent/spur_agent.h"
#include "base/own_stack.h"

static void *spur_real_here(const char *name, const char *version)
{
    void *real = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
    return real ? real : dlsym(RTLD_NEXT, name);
}
SPUR_DOOR(void *, spur_real, (const char *, name), (const char *, version))
