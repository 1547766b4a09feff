/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/readable.h"

#include <errno.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/raw_call.h"
#include "base/valgrind.h"

/* Not a part of its callers: they ask often, and each time would take of their stack. */
__attribute__((noinline)) bool spur_is_readable(const void *address)
{
    enum { NO_SUCH_WAY = -1, WORD = 8 };
    uintptr_t word = (uintptr_t)address & ~(uintptr_t)(WORD - 1);
    spur_valgrind_hush();
    long ret = spur_raw_call(SYS_rt_sigprocmask, NO_SUCH_WAY, (long)word, 0, WORD, 0, 0);
    spur_valgrind_unhush();
    return ret != -EFAULT;
}

__attribute__((noinline)) size_t spur_read_memory(const void *from, void *to, size_t bytes)
{
    const struct iovec there = {(void *)(uintptr_t)from,
                                bytes}; // NOLINT(performance-no-int-to-ptr)
    long process = spur_raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
    return spur_read_pieces((int)process, &there, 1, to, bytes);
}
