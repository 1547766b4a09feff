/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Can a word be read there? The kernel reads what is to be blocked before it looks whether it knows
 * how: nothing changes, no descriptor is needed, and no filter of system calls forbids it.
 */
#ifndef SPUR_READABLE_H
#define SPUR_READABLE_H

#include <stdbool.h>
#include <stddef.h>

struct iovec;

bool spur_is_readable(const void *address);

/*
 * Memory that may be gone, or that another thread may just take away: how many bytes of it were
 * copied. Async-signal-safe; keeps errno. A filter of system calls may forbid it: then none are.
 */
size_t spur_read_memory(const void *from, void *to, size_t bytes);

/*
 * The same by one system call, from pieces to pieces as process_vm_readv(2) does. The first one
 * that is not there ends it. `process` is this process.
 */
size_t spur_read_vectors(long process, const struct iovec *to, size_t n_to,
                         const struct iovec *from, size_t n_from);

/* The same for pieces of which each has its own place. */
struct spur_memory_piece {
    const void *from;
    void *to;
    size_t bytes;
};
enum { SPUR_PIECES_MAX = 4 };
size_t spur_read_pieces(long process, const struct spur_memory_piece *piece, size_t n);

/* The number of the calling process, asked of the kernel, which a child of fork() does anew. */
long spur_process_number(void);

#endif
