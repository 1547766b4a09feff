/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the library says of events that it cannot read. The first error ends the command. So the
 * same of other locations, whose files the reader opens at the same moment, would be no news.
 */
#ifndef PRINT_COMPLAINT_H
#define PRINT_COMPLAINT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <otf2/OTF2_ErrorCodes.h>

/* Whether this is to be said: it is a warning, or the first error. Any thread may ask. */
bool complaint_is_news(OTF2_ErrorCode code);

/* An OTF2_ErrorCallback that says news on standard error, as the library does. Returns `code`. */
OTF2_ErrorCode complaint_say(void *user, const char *file, uint64_t line, const char *function,
                             OTF2_ErrorCode code, const char *format, va_list va)
    __attribute__((format(printf, 6, 0)));

#endif
