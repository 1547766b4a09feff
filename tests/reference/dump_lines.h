/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines that are put together word by word and printed at their end, or hashed when they are many.
 */
#ifndef REFERENCE_DUMP_LINES_H
#define REFERENCE_DUMP_LINES_H

#include "common.h"

#include <stdarg.h>

enum { LINE_ROOM = 1 << 16, LONG_TEXT = 100, LONG_ARRAY = 12, LINES_PER_HASH = 64 };

static char line[LINE_ROOM];
static size_t line_length;

/* Long passes show a hash of so many lines instead of each. */
static bool is_digest;
static uint64_t digest, n_digested;

static inline uint64_t hash(uint64_t start, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    uint64_t word = n;
    for (; n >= sizeof word; at += sizeof word, n -= sizeof word) {
        start = (start ^ word) * UINT64_C(1099511628211);
        start ^= start >> 29;
        memcpy(&word, at, sizeof word);
    }
    start = (start ^ word) * UINT64_C(1099511628211);
    while (n--)
        start = (start ^ *at++) * UINT64_C(1099511628211);
    return start;
}

__attribute__((format(printf, 1, 2))) static inline void put(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line + line_length, LINE_ROOM - line_length, format, args);
    va_end(args);
    line_length += (size_t)n;
    if (line_length >= LINE_ROOM)
        line_length = LINE_ROOM - 1;
}

/* What there is in every record, without the detour over a format. */
static inline void put_word(const char *word)
{
    size_t n = strlen(word);
    if (line_length + n + 2 > LINE_ROOM)
        return;
    line[line_length] = ' ';
    memcpy(line + line_length + 1, word, n + 1);
    line_length += n + 1;
}

static inline void put_number(uint64_t number)
{
    char digits[24];
    char *at = digits + sizeof digits;
    *--at = '\0';
    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    put_word(at);
}

static inline void end_digest(void)
{
    if (n_digested % LINES_PER_HASH)
        printf("up to %" PRIu64 ": %016" PRIx64 "\n", n_digested, digest);
}

static inline void end_line(void)
{
    if (!is_digest) {
        puts(line);
    } else {
        digest = hash(digest, line, line_length);
        if (++n_digested % LINES_PER_HASH == 0)
            printf("up to %" PRIu64 ": %016" PRIx64 "\n", n_digested, digest);
    }
    line_length = 0;
    line[0] = '\0';
}

#endif
