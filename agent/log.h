/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the agent says: lines "spur: ..." on stderr, by one raw write each. spur_say() of
 * spur_agent.h says each format at most once; nothing of this belongs on a hot path.
 */
#ifndef SPUR_LOG_H
#define SPUR_LOG_H

#include <stdarg.h>

/* Always said. `format` without "spur: " and without the newline. */
void spur_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
void spur_vlog(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

#endif
