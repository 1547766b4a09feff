/* SPDX-License-Identifier: BSD-3-Clause */
/* What fake agents of all families share: doors lead nowhere, and no signal comes. */
#ifndef TESTS_AGENT_DOORS_H
#define TESTS_AGENT_DOORS_H

#include "agent/spur_agent.h"

void spur_on_own_stack(void (*call)(void *arg), void *arg)
{
    call(arg);
}

void spur_quiet_begin(void)
{
}

void spur_quiet_end(void)
{
}

bool spur_quiet_mask(uint64_t *mask)
{
    *mask = 0;
    return false;
}

void spur_quiet_born(uint64_t mask)
{
    (void)mask;
}

#endif
