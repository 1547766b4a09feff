/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Can a word be read there? The kernel reads what is to be blocked before it looks whether it knows
 * how: nothing changes, no descriptor is needed, and no filter of system calls forbids it.
 */
#ifndef SPUR_READABLE_H
#define SPUR_READABLE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/raw_call.h"
#include "base/valgrind.h"

static inline bool spur_is_readable(const void *address)
{
    enum { NO_SUCH_WAY = -1, WORD = 8 };
    uintptr_t word = (uintptr_t)address & ~(uintptr_t)(WORD - 1);
    spur_valgrind_hush();
    long ret = spur_raw_call(SYS_rt_sigprocmask, NO_SUCH_WAY, (long)word, 0, WORD, 0, 0);
    spur_valgrind_unhush();
    return ret != -EFAULT;
}

#endif
