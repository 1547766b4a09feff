/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions that stand in front of the C library's, but not for dlsym(). MPI transports look for
 * mmap() and its kin by dlsym() to patch their code, since they have to see what the C library
 * itself maps and unmaps: ours would be the wrong ones. So these are exported with the version that
 * programs are linked with, and not as its default: programs call them, and dlsym() passes them by.
 *
 *     SPUR_IN_FRONT_OF_LIBC(io_, munmap)
 *     int io_munmap(void *at, size_t n)
 */
#ifndef SPUR_LIBC_VERSION_H
#define SPUR_LIBC_VERSION_H

#if __has_attribute(symver)
#define SPUR_IN_FRONT_OF_LIBC(prefix, name)                                                        \
    __attribute__((visibility("default"), used, symver(#name "@" SPUR_LIBC_BASE)))
#else /* clang; gcc's attribute is for link-time optimization */
#define SPUR_IN_FRONT_OF_LIBC(prefix, name)                                                        \
    __asm__(".symver " #prefix #name ", " #name "@" SPUR_LIBC_BASE);                               \
    __attribute__((visibility("default"), used))
#endif

#endif
