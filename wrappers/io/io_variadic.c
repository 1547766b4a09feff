/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrappers of functions with a variable argument list. */
#include <stdarg.h>

#include "wrappers/io/io_clone.h"
#include "wrappers/io/io_meanings.h"

/* clang-format off */
#define WANTS_ACTS(fd, command) (io_fcntl_acts(command) && WANTS_ON(fd))
#define SKIPS_ACTS(fd, command) !io_is_on
#define AFTER_ACTED(fd, command, argument) \
    io_fcntl_done(frame.loc, handle, fd, command, argument, ret, error)
#define MISSING_ACTED(...) NOTHING
#define MISSED_ACTED(fd, command, argument) \
    (ret >= 0 && io_fcntl_duplicates(command) ? io_forget(ret) : NOTHING)
#define WANTS_CLONES(fd, request) (io_ioctl_clones(request) && WANTS_ON(fd))
#define SKIPS_CLONES(fd, request) (!io_ioctl_clones(request) || SKIPS_ON(fd))
#define AFTER_CLONED(request, argument) \
    io_cloned(frame.loc, handle, request, argument, ret, error)
#define MISSING_CLONED(...) NOTHING
#define MISSED_CLONED(...) NOTHING
/* clang-format on */

/* The mode that follows where a file may be made. */
#define TAKE_MODE                                                                                  \
    mode_t mode = 0;                                                                               \
    if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) {                                     \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode = va_arg(rest, mode_t);                                                               \
        va_end(rest);                                                                              \
    }

#define OPEN(name)                                                                                 \
    SPUR_EXPORT int name(const char *path, int flags, ...)                                         \
    {                                                                                              \
        TAKE_MODE                                                                                  \
        IO_WAY(name, PATH(path), NOTHING, OPENED(flags), int, VALUE,                               \
               IO_REAL(name)(path, flags, mode));                                                  \
    }
#define OPEN_AT(name)                                                                              \
    SPUR_EXPORT int name(int dir, const char *path, int flags, ...)                                \
    {                                                                                              \
        TAKE_MODE                                                                                  \
        IO_WAY(name, PATH(path), NOTHING, OPENED(flags), int, VALUE,                               \
               IO_REAL(name)(dir, path, flags, mode));                                             \
    }
/* What follows is a word, or nothing, as in the C library's own. */
#define CONTROL(name)                                                                              \
    SPUR_EXPORT int name(int fd, int command, ...)                                                 \
    {                                                                                              \
        va_list rest;                                                                              \
        va_start(rest, command);                                                                   \
        void *argument = va_arg(rest, void *);                                                     \
        va_end(rest);                                                                              \
        IO_WAY(name, ACTS(fd, command), USES(fd), ACTED(fd, command, argument), int, VALUE,        \
               IO_REAL(name)(fd, command, argument));                                              \
    }

/*
 * What is formatted goes to the function that takes a list. VARIADIC(name, with_list, (parameters),
 * the last parameter, (arguments), wants, before, after)
 */
#define VARIADIC_BODY(name, last, call)                                                            \
    {                                                                                              \
        va_list list;                                                                              \
        va_start(list, last);                                                                      \
        int ret = call;                                                                            \
        va_end(list);                                                                              \
        return ret;                                                                                \
    }
#define OPEN_LIST(...) (__VA_ARGS__, va_list list)
#define OPEN_ARGS(...) (__VA_ARGS__, list)
#define OPEN_DOTS(...) (__VA_ARGS__, ...)
#define VARIADIC(name, with_list, parameters, last, arguments, wants, before, after)               \
    static int way_##name OPEN_LIST parameters                                                     \
    {                                                                                              \
        IO_WAY(name, wants, before, after, int, VALUE, IO_REAL(with_list) OPEN_ARGS arguments);    \
    }                                                                                              \
    SPUR_EXPORT int name OPEN_DOTS parameters VARIADIC_BODY(name, last,                            \
                                                            way_##name OPEN_ARGS arguments)

#define PRINTS(name, with_list, parameters, arguments, stream)                                     \
    VARIADIC(name, with_list, parameters, format, arguments, STREAM(stream), USES_STREAM(stream),  \
             STREAMED_WHOLE(WRITE, FORMATTED))
#define PRINTS_WIDE(name, with_list, parameters, arguments, stream)                                \
    VARIADIC(name, with_list, parameters, format, arguments, STREAM(stream),                       \
             USES_STREAM_AT(stream), STREAMED_WHOLE(WRITE, WIDE_FORMATTED(stream)))
#define SCANS(name, with_list, parameters, arguments, stream)                                      \
    VARIADIC(name, with_list, parameters, format, arguments, STREAM(stream),                       \
             USES_STREAM_AT(stream), STREAMED(READ, NOT_KNOWN, SCANNED(stream)))

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): reserved in the headers */
OPEN(open)
OPEN(open64)
OPEN(__open)
OPEN(__open64)
OPEN_AT(openat)
OPEN_AT(openat64)
CONTROL(fcntl)
CONTROL(fcntl64)
CONTROL(__fcntl)

SPUR_EXPORT int ioctl(int fd, unsigned long request, ...)
{
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    IO_WAY(ioctl, CLONES(fd, request), USES(fd), CLONED(request, argument), int, VALUE,
           IO_REAL(ioctl)(fd, request, argument));
}

VARIADIC(dprintf, vdprintf, (int fd, const char *format), format, (fd, format), ON(fd), USES(fd),
         PRINTED)
VARIADIC(__dprintf_chk, __vdprintf_chk, (int fd, int flag, const char *format), format,
         (fd, flag, format), ON(fd), USES(fd), PRINTED)
PRINTS(fprintf, vfprintf, (FILE * stream, const char *format), (stream, format), stream)
PRINTS(__fprintf_chk, __vfprintf_chk, (FILE * stream, int flag, const char *format),
       (stream, flag, format), stream)
PRINTS(printf, vprintf, (const char *format), (format), stdout)
PRINTS(__printf_chk, __vprintf_chk, (int flag, const char *format), (flag, format), stdout)
PRINTS_WIDE(fwprintf, vfwprintf, (FILE * stream, const wchar_t *format), (stream, format), stream)
PRINTS_WIDE(__fwprintf_chk, __vfwprintf_chk, (FILE * stream, int flag, const wchar_t *format),
            (stream, flag, format), stream)
PRINTS_WIDE(wprintf, vwprintf, (const wchar_t *format), (format), stdout)
PRINTS_WIDE(__wprintf_chk, __vwprintf_chk, (int flag, const wchar_t *format), (flag, format),
            stdout)
SCANS(__isoc99_fscanf, __isoc99_vfscanf, (FILE * stream, const char *format), (stream, format),
      stream)
SCANS(__isoc99_scanf, __isoc99_vscanf, (const char *format), (format), stdin)
SCANS(__isoc99_fwscanf, __isoc99_vfwscanf, (FILE * stream, const wchar_t *format), (stream, format),
      stream)
SCANS(__isoc99_wscanf, __isoc99_vwscanf, (const wchar_t *format), (format), stdin)
SCANS(__isoc23_fscanf, __isoc23_vfscanf, (FILE * stream, const char *format), (stream, format),
      stream)
SCANS(__isoc23_scanf, __isoc23_vscanf, (const char *format), (format), stdin)
SCANS(__isoc23_fwscanf, __isoc23_vfwscanf, (FILE * stream, const wchar_t *format), (stream, format),
      stream)
SCANS(__isoc23_wscanf, __isoc23_vwscanf, (const wchar_t *format), (format), stdin)
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
