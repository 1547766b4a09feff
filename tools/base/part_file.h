/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The output file of a command, at most a single file for each process. The file is called
 * PATH.part-PID until it is complete, so that nobody takes a part for the whole. If the process
 * ends before, the file is removed. An existing target that is no regular file (a pipe, a device, a
 * descriptor of the process such as /dev/stdout) is written directly, and never replaced. A link is
 * followed if link and file both belong to the user. Then the new content is written beside the
 * file that the link points to: the link stays. Every error ends the process, with a line.
 */
#ifndef TOOLS_BASE_PART_FILE_H
#define TOOLS_BASE_PART_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Opens the output file and returns a descriptor. */
int part_file_open(const char *path);

/* Whether the file at `path` is made anew, instead of written directly. */
bool part_file_is_new(const char *path);

/* The same for a directory with `n` files of the given names, all with the given ending. */
void part_file_open_directory(const char *path, const char *const *names, size_t n,
                              const char *ending);

/* The name of the file until completion. NULL: the target is written directly. */
const char *part_file_path(void);

/* The temporary name if process `pid` makes the file. Never freed. */
char *part_file_name(const char *path, long pid);

/* Is told the temporary name, when the file is made. NULL: nobody is told. */
extern void (*part_file_made)(const char *name);

/* The file is complete and gets its final name. False: renaming failed; errno has the reason. */
bool part_file_done(void);

#endif
