/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The results of the library's functions, and the reports of errors to a program. Names, values and
 * signatures are those of OTF2 3.2.
 */
#ifndef OTF2_ERRORCODES_H
#define OTF2_ERRORCODES_H

#include <stdarg.h>
#include <stdint.h>

#include <otf2/otf2_tables_begin.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * On every function of the public API: the function is exported although the rest of the library is
 * not.
 */
#define OTF2_API __attribute__((visibility("default")))

/*
 * Calls and constants that OTF2 has replaced: compilers warn, except in programs that define
 * OTF2_IGNORE_ATTRIBUTE_DEPRECATED. OTF2_IF_OLD_ gives the attribute to the records and constants
 * in this list.
 */
#if defined(__GNUC__) && !defined(OTF2_IGNORE_ATTRIBUTE_DEPRECATED)
#define __otf2_deprecated__ __attribute__((deprecated))
#else
#define __otf2_deprecated__
#endif
#define OTF2_OLD_OmpFork , __otf2_deprecated__
#define OTF2_OLD_OmpJoin , __otf2_deprecated__
#define OTF2_OLD_OmpAcquireLock , __otf2_deprecated__
#define OTF2_OLD_OmpReleaseLock , __otf2_deprecated__
#define OTF2_OLD_OmpTaskCreate , __otf2_deprecated__
#define OTF2_OLD_OmpTaskSwitch , __otf2_deprecated__
#define OTF2_OLD_OmpTaskComplete , __otf2_deprecated__
#define OTF2_OLD_Callsite , __otf2_deprecated__
#define OTF2_OLD_OTF2_LOCATION_TYPE_GPU , __otf2_deprecated__
#define OTF2_OLD_OTF2_COMPRESSION_ZLIB , __otf2_deprecated__
#define OTF2_IF_OLD_(...) OTF2_OLD_SECOND_(__VA_ARGS__)
#define OTF2_OLD_SECOND_(first, second, ...) second

/* One constant per row of otf2_errors.def; OTF2_SUCCESS is 0. */
typedef enum {
#define X(NAME, value, description) OTF2_##NAME = (value),
#include <otf2/otf2_errors.def>
#undef X
} OTF2_ErrorCode;

/*
 * The callback for errors: gets every error, on the thread of the error, before the function that
 * failed returns.
 *   userData         as given to OTF2_Error_RegisterCallback.
 *   file, line,      the place in the library where the error was found; the strings are static.
 *   function
 *   errorCode        the error; negative codes are warnings and notices.
 *   msgFormatString  a printf format for `va`, more about this occurrence; may be NULL or "".
 *
 * The answer becomes the return value of the failed function; callbacks usually answer errorCode. A
 * callback may run on several threads at the same time and must not call the library.
 */
typedef OTF2_ErrorCode (*OTF2_ErrorCallback)(void *userData, const char *file, uint64_t line,
                                             const char *function, OTF2_ErrorCode errorCode,
                                             const char *msgFormatString, va_list va);

/*
 * The name of an error code without its prefix ("SUCCESS", "ERROR_..." becomes "..."), static;
 * "INVALID" for a number that is no code. Any thread may call the function at any time.
 */
OTF2_API const char *OTF2_Error_GetName(OTF2_ErrorCode errorCode);

/* One English sentence about an error code, static; never NULL. Any thread, any time. */
OTF2_API const char *OTF2_Error_GetDescription(OTF2_ErrorCode errorCode);

/*
 * Sets the callback for errors, for the whole process. NULL restores the initial state: errors are
 * printed to stderr.
 *   userData  is handed to the callback; stays the program's.
 *
 * Returns the previous callback, NULL when there was no callback. To be called while no other
 * thread is inside the library.
 */
OTF2_API OTF2_ErrorCallback OTF2_Error_RegisterCallback(OTF2_ErrorCallback errorCallbackIn,
                                                        void *userData);

#ifdef __cplusplus
}
#endif

#include <otf2/otf2_tables_end.h>

#endif
