/* SPDX-License-Identifier: BSD-3-Clause */
/* Foreign text: a program, or any writer of an archive, may put any bytes into a name. */
#ifndef TOOLS_EXPORT_TEXT_H
#define TOOLS_EXPORT_TEXT_H

#include "tools/export/export.h"

/* A copy that is valid UTF-8: a byte that is no part of a character is U+FFFD. */
char *text_valid(const char *text);

/* A copy as a JSON string, with its quotes. */
char *text_json(const char *text);

/* A copy as one part of a stack: neither ';' nor control characters. */
char *text_frame(const char *text);

/* What a location is called, with its process. */
char *text_lane(const struct export *x, uint32_t location);

/* The name of an enumeration's value, or its number. */
const char *text_region_role(uint32_t value);
const char *text_paradigm(uint32_t value);
const char *text_collective(uint32_t value);

/* Names by an index, made when they are first asked for. */
struct names {
    LIST(char *) at;
};
const char *names_region(struct export *x, struct names *names, uint32_t region,
                         char *make(const char *));
const char *names_process(struct export *x, struct names *names, uint32_t process,
                          char *make(const char *));
const char *names_comm(struct export *x, struct names *names, uint32_t comm,
                       char *make(const char *));

#endif
