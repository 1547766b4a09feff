/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat() and its kin for products that run with a glibc older than 2.33: there they were no
 * functions of the library, but such as these, a part of each program.
 */
#include <sys/stat.h>

/* What the library calls the struct stat of this processor. */
#if defined(__x86_64__)
enum { STAT_VERSION = 1 };
#else
enum { STAT_VERSION = 0 };
#endif

int __xstat(int version, const char *path, struct stat *info);
int __lxstat(int version, const char *path, struct stat *info);
int __fxstat(int version, int fd, struct stat *info);
int __fxstatat(int version, int folder, const char *path, struct stat *info, int flags);

int stat(const char *restrict path, struct stat *restrict info)
{
    return __xstat(STAT_VERSION, path, info);
}

int lstat(const char *restrict path, struct stat *restrict info)
{
    return __lxstat(STAT_VERSION, path, info);
}

int fstat(int fd, struct stat *info)
{
    return __fxstat(STAT_VERSION, fd, info);
}

int fstatat(int folder, const char *restrict path, struct stat *restrict info, int flags)
{
    return __fxstatat(STAT_VERSION, folder, path, info, flags);
}
