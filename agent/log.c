/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/log.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/spur_agent.h"

enum { LINE = 1024, FORMATS = 64 };

void spur_vlog(const char *format, va_list args)
{
    static const char prefix[] = "spur: ";
    char line[LINE];
    int saved = errno;
    size_t at = sizeof prefix - 1;
    memcpy(line, prefix, at);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is, by spur_log() below */
    int n = vsnprintf(line + at, sizeof line - at - 1, format, args);
    if (n > 0)
        at += (size_t)n < sizeof line - at - 1 ? (size_t)n : sizeof line - at - 2;
    line[at++] = '\n';
    /* Raw: write(2) of libc is a cancellation point, and a failure here has nobody to tell. */
    (void)!syscall(SYS_write, 2, line, at);
    errno = saved;
}

void spur_log(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    spur_vlog(format, args);
    va_end(args);
}

/* Slots are claimed in order; a full table repeats itself rather than staying silent. */
static bool is_first(const char *format)
{
    static _Atomic(const char *) said[FORMATS];
    for (int i = 0; i < FORMATS; i++) {
        const char *seen = NULL;
        if (atomic_compare_exchange_strong(&said[i], &seen, format))
            return true;
        if (seen == format)
            return false;
    }
    return true;
}

void spur_say(const char *format, ...)
{
    if (!is_first(format))
        return;
    va_list args;
    va_start(args, format);
    spur_vlog(format, args);
    va_end(args);
}
