/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the OTF2 library says of an archive that cannot be read, in the words of spur: the file,
 * what is wrong with it, and what to do, in one line. No place in the source of the library: it is
 * of no use to whoever has the archive.
 */
#ifndef TOOLS_BASE_COMPLAINT_H
#define TOOLS_BASE_COMPLAINT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <otf2/OTF2_ErrorCodes.h>

/* What to do about an archive that is damaged; one %s is its path. */
#define COMPLAINT_REMEDY "; 'spur check %s' tells more"

/* What an error of the library says, with the reason that the system gave. Allocated. */
char *complaint_words(OTF2_ErrorCode code, const char *format, va_list va)
    __attribute__((format(printf, 2, 0)));

/* ---- what is said at once ---- */

/*
 * Whether this is to be said: it is a warning, or the first error. That one ends the command. So
 * what else is wrong, and the same of other locations, would be no news. Any thread may ask.
 */
bool complaint_is_news(OTF2_ErrorCode code);
bool complaint_was_said(void);
/* The error that was said did not end the command: the next one is news. */
void complaint_go_on(void);

/* The line of an error in the archive, '\n' included. Allocated; NULL: there is no memory. */
char *complaint_line(const char *archive, OTF2_ErrorCode code, const char *format, va_list va)
    __attribute__((format(printf, 3, 0)));

/* ---- what is said at the end ---- */

/* From now on the first error in the archive is kept. */
void complaint_keep(const char *archive);

/* NULL: there was none. */
const char *complaint_kept(void);

/* fail() with what was kept, or else with this of the archive, and what to do. */
_Noreturn void complaint_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
