/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_VIEW_UTF8_H
#define TOOLS_VIEW_UTF8_H

#include <stdint.h>

enum { UTF8_BAD = 0xfffd };

/* The next character, past which `text` is moved; U+FFFD for a byte that is no part of one. */
uint32_t utf8_next(const char **text);

#endif
