/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Error reports of the library: each error is reported once, where the error is found. The
 * program's callback gets the report (OTF2_Error_RegisterCallback); without a callback a line goes
 * to stderr. errno is kept. Any thread.
 */
#ifndef FORMAT_ERROR_H
#define FORMAT_ERROR_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <otf2/OTF2_ErrorCodes.h>

/* Returns the result of the failing function: `code`, or the callback's answer. */
__attribute__((format(printf, 5, 6))) OTF2_ErrorCode otf2_error(OTF2_ErrorCode code,
                                                                const char *file, uint64_t line,
                                                                const char *function,
                                                                const char *format, ...);

/* The same with the file's name unchanged; NULL for `format`: the code says all. */
__attribute__((format(printf, 5, 0))) OTF2_ErrorCode otf2_error_va(OTF2_ErrorCode code,
                                                                   const char *file, uint64_t line,
                                                                   const char *function,
                                                                   const char *format, va_list va);

/* Prints the line of a library without a callback to a stream: for use in callbacks. */
__attribute__((format(printf, 5, 0))) void otf2_error_print(FILE *to, OTF2_ErrorCode code,
                                                            const char *file, uint64_t line,
                                                            const char *format, va_list va);

/* return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "chunk size %llu", ...); */
#define OTF2_ERROR(code, ...) otf2_error(code, __FILE__, __LINE__, __func__, __VA_ARGS__)

/* The code for a value of errno; OTF2_ERROR_INVALID for an unknown value. */
OTF2_ErrorCode otf2_error_from_errno(int error);

#endif
