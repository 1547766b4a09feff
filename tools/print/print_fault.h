/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library says of the archive: one line on standard error, at once. */
#ifndef PRINT_FAULT_H
#define PRINT_FAULT_H

#include <stdarg.h>
#include <stdint.h>

#include <otf2/OTF2_ErrorCodes.h>

/* An OTF2_ErrorCallback. Returns `code`. */
OTF2_ErrorCode fault_say(void *user, const char *file, uint64_t line, const char *function,
                         OTF2_ErrorCode code, const char *format, va_list va)
    __attribute__((format(printf, 6, 0)));

#endif
