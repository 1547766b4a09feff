/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mappings by raw system calls. MPI transports hook mmap(2) and munmap(2) in the whole process and
 * take locks in their hooks: through libc we would end up in there, and back in our own wrappers.
 */
#ifndef SPUR_MAP_H
#define SPUR_MAP_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Shared, readable and writable. NULL and errno on failure. */
static inline void *spur_map_file(int fd, int64_t at, size_t bytes)
{
    long mem = syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
    return mem == -1 ? NULL : (void *)mem; // NOLINT(performance-no-int-to-ptr)
}

/* Shared and readable: what the kernel tells. NULL and errno on failure. */
static inline void *spur_map_kernel(int fd, size_t bytes)
{
    long mem = syscall(SYS_mmap, NULL, bytes, PROT_READ, MAP_SHARED, fd, 0L);
    return mem == -1 ? NULL : (void *)mem; // NOLINT(performance-no-int-to-ptr)
}

/* Private and zeroed. NULL and errno on failure. */
static inline void *spur_map_anonymous(size_t bytes)
{
    long mem =
        syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
    return mem == -1 ? NULL : (void *)mem; // NOLINT(performance-no-int-to-ptr)
}

/* In place of what is mapped there, at once: no thread finds nothing. Pages. False: all is as
 * before. */
static inline bool spur_map_anonymous_at(void *at, size_t bytes)
{
    return syscall(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0L) != -1;
}

/*
 * Where little of a mapped file will be used: else the first touch of a page brings in those around
 * it, 32 of them that have to be cleared.
 */
static inline void spur_map_pages_alone(void *mem, size_t bytes)
{
    (void)syscall(SYS_madvise, mem, bytes, MADV_RANDOM);
}

static inline void spur_unmap(void *mem, size_t bytes)
{
    (void)syscall(SYS_munmap, mem, bytes);
}

#endif
