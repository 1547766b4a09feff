/* SPDX-License-Identifier: BSD-3-Clause */
/* An agent to which nobody stands still, for tests of wrappers. */
#ifndef AGENT_WAITS_H
#define AGENT_WAITS_H

#include "agent/spur_agent.h"

struct spur_loc *spur_stand(struct spur_call *call)
{
    (void)call;
    return NULL;
}

void spur_waits(struct spur_loc *loc, enum spur_wait kind, uint32_t comm, uint32_t peer,
                uint32_t tag)
{
    (void)loc, (void)kind, (void)comm, (void)peer, (void)tag;
}

void spur_waits_request(struct spur_loc *loc, enum spur_wait kind, uint64_t handle)
{
    (void)loc, (void)kind, (void)handle;
}

void spur_waits_lock(struct spur_loc *loc, const void *lock)
{
    (void)loc, (void)lock;
}

void spur_waits_over(struct spur_loc *loc)
{
    (void)loc;
}

void spur_posted(const struct spur_request *request)
{
    (void)request;
}

#endif
