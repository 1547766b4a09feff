/* SPDX-License-Identifier: BSD-3-Clause */
/* Apart from what uses it: emulators have another one (tests/cross/emulated_read_vectors.c). */
#include <sys/uio.h>

#include "base/raw_call.h"
#include "base/readable.h"

size_t spur_read_vectors(long process, const struct iovec *to, size_t n_to,
                         const struct iovec *from, size_t n_from)
{
    long n = spur_raw_call(SYS_process_vm_readv, process, (long)to, (long)n_to, (long)from,
                           (long)n_from, 0);
    return n < 0 ? 0 : (size_t)n;
}
