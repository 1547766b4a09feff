/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looking at files with every glibc. stat() and its kin are functions of the library since glibc 2.33
 * only; before, they were a part of each program. The build for an older glibc (SPUR_GLIBC) includes
 * this before each source: calls by the usual names go to these functions, which ask the kernel. So
 * a call of the agent's does not meet the agent's own wrapper, which may find no real function.
 *
 * Parameters, results and errno are those of POSIX. Any thread; async-signal-safe.
 */
#ifndef PORTABLE_OLD_STAT_H
#define PORTABLE_OLD_STAT_H

#include <sys/stat.h>

int old_stat(const char *path, struct stat *info);
int old_lstat(const char *path, struct stat *info);
int old_fstat(int fd, struct stat *info);
int old_fstatat(int folder, const char *path, struct stat *info, int flags);

#ifndef SPUR_WRAPS_STAT /* who defines functions of these names */
#define stat(path, info) old_stat(path, info)
#define lstat(path, info) old_lstat(path, info)
#define fstat(fd, info) old_fstat(fd, info)
#define fstatat(folder, path, info, flags) old_fstatat(folder, path, info, flags)
#endif

#endif
