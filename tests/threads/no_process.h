/* SPDX-License-Identifier: BSD-3-Clause */
/* What the definitions of a process ask of it, for programs that have these and no process. */
#ifndef NO_PROCESS_H
#define NO_PROCESS_H

#include "agent/segment/buffer.h"
#include "agent/segment/stop.h"
#include "agent/spur_agent.h"

const char *spur_process_name(void)
{
    return "host.1.1";
}

void spur_stop(enum spur_stop why, int error, const char *detail)
{
    (void)why, (void)error, (void)detail;
}

struct spur_segment *spur_buffer_segment(void)
{
    return NULL;
}

#endif
