/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file that a command runs, and whether the system's loader can load a library into the file.
 * The program itself is not executed.
 */
#ifndef TOOLS_PROGRAM_H
#define TOOLS_PROGRAM_H

#include <stdbool.h>

enum { PROGRAM_PATH_BYTES = 4096, PROGRAM_SCRIPT_DEPTH = 5 };

/*
 * The file that execvp() would execute for `name`. If `name` has a slash: the file of the same
 * name, of any kind. False: no such file.
 */
bool program_find(const char *name, char path[PROGRAM_PATH_BYTES]);

/*
 * If the file at `path` begins with "#!", replaces `path` by the file of its interpreter (for `env
 * NAME`: NAME), and `interpreter` by the interpreter's name. Returns 1 for a script, 0 for another
 * file, -1 when the interpreter is not found.
 */
int program_follow_script(char path[PROGRAM_PATH_BYTES], char interpreter[PROGRAM_PATH_BYTES]);

/* Whether the file is an ELF file or a script; a file that cannot be read may be a program. */
bool program_is_one(const char *path);

/* Rights that a program gains by being executed: then the loader ignores LD_PRELOAD. */
enum program_rights {
    PROGRAM_ORDINARY,
    PROGRAM_SETUID,
    PROGRAM_SETGID,
    PROGRAM_CAPABLE,        /* by file capabilities */
    PROGRAM_SET_NOT_FOR_US, /* setuid or setgid, but without effect for the user */
    PROGRAM_CAPABLE_NOT_FOR_US,
};

enum program_rights program_rights(const char *path);

/*
 * The reason why no library can be loaded into the program of `command`, and the remedy: the rest
 * of a sentence about the file at `path`, which is filled in. NULL: a library can be loaded, or the
 * answer is not known.
 */
const char *program_is_out_of_reach(const char *command, char path[PROGRAM_PATH_BYTES]);

/*
 * The reason why the program of `command` dies if `library` is preloaded, and the remedy, as above:
 * the program has another C library, or its glibc is older. NULL: the program does not die, or the
 * answer is not known.
 */
const char *program_is_foreign(const char *command, const char *library,
                               char path[PROGRAM_PATH_BYTES]);

/*
 * The same for a program with the given loader, or for the loader as the program. The text lasts
 * until the next call.
 */
const char *program_loader_is_foreign(const char *loader, const char *library);

/*
 * The sanitizer whose runtime the program of `command` is linked to, if the sanitizer has an
 * allocator of its own; NULL: no sanitizer. A script that names the library counts as well. The
 * text is static.
 */
#define PROGRAM_ASAN "AddressSanitizer"
const char *program_sanitizer(const char *command);

#endif
