/* SPDX-License-Identifier: BSD-3-Clause */
/* Apart from what uses it: emulators have another one (tests/cross/emulated_read_pieces.c). */
#include <sys/uio.h>

#include "base/raw_call.h"
#include "base/readable.h"

size_t spur_read_pieces(int pid, const struct iovec *from, size_t pieces, void *to, size_t bytes)
{
    const struct iovec here = {to, bytes};
    long n = spur_raw_call(SYS_process_vm_readv, pid, (long)&here, 1, (long)from, (long)pieces, 0);
    return n < 0 ? 0 : (size_t)n;
}
