/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file that a command writes, one for each process. It has the name PATH.part-PID until it is
 * complete, so that nobody takes a part for the whole; and it is removed when the process ends
 * before. What is there already and is no regular file (a pipe, a device, a descriptor of this
 * process such as /dev/stdout) is written as it is, and never replaced. A link is followed if the
 * link and the file belong to the user, and the file gets its new content beside itself: the link
 * stays. What is wrong ends the process, with one line.
 */
#ifndef TOOLS_BASE_PART_FILE_H
#define TOOLS_BASE_PART_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* A descriptor of it. */
int part_file_open(const char *path);

/* Whether the file at `path` is made anew, and not written as it is. */
bool part_file_is_new(const char *path);

/* The same as a directory with `n` files of these names with this ending. */
void part_file_open_directory(const char *path, const char *const *names, size_t n,
                              const char *ending);

/* The name that it has until it is complete. NULL: it is written as it is. */
const char *part_file_path(void);

/* That name, if process `pid` makes the file. Never freed. */
char *part_file_name(const char *path, long pid);

/* Is told that name, when the file is made. NULL: nobody is. */
extern void (*part_file_made)(const char *name);

/* It is complete. False: it cannot get its name; errno says why. */
bool part_file_done(void);

#endif
