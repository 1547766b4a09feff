/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a command under the agent, waits for the command and has the archive finished. No shell is
 * involved: a shell changes the command's signal dispositions, standard input or exit status.
 */
#ifndef TOOLS_SUPERVISE_H
#define TOOLS_SUPERVISE_H

#include "tools/launch/inherited.h"

struct run {
    const char *libexec;                  /* folder of spur-finish */
    struct inherited_libraries preloaded; /* into the command */
    const char *dir;                      /* of the session */
    const char *name;                     /* name of the command in messages */
    const char *marker;                   /* a file to remove at the end; NULL: none */
    char **command;
};

/*
 * If the command ended by a status, returns the result for main(). If a signal ended the command,
 * ends by the same signal. LAUNCH_NOT_FOUND and LAUNCH_CANNOT_EXECUTE are the values of a shell.
 */
int supervise(const struct run *run);

/*
 * Becomes the command. Returns only when the command cannot be executed, with the status of a shell
 * in the same case.
 */
int supervise_become(const struct run *run);

#endif
