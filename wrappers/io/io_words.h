/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of a comma list. */
#ifndef IO_WORDS_H
#define IO_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool io_is_word(const char *word, size_t length, const char *wanted)
{
    return strlen(wanted) == length && memcmp(word, wanted, length) == 0;
}

#endif
