/* SPDX-License-Identifier: BSD-3-Clause */
/* Polls in the agents of unit tests: each is a call like others. */
#ifndef TESTS_POLLS_AGENT_H
#define TESTS_POLLS_AGENT_H

#include "agent/spur_agent.h"
#include "agent/spur_polls.h"

bool spur_poll(struct spur_loc *loc, const void *what, bool is_done)
{
    (void)loc, (void)what, (void)is_done;
    return false;
}

void spur_leave_poll(struct spur_loc *loc, struct spur_call *call)
{
    spur_leave(loc, call);
}

bool spur_poll_is_counted(const struct spur_loc *loc)
{
    (void)loc;
    return false;
}

#endif
