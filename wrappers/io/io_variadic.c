/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrappers of functions with a variable argument list. */
#include <stdarg.h>

#include "wrappers/io/io_meanings.h"

/* clang-format off */
#define ACTS(fd, command) (io_fcntl_acts(command) && io_wants(fd))
#define AFTER_ACTED(fd, command, argument) \
    io_fcntl_done(frame.loc, handle, fd, command, argument, ret, error)
#define MISSING_ACTED(...) NOTHING
#define MISSED_ACTED(fd, command, argument) \
    (ret >= 0 && io_fcntl_duplicates(command) ? io_forget(ret) : NOTHING)
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
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
