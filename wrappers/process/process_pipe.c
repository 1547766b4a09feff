/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pipe2(), for one caller: libunwind keeps a pipe open to try whether memory can be read, by the
 * numbers that it got. A program that closes all descriptors, and has others under these numbers
 * then, would find them read, written to and closed. So they are high ones, which nobody is given
 * who does not ask for them, and the low ones are the program's as ever.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "wrappers/kit/wrapper.h"

WRAPPER_FIND(pipe2, int, (int *, int))

/* Early: signal handlers may call it, and the look-up takes the loader's lock. */
__attribute__((constructor)) static void start(void)
{
    (void)find_pipe2();
}

static void move_up(int *end)
{
    enum { HIGH = 1000, FEW = 64, BELOW_LIMIT = 16 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < FEW)
        return;
    rlim_t from = limit.rlim_cur - BELOW_LIMIT < HIGH ? limit.rlim_cur - BELOW_LIMIT : HIGH;
    long moved = syscall(SYS_fcntl, *end, F_DUPFD_CLOEXEC, (long)from);
    if (moved < 0)
        return;
    syscall(SYS_close, *end);
    *end = (int)moved;
}

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): reserved in the headers */
SPUR_EXPORT int pipe2(int ends[2], int flags)
{
    int ret = find_pipe2()(ends, flags);
    int saved = errno;
    if (ret == 0 && spur_is_unwinder(__builtin_extract_return_addr(__builtin_return_address(0)))) {
        move_up(&ends[0]);
        move_up(&ends[1]);
        errno = saved;
    }
    return ret;
}
