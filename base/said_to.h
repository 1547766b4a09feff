/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the agent may say something: descriptor 2, as long as it is the file that it was when the
 * program began, and when that is the standard error of the session. A program that has closed it
 * has a file of its own under the number; a daemon has its log there; what a shell catches of a
 * command (2>&1, 2>FILE) somebody reads. An MPI launcher gives its ranks pipes or terminals, and
 * passes on what comes.
 */
#ifndef SPUR_SAID_TO_H
#define SPUR_SAID_TO_H

#include <stdbool.h>
#include <stddef.h>

/*
 * When the program begins. `session`: what the session's standard error is, as text; NULL: nobody
 * has said so yet, and `text` becomes what is to be handed down, "" if it is closed.
 */
void spur_said_to_start(const char *session, bool is_rank, char *text, size_t size);

/*
 * From now on lines go to `other` instead, without their newline: somebody waits for them who is no
 * part of the program. NULL: no longer.
 */
void spur_said_to_other(void (*other)(const char *line, size_t length));

/* The line, with its newline. */
void spur_said_to_write(const char *line, size_t bytes);

/* Always true in programs that have not called the above. Keeps errno. */
bool spur_may_say(void);

#endif
