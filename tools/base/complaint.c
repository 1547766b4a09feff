/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/complaint.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/fail.h"
#include "tools/base/say.h"

/* The library says what could not be done; its code is the system's reason. */
static bool is_of_system(OTF2_ErrorCode code)
{
    switch ((int)code) {
#define X(NAME, value, description)
#define POSIX(ERRNO, value, description) case OTF2_ERROR_##ERRNO:
#include <otf2/otf2_errors.def>
#undef X
        return true;
    default:
        return false;
    }
}

char *complaint_words(OTF2_ErrorCode code, const char *format, va_list va)
{
    char *said = vmake_text(format, va);
    if (said[0] && !is_of_system(code))
        return said;
    char *words = make_text("%s%s%s", said, said[0] ? ": " : "", OTF2_Error_GetDescription(code));
    free(said);
    return words;
}

/* ---- what is said at once ---- */

static atomic_bool was_said;

bool complaint_is_news(OTF2_ErrorCode code)
{
    return (int)code < 0 || !atomic_exchange(&was_said, true);
}

bool complaint_was_said(void)
{
    return atomic_load(&was_said);
}

void complaint_go_on(void)
{
    atomic_store(&was_said, false);
}

__attribute__((format(printf, 1, 2))) static char *line_of(const char *format, ...)
{
    va_list va;
    va_start(va, format);
    char *line = say_line(format, va);
    va_end(va);
    return line;
}

char *complaint_line(const char *archive, OTF2_ErrorCode code, const char *format, va_list va)
{
    char *words = complaint_words(code, format, va);
    char *line = (int)code < 0 ? line_of("warning: %s", words)
                               : line_of("%s" COMPLAINT_REMEDY, words, archive);
    free(words);
    return line;
}

/* ---- what is said at the end ---- */

static const char *kept_of;
static char *kept;

__attribute__((format(printf, 6, 0))) static OTF2_ErrorCode
on_error(void *user, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
         const char *format, va_list va)
{
    (void)user, (void)file, (void)line, (void)function;
    if (!kept && (int)code > 0)
        kept = complaint_words(code, format, va);
    return code;
}

void complaint_keep(const char *archive)
{
    kept_of = archive;
    OTF2_Error_RegisterCallback(on_error, NULL);
}

const char *complaint_kept(void)
{
    return kept;
}

void complaint_fail(const char *format, ...)
{
    va_list va;
    va_start(va, format);
    char *what = vmake_text(format, va);
    va_end(va);
    if (kept)
        fail("%s" COMPLAINT_REMEDY, kept, kept_of);
    fail("%s: %s" COMPLAINT_REMEDY, kept_of, what, kept_of);
}
