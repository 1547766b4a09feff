/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors of the OTF2 library about an unreadable archive, in the words of spur: the file, the
 * fault, and the remedy, in a single line. The place in the library's source is left out: it is of
 * no use to the owner of the archive.
 */
#ifndef TOOLS_BASE_COMPLAINT_H
#define TOOLS_BASE_COMPLAINT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <otf2/OTF2_ErrorCodes.h>

/* The remedy for a damaged archive; the %s is the path of the archive. */
#define COMPLAINT_REMEDY "; 'spur check %s' tells more"

/*
 * The message of the library's error, with the system's reason where the system gave a reason.
 * Allocated.
 */
char *complaint_words(OTF2_ErrorCode code, const char *format, va_list va)
    __attribute__((format(printf, 2, 0)));

/* ---- errors that are printed at once ---- */

/*
 * Whether an error is to be printed: a warning is, and the first error. The first error ends the
 * command. So further errors, and the same error of more locations, would be no news. Any thread
 * may ask.
 */
bool complaint_is_news(OTF2_ErrorCode code);
bool complaint_was_said(void);
/* The printed error did not end the command: the next error is news again. */
void complaint_go_on(void);

/* The line of an error in the archive, '\n' included. Allocated; NULL: there is no memory. */
char *complaint_line(const char *archive, OTF2_ErrorCode code, const char *format, va_list va)
    __attribute__((format(printf, 3, 0)));

/* ---- errors that are printed at the end ---- */

/* From now on the first error in the archive is kept. */
void complaint_keep(const char *archive);

/* The kept error; NULL: there was no error. */
const char *complaint_kept(void);

/*
 * fail() with the kept error. Without a kept error: with the archive's path and the given message.
 * The remedy follows in both cases.
 */
_Noreturn void complaint_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
