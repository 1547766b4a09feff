/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the agent says: lines "spur: ..." on stderr, by one raw write each. Nothing
 * of this belongs on a hot path.
 */
#ifndef SPUR_LOG_H
#define SPUR_LOG_H

#include <stdarg.h>

/* At most once for each format, which is without "spur: " and without the newline. */
void spur_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Always. */
void spur_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
void spur_vlog(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

#endif
