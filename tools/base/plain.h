/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of an archive, which may hold any bytes, as data for other programs. */
#ifndef TOOLS_BASE_PLAIN_H
#define TOOLS_BASE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { NO_CHARACTER = 0xfffd };

/* One character of UTF-8 and its bytes. A wrong byte is a replacement character of one byte. */
uint32_t text_character(const char *text, size_t *bytes);

/* Control characters can change what a terminal shows of the rest. */
bool text_is_control(uint32_t code);

void json_text(const char *text, FILE *out); /* with quotation marks */
void csv_text(const char *text, FILE *out);  /* with them where it needs them */

#endif
