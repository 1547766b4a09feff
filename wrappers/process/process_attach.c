/* SPDX-License-Identifier: BSD-3-Clause */
/* What libspur-attach.so calls, see attach/entry.c. Not wrapped: the agent's own name. */
#include "agent/spur_agent.h"

SPUR_EXPORT bool spur_attach_agent(enum spur_attached_step step);

SPUR_EXPORT bool spur_attach_agent(enum spur_attached_step step)
{
    if (step == SPUR_ATTACHED_OPEN)
        return spur_attached_open();
    if (step == SPUR_ATTACHED_RECORD)
        return spur_attached_record();
    if (step == SPUR_ATTACHED_JUDGE)
        return spur_attached_judge();
    spur_attached_end();
    return true;
}
