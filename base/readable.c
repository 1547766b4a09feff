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

long spur_process_number(void)
{
    return spur_raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

__attribute__((noinline)) size_t spur_read_pieces(long process,
                                                  const struct spur_memory_piece *piece, size_t n)
{
    struct iovec here[SPUR_PIECES_MAX], there[SPUR_PIECES_MAX];
    n = n < SPUR_PIECES_MAX ? n : SPUR_PIECES_MAX;
    for (size_t i = 0; i < n; i++) {
        void *from = (void *)(uintptr_t)piece[i].from; // NOLINT(performance-no-int-to-ptr)
        here[i] = (struct iovec){piece[i].to, piece[i].bytes};
        there[i] = (struct iovec){from, piece[i].bytes};
    }
    return spur_read_vectors(process, here, n, there, n);
}

size_t spur_read_memory(const void *from, void *to, size_t bytes)
{
    return spur_read_pieces(spur_process_number(), &(struct spur_memory_piece){from, to, bytes}, 1);
}
