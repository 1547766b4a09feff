/* SPDX-License-Identifier: BSD-3-Clause */
/* Which files are recorded, by where they lie (SPUR_IO_PATHS). */
#ifndef IO_PATHS_H
#define IO_PATHS_H

#include <stdbool.h>

/* Before the first of the others. `text` is borrowed for good; NULL: the default. */
void io_paths_start(const char *text);

/* Is a file with this absolute path recorded? The directory with the longest name decides. */
bool io_path_is_wanted(const char *path);

/*
 * May a file that a call names be recorded? A relative path may be anything. The path is the
 * program's and may be no address at all: then it is not.
 */
bool io_path_may_be_wanted(const char *path);

#endif
