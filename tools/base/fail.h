/* SPDX-License-Identifier: BSD-3-Clause */
/* How a command ends that cannot go on, and what cannot fail since it ends it. */
#ifndef TOOLS_BASE_FAIL_H
#define TOOLS_BASE_FAIL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* The status of such an end: 1, unless the command has set another. */
extern int fail_status;

/* Where other processes work with this one: ends them too, behind the line. NULL: there are none.
 */
extern void (*fail_others)(int status);

/* Where several processes may fail for one reason: waits until it is this one's turn to have the
 * line, which may be never. NULL: it is at once. */
extern void (*fail_turn)(void);

/*
 * One line, "spur: ...", behind what was printed; then the end. Any thread may: the first one has
 * the line.
 */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether a thread has ended the process so. */
bool fail_has_begun(void);

/* The pointer, or the end for want of memory. */
void *there(void *memory);

void *take_memory(size_t bytes); /* zeros */
void *grow_memory(void *memory, size_t bytes);

/* Allocated text. */
char *copy_text(const char *text);
char *copy_path(const char *path); /* without slashes at its end */
char *make_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *vmake_text(const char *format, va_list va) __attribute__((format(printf, 1, 0)));

#endif
