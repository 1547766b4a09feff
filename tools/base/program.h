/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which file a command runs, and whether the system's loader can load a library into it. The
 * program itself is not executed.
 */
#ifndef TOOLS_PROGRAM_H
#define TOOLS_PROGRAM_H

#include <stdbool.h>

enum { PROGRAM_PATH_BYTES = 4096, PROGRAM_SCRIPT_DEPTH = 5 };

/*
 * The file that execvp() would execute for `name`, or with a slash in it the file of that name,
 * whatever it is; false when there is none.
 */
bool program_find(const char *name, char path[PROGRAM_PATH_BYTES]);

/*
 * If the file at `path` begins with "#!", replace `path` by the file of its interpreter (that of
 * `env NAME` is NAME), and `interpreter` by its name. Returns 1 for a script, 0 for another file,
 * -1 when the interpreter is not found.
 */
int program_follow_script(char path[PROGRAM_PATH_BYTES], char interpreter[PROGRAM_PATH_BYTES]);

/* An ELF file or a script; a file that cannot be read may be one. */
bool program_is_one(const char *path);

/* Rights that a program gains by being executed: then the loader ignores LD_PRELOAD. */
enum program_rights {
    PROGRAM_ORDINARY,
    PROGRAM_SETUID,
    PROGRAM_SETGID,
    PROGRAM_CAPABLE,        /* by file capabilities */
    PROGRAM_SET_NOT_FOR_US, /* setuid or setgid, but not for this user */
    PROGRAM_CAPABLE_NOT_FOR_US,
};

enum program_rights program_rights(const char *path);

/*
 * Why nothing can be loaded into what `command` runs, and the remedy: the rest of a sentence about
 * the file at `path`, which is filled in. NULL: something can, or it is not known.
 */
const char *program_is_out_of_reach(const char *command, char path[PROGRAM_PATH_BYTES]);

/*
 * Why the program dies if `library` is preloaded into what `command` runs, and the remedy, as
 * above: it is of another C library, or its glibc is older. NULL: it does not, or it is not known.
 */
const char *program_is_foreign(const char *command, const char *library,
                               char path[PROGRAM_PATH_BYTES]);

/*
 * The same for a program that names this loader, or for this loader as the program. The text lasts
 * until the next call.
 */
const char *program_loader_is_foreign(const char *loader, const char *library);

/*
 * The sanitizer whose runtime what `command` runs is linked to, if that has an allocator of its
 * own; NULL: none. A script counts as well that names the library. The text is static.
 */
#define PROGRAM_ASAN "AddressSanitizer"
const char *program_sanitizer(const char *command);

#endif
