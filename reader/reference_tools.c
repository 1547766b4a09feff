/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the reference's own tools (otf2-print and the like) take from its library besides the API,
 * under names that no header declares. With these four they run on this library as they are.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/OTF2_ErrorCodes.h>

#include "format/error.h"

/*
 * Reports an error of a tool.
 *   srcdir    the part of `fileName` that is not shown.
 *   format    NULL: there is nothing to say besides the code.
 */
OTF2_API __attribute__((format(printf, 6, 7))) OTF2_ErrorCode
OTF2_UTILS_Error_Handler(const char *srcdir, const char *fileName, uint64_t line,
                         const char *functionName, OTF2_ErrorCode errorCode, const char *format,
                         ...);

/* The same for what a tool cannot go on after: ends the process. */
OTF2_API _Noreturn __attribute__((format(printf, 5, 6))) void
OTF2_UTILS_Error_Abort(const char *srcdir, const char *fileName, uint64_t line,
                       const char *functionName, const char *format, ...);

/* The code for a value of errno; OTF2_SUCCESS for 0. */
OTF2_API OTF2_ErrorCode OTF2_UTILS_Error_FromPosix(int posixErrno);

/* What is behind the last slash, borrowed. */
OTF2_API const char *OTF2_UTILS_IO_GetWithoutPath(const char *path);

static const char *without_dir(const char *file, const char *dir)
{
    size_t n = strlen(dir);
    return strncmp(file, dir, n) == 0 ? file + n : file;
}

OTF2_ErrorCode OTF2_UTILS_Error_Handler(const char *srcdir, const char *fileName, uint64_t line,
                                        const char *functionName, OTF2_ErrorCode errorCode,
                                        const char *format, ...)
{
    va_list va;
    va_start(va, format);
    OTF2_ErrorCode answer =
        otf2_error_va(errorCode, without_dir(fileName, srcdir), line, functionName, format, va);
    va_end(va);
    return answer;
}

void OTF2_UTILS_Error_Abort(const char *srcdir, const char *fileName, uint64_t line,
                            const char *functionName, const char *format, ...)
{
    va_list va;
    va_start(va, format);
    otf2_error_va(OTF2_ABORT, without_dir(fileName, srcdir), line, functionName, format, va);
    va_end(va);
    abort();
}

OTF2_ErrorCode OTF2_UTILS_Error_FromPosix(int posixErrno)
{
    return posixErrno ? otf2_error_from_errno(posixErrno) : OTF2_SUCCESS;
}

const char *OTF2_UTILS_IO_GetWithoutPath(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
