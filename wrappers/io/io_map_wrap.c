/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The wrappers of functions that map memory. An allocator calls them before anything is known, and
 * a look-up may call the allocator: until the real functions are known, these are the kernel's.
 */
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "wrappers/io/io_meanings.h"
#include "wrappers/kit/libc_version.h"

#define EARLY(name, number, ...)                                                                   \
    (atomic_load_explicit(&io_calls[IO_CALL_##name].real, memory_order_relaxed)                    \
         ? IO_REAL(name)(__VA_ARGS__)                                                              \
         : (__typeof__(IO_REAL(name)(__VA_ARGS__)))syscall(number, __VA_ARGS__))

/* clang-format off */
#define WANTS_MAPPING(fd, flags) \
    (IS_OF_FILE(fd, flags) || ((flags) & MAP_FIXED && io_maps_has(at, n)))
#define SKIPS_MAPPING(fd, flags) \
    (((flags) & MAP_ANONYMOUS || SKIPS_ON(fd)) && !((flags) & MAP_FIXED && io_maps_any()))
#define IS_OF_FILE(fd, flags) (!((flags) & MAP_ANONYMOUS) && WANTS_ON(fd))
#define AFTER_MAPS(protection, flags, fd) \
    io_mapped(frame.loc, ret, n, protection, flags, fd, !((flags) & MAP_ANONYMOUS))
#define MISSING_MAPS(...) NOTHING
#define MISSED_MAPS(protection, flags, fd) \
    (ret != MAP_FAILED ? io_maps_forget(ret, n) : NOTHING)
#define LEAVES(at, n) const unsigned leaving = io_maps_leave(at, n)
#define AFTER_UNMAPS(at, n) io_unmapped(frame.loc, leaving, ret == 0)
#define MISSING_UNMAPS(at, n) io_maps_forget(at, n)
#define MISSED_UNMAPS(...) NOTHING
/* The old pages stay mapped, with nothing in them. */
#ifdef MREMAP_DONTUNMAP
#define LEAVING_BY(flags, old) ((flags) & MREMAP_DONTUNMAP ? 0 : (old))
#else
#define LEAVING_BY(flags, old) (old)
#endif
#define AFTER_REMAPS(from, old, n, flags) io_remapped(frame.loc, from, leaving, ret, n)
#define MISSING_REMAPS(from, old, n, flags) io_maps_forget(from, old)
#define MISSED_REMAPS(...) NOTHING
/* clang-format on */

#define MAP(name)                                                                                  \
    void *io_##name(void *at, size_t n, int protection, int flags, int fd, off_t offset);          \
    SPUR_IN_FRONT_OF_LIBC(io_, name)                                                               \
    void *io_##name(void *at, size_t n, int protection, int flags, int fd, off_t offset)           \
    {                                                                                              \
        if (__builtin_expect(io_ring_may_be(flags, offset), 0))                                    \
            io_ring_mapped(fd);                                                                    \
        IO_WAY(name, MAPPING(fd, flags), NOTHING, MAPS(protection, flags, fd), void *, VALUE,      \
               EARLY(name, SYS_mmap, at, n, protection, flags, fd, offset));                       \
    }
MAP(mmap)
MAP(mmap64)

int io_munmap(void *at, size_t n);
SPUR_IN_FRONT_OF_LIBC(io_, munmap)
int io_munmap(void *at, size_t n)
{
    IO_WAY(munmap, MAPPED(at, n), LEAVES(at, n), UNMAPS(at, n), int, VALUE,
           EARLY(munmap, SYS_munmap, at, n));
}

void *io_mremap(void *at, size_t old, size_t n, int flags, ...);
SPUR_IN_FRONT_OF_LIBC(io_, mremap)
void *io_mremap(void *at, size_t old, size_t n, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    void *to = va_arg(rest, void *); /* or nothing, as in the C library's own */
    va_end(rest);
    IO_WAY(mremap, MAPPED(at, old), LEAVES(at, LEAVING_BY(flags, old)), REMAPS(at, old, n, flags),
           void *, VALUE, EARLY(mremap, SYS_mremap, at, old, n, flags, to));
}
