/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A callback and its data must be seen together; two slots let one be read while the other is set.
 */
struct handler {
    OTF2_ErrorCallback callback;
    void *user;
};

static struct handler slots[2];
static const struct handler *_Atomic handler = &slots[0];

static const struct {
    OTF2_ErrorCode code;
    const char *name;
    const char *description;
} errors[] = {
#define X(NAME, value, description) {OTF2_##NAME, #NAME, description},
#include <otf2/otf2_errors.def>
#undef X
};

static long find(OTF2_ErrorCode code)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].code == code)
            return (long)i;
    return -1;
}

const char *OTF2_Error_GetName(OTF2_ErrorCode errorCode)
{
    static const char prefix[] = "ERROR_";
    long i = find(errorCode);
    if (i < 0)
        return "INVALID";
    bool has_prefix = strncmp(errors[i].name, prefix, sizeof prefix - 1) == 0;
    return errors[i].name + (has_prefix ? sizeof prefix - 1 : 0);
}

const char *OTF2_Error_GetDescription(OTF2_ErrorCode errorCode)
{
    long i = find(errorCode);
    return i < 0 ? "Unknown error code" : errors[i].description;
}

OTF2_ErrorCallback OTF2_Error_RegisterCallback(OTF2_ErrorCallback errorCallbackIn, void *userData)
{
    const struct handler *old = handler;
    struct handler *unused = old == &slots[0] ? &slots[1] : &slots[0];
    unused->callback = errorCallbackIn;
    unused->user = userData;
    handler = unused;
    return old->callback;
}

static const char *severity(OTF2_ErrorCode code)
{
    switch ((int)code) {
    case OTF2_WARNING:
        return "warning";
    case OTF2_DEPRECATED:
        return "deprecated";
    case OTF2_ABORT:
        return "abort";
    default:
        return "error";
    }
}

void otf2_error_print(FILE *to, OTF2_ErrorCode code, const char *file, uint64_t line,
                      const char *format, va_list va)
{
    char text[512] = "";
    if (format)
        vsnprintf(text, sizeof text, format, va);
    bool is_error = (int)code >= 0;
    fprintf(to, "[OTF2] %s:%llu: %s%s%s%s%s\n", file, (unsigned long long)line, severity(code),
            is_error ? ": " : "", is_error ? OTF2_Error_GetDescription(code) : "",
            *text ? ": " : "", text);
}

OTF2_ErrorCode otf2_error_va(OTF2_ErrorCode code, const char *file, uint64_t line,
                             const char *function, const char *format, va_list va)
{
    const struct handler *to = handler;
    OTF2_ErrorCode answer = code;
    int saved = errno;
    if (to->callback) {
        answer = to->callback(to->user, file, line, function, code, format ? format : "", va);
    } else {
        otf2_error_print(stderr, code, file, line, format, va);
    }
    errno = saved;
    return answer;
}

OTF2_ErrorCode otf2_error(OTF2_ErrorCode code, const char *file, uint64_t line,
                          const char *function, const char *format, ...)
{
    /* Names are unique, and where it was built is nobody's matter. */
    const char *slash = strrchr(file, '/');
    va_list va;
    va_start(va, format);
    OTF2_ErrorCode answer =
        otf2_error_va(code, slash ? slash + 1 : file, line, function, format, va);
    va_end(va);
    return answer;
}

OTF2_ErrorCode otf2_error_from_errno(int error)
{
    static const struct {
        int number;
        OTF2_ErrorCode code;
    } codes[] = {
    /* EAGAIN and EWOULDBLOCK are the same number: the first row wins. */
#define POSIX(ERRNO, value, description) {ERRNO, OTF2_ERROR_##ERRNO},
#define X(NAME, value, description)
#include <otf2/otf2_errors.def>
#undef X
    };
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i].number == error)
            return codes[i].code;
    return OTF2_ERROR_INVALID;
}
