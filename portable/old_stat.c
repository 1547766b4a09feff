/* SPDX-License-Identifier: BSD-3-Clause */
/* With 64 bits the kernel's struct stat is the library's. */
#include "portable/old_stat.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

int old_fstatat(int folder, const char *path, struct stat *info, int flags)
{
    return (int)syscall(SYS_newfstatat, folder, path, info, flags);
}

int old_stat(const char *path, struct stat *info)
{
    return old_fstatat(AT_FDCWD, path, info, 0);
}

int old_lstat(const char *path, struct stat *info)
{
    return old_fstatat(AT_FDCWD, path, info, AT_SYMLINK_NOFOLLOW);
}

int old_fstat(int fd, struct stat *info)
{
    return (int)syscall(SYS_fstat, fd, info);
}
