/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the agent may print a line: descriptor 2, under two conditions. The descriptor is still the
 * file of the program's beginning, and the file is the standard error of the session. A program
 * that has closed descriptor 2 has another file under the number, and a daemon has its log there.
 * The output of a command that a shell catches (2>&1, 2>FILE) has a reader. An MPI launcher gives
 * its ranks pipes or terminals, and passes their lines on.
 */
#ifndef SPUR_SAID_TO_H
#define SPUR_SAID_TO_H

#include <stdbool.h>
#include <stddef.h>

/*
 * When the program begins. `session`: the identity of the session's standard error, as text; NULL:
 * not yet known. `text` becomes the identity to be handed down, "" if descriptor 2 is closed.
 */
void spur_said_to_start(const char *session, bool is_rank, char *text, size_t size);

/*
 * From now on lines go to `other` instead, without their newline: a reader outside of the program
 * waits for the lines. NULL: no longer.
 */
void spur_said_to_other(void (*other)(const char *line, size_t length));

/* The line, with its newline. */
void spur_said_to_write(const char *line, size_t bytes);

/* Always true in programs that have not called the above. Keeps errno. */
bool spur_may_say(void);

#endif
