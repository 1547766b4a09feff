/* SPDX-License-Identifier: BSD-3-Clause */
/* What libspur-attach.so calls, see attach/entry.c. Not wrapped: the agent's own name. */
#include "agent/spur_agent.h"

SPUR_EXPORT bool spur_attach_agent(bool begins);

SPUR_EXPORT bool spur_attach_agent(bool begins)
{
    if (begins)
        return spur_attached_begin();
    spur_attached_end();
    return true;
}
