/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of a command that cannot go on, and functions that cannot fail, because they end the
 * command instead.
 */
#ifndef TOOLS_BASE_FAIL_H
#define TOOLS_BASE_FAIL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Exit status after a failure: 1, unless the command has set another status. */
extern int fail_status;

/*
 * Ends the processes that work together with the calling process, after the line is printed. NULL:
 * the process works alone.
 */
extern void (*fail_others)(int status);

/*
 * Where several processes may fail for the same reason: waits for the turn of the calling process
 * to print the line, possibly for ever. NULL: no waiting.
 */
extern void (*fail_turn)(void);

/*
 * Prints a line, "spur: ...", behind all earlier output; then ends the process. Any thread may call
 * fail(): only the first caller prints its line.
 */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether a thread has called fail(). */
bool fail_has_begun(void);

/* Returns the pointer; without memory (NULL) the command ends. */
void *there(void *memory);

void *take_memory(size_t bytes); /* zeros */
void *grow_memory(void *memory, size_t bytes);

/* Allocated text. */
char *copy_text(const char *text);
char *copy_path(const char *path); /* without slashes at its end */
char *make_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *vmake_text(const char *format, va_list va) __attribute__((format(printf, 1, 0)));

#endif
