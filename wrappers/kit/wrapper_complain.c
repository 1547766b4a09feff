/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/kit/wrapper_complain.h"

#include <stdarg.h>
#include <stdio.h>

#include "agent/spur_agent.h"

void wrapper_complain(const char *format, ...)
{
    enum { LINE = 512 };
    char *line = spur_mem_new(LINE); /* the agent borrows it */
    va_list args;
    if (!line)
        return;
    va_start(args, format);
    (void)vsnprintf(line, LINE, format, args);
    va_end(args);
    spur_complain(line);
}
