/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/own_stack.h"
#include "base/said_to.h"

enum { LINE = 1024, FORMATS = 64, CONTROLS = 0x20, DELETE = 0x7f };

/* A line stays one line, and does nothing to a terminal, whatever names are in it. */
static size_t put_text(char *line, size_t at, const char *text)
{
    for (; *text && at < LINE - 1; text++) {
        unsigned char c = (unsigned char)*text;
        if (c >= CONTROLS && c != DELETE)
            line[at++] = *text;
        else if (at < LINE - sizeof "\\000")
            at += (size_t)snprintf(line + at, LINE - at, c == '\n' ? "\\n" : "\\%03o", c);
    }
    return at;
}

struct words {
    const char *format;
    va_list args;
};

/* The attributes of spur_vlog() and spur_log() have the format checked where it is written. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void say(void *data)
{
    static const char prefix[] = "spur: ";
    struct words *words = data;
    char line[LINE], text[LINE];
    int saved = errno;
    if (!spur_may_say())
        return;
    memcpy(line, prefix, sizeof prefix);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is, by spur_log() below */
    int n = vsnprintf(text, sizeof text, words->format, words->args);
    size_t at = put_text(line, sizeof prefix - 1, n < 0 ? "" : text);
    line[at++] = '\n';
    spur_said_to_write(line, at);
    errno = saved;
}
#pragma GCC diagnostic pop

void spur_vlog(const char *format, va_list args)
{
    struct words words = {.format = format};
    va_copy(words.args, args);
    spur_on_own_stack(say, &words);
    va_end(words.args);
}

void spur_log(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    spur_vlog(format, args);
    va_end(args);
}

/* Slots are claimed in order; a full table repeats itself rather than staying silent. */
static bool is_first(const char *format)
{
    static _Atomic(const char *) said[FORMATS];
    for (int i = 0; i < FORMATS; i++) {
        const char *seen = NULL;
        if (atomic_compare_exchange_strong(&said[i], &seen, format))
            return true;
        if (seen == format)
            return false;
    }
    return true;
}

void spur_say(const char *format, ...)
{
    if (!is_first(format))
        return;
    va_list args;
    va_start(args, format);
    spur_vlog(format, args);
    va_end(args);
}
