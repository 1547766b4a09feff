/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In place of base/read_vectors.c, for qemu-user, which has no process_vm_readv(2): page by page,
 * if one can read there now. Another thread that takes the page away in between would be a crash,
 * so this is for tests only.
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

size_t spur_read_vectors(long process, const struct iovec *to, size_t n_to,
                         const struct iovec *from, size_t n_from)
{
    (void)process;
    size_t n = 0, place = 0, filled = 0; /* bytes of to[place] */
    for (size_t i = 0; i < n_from; i++)
        for (size_t done = 0; done < from[i].iov_len && place < n_to;) {
            size_t wanted = from[i].iov_len - done, left = to[place].iov_len - filled;
            wanted = wanted < left ? wanted : left;
            size_t got = read_piece((const char *)from[i].iov_base + done, wanted,
                                    (char *)to[place].iov_base + filled);
            n += got;
            if (got < wanted)
                return n;
            done += wanted;
            filled = wanted < left ? filled + wanted : 0;
            place += wanted == left;
        }
    return n;
}
