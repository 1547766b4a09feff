/* SPDX-License-Identifier: BSD-3-Clause */
/* The definitions behind the agent's own. */
#include <dlfcn.h>
#include <stddef.h>

#include "agent/spur_agent.h"
#include "agent/spur_attached.h"
#include "base/own_stack.h"

/* An agent that was attached is behind all others, and must not pass by a library that was
 * preloaded. */
void *spur_real_scope(void)
{
    return spur_is_attached() ? RTLD_DEFAULT : RTLD_NEXT;
}

/* RTLD_DEFAULT finds the agent, too, where there is nobody else. That look-up of an address is
 * slow. */
static void *not_ours(void *symbol)
{
    static const char here;
    Dl_info found, ours;
    return spur_is_attached() && symbol && dladdr(symbol, &found) && dladdr(&here, &ours) &&
                   found.dli_fbase == ours.dli_fbase
               ? NULL
               : symbol;
}

static void *spur_real_here(const char *name, const char *version)
{
    void *scope = spur_real_scope();
    void *real = version ? not_ours(dlvsym(scope, name, version)) : NULL;
    return real ? real : not_ours(dlsym(scope, name));
}
SPUR_DOOR(void *, spur_real, (const char *, name), (const char *, version))
