/* SPDX-License-Identifier: BSD-3-Clause */
/* SPUR_RECORD: all families of calls, and their groups, in one list, as the variables of the
 * families. */
#ifndef SPUR_SELECTION_H
#define SPUR_SELECTION_H

#include <stddef.h>

enum { SPUR_SELECTION_VARIABLES = 9, SPUR_SELECTION_BYTES = 256 };

/* Names of the variables: "SPUR_WRAP" and those of settings/selection.def. */
extern const char *const spur_selection_variables[SPUR_SELECTION_VARIABLES];

/* A text for each variable; "": the list leaves the variable alone. */
struct spur_selection {
    char text[SPUR_SELECTION_VARIABLES][SPUR_SELECTION_BYTES];
};

/*
 * A comma list of words: default; FAMILY; -FAMILY; FAMILY:GROUP, with further groups behind colons,
 * or FAMILY=VALUE; -FAMILY:GROUP. Returns NULL, or the fault of the list, for "SPUR_RECORD %s"; the
 * text of the fault stays until the next call. Not thread-safe.
 */
const char *spur_selection_read(const char *list, struct spur_selection *out);

/*
 * The settings of calls that differ from the default, as "SPUR_IO=posix SPUR_PYTHON=on", in `text`
 * of `room` bytes; "": none does.
 */
struct spur_config;
void spur_selection_say(const struct spur_config *config, char *text, size_t room);

#endif
