/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a command under the agent, waits for it and has the archive finished. No shell does this:
 * one changes the command's signal dispositions, standard input or exit status.
 */
#ifndef TOOLS_SUPERVISE_H
#define TOOLS_SUPERVISE_H

#include "tools/launch/inherited.h"

struct run {
    const char *libexec;                  /* folder of spur-finish */
    struct inherited_libraries preloaded; /* into the command */
    const char *dir;                      /* of the session */
    const char *name;                     /* what the command is called in messages */
    const char *marker;                   /* an empty directory to remove at the end, NULL: none */
    char **command;
};

/*
 * Returns what main() has to return when the command ended by a status, and ends by the signal that
 * ended the command; LAUNCH_NOT_FOUND and LAUNCH_CANNOT_EXECUTE are those of a shell.
 */
int supervise(const struct run *run);

/* Becomes the command. Returns only when it cannot be executed, with the shell's status for that.
 */
int supervise_become(const struct run *run);

#endif
