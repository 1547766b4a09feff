/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SAY_H
#define TOOLS_SAY_H

#include <stdarg.h>

/*
 * One line on stderr, which begins with "spur: ". What names of files and arguments bring along of
 * control characters is written as in C, so that it stays one.
 */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void vsay(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/* The same line, '\n' included, for others to write: allocated, or NULL, there is no memory. */
char *say_line(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

#endif
