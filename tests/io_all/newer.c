/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that a newer C library has: of glibc 2.38 to read as C23 does, and of 2.43. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wchar.h>

#define OPEN_DOTS(...) (__VA_ARGS__, ...)
#define OPEN_LIST(...) (__VA_ARGS__, va_list list)
#define OPEN_ARGS(...) (__VA_ARGS__, list)
#define READS(name, parameters, arguments)                                                         \
    int __isoc99_v##name OPEN_LIST parameters;                                                     \
    int __isoc23_v##name OPEN_LIST parameters;                                                     \
    int __isoc23_##name OPEN_DOTS parameters;                                                      \
    int __isoc23_v##name OPEN_LIST parameters                                                      \
    {                                                                                              \
        return __isoc99_v##name OPEN_ARGS arguments;                                               \
    }                                                                                              \
    int __isoc23_##name OPEN_DOTS parameters                                                       \
    {                                                                                              \
        va_list list;                                                                              \
        va_start(list, format);                                                                    \
        int ret = __isoc99_v##name OPEN_ARGS arguments;                                            \
        va_end(list);                                                                              \
        return ret;                                                                                \
    }
READS(fscanf, (FILE * stream, const char *format), (stream, format))
READS(scanf, (const char *format), (format))
READS(fwscanf, (FILE * stream, const wchar_t *format), (stream, format))
READS(wscanf, (const wchar_t *format), (format))

int openat2(int dir, const char *path, const struct open_how *how, size_t bytes);
int openat2(int dir, const char *path, const struct open_how *how, size_t bytes)
{
    return (int)syscall(SYS_openat2, dir, path, how, bytes);
}
