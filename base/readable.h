/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Can a word be read at an address? rt_sigprocmask(2) with an unknown `how`: the kernel reads the
 * set before the kernel rejects `how`. So nothing changes, no descriptor is needed, and no filter
 * of system calls forbids the call.
 */
#ifndef SPUR_READABLE_H
#define SPUR_READABLE_H

#include <stdbool.h>
#include <stddef.h>

struct iovec;

bool spur_is_readable(const void *address);

/*
 * Copy memory that may be gone, or that another thread may just take away: the number of copied
 * bytes. Async-signal-safe; keeps errno. A filter of system calls may forbid the copy: then no
 * bytes are copied.
 */
size_t spur_read_memory(const void *from, void *to, size_t bytes);

/*
 * The same by one system call, from pieces to pieces as process_vm_readv(2) does. The first missing
 * piece ends the copy. `process` is this process.
 */
size_t spur_read_vectors(long process, const struct iovec *to, size_t n_to,
                         const struct iovec *from, size_t n_from);

/* The same for pieces with a place each. */
struct spur_memory_piece {
    const void *from;
    void *to;
    size_t bytes;
};
enum { SPUR_PIECES_MAX = 4 };
size_t spur_read_pieces(long process, const struct spur_memory_piece *piece, size_t n);

/* The number of the calling process, asked of the kernel. A child of fork() asks anew. */
long spur_process_number(void);

#endif
