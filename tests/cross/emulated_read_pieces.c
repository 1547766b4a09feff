/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In place of base/read_pieces.c, for qemu-user, which has no process_vm_readv(2): page by page, if
 * one can read there now. Another thread that takes the page away in between would be a crash, so
 * this is for tests only.
 */
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>

#include "base/readable.h"

static size_t read_piece(const char *from, size_t bytes, char *to)
{
    enum { PAGE = 4096 };
    size_t n = 0;
    while (n < bytes && spur_is_readable(from + n)) {
        size_t part = PAGE - (uintptr_t)(from + n) % PAGE;
        part = part < bytes - n ? part : bytes - n;
        memcpy(to + n, from + n, part);
        n += part;
    }
    return n;
}

size_t spur_read_pieces(int pid, const struct iovec *from, size_t pieces, void *to, size_t bytes)
{
    (void)pid;
    size_t n = 0;
    for (size_t i = 0; i < pieces && n < bytes; i++) {
        size_t wanted = from[i].iov_len < bytes - n ? from[i].iov_len : bytes - n;
        size_t got = read_piece(from[i].iov_base, wanted, (char *)to + n);
        n += got;
        if (got < wanted)
            break;
    }
    return n;
}
