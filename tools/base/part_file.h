/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file that a command writes. It has the name PATH.part-PID until it is complete, so that
 * nobody takes a part for the whole; and it is removed when the process ends before. What is there
 * already and is no file, such as a pipe, is written as it is.
 */
#ifndef TOOLS_BASE_PART_FILE_H
#define TOOLS_BASE_PART_FILE_H

#include <stdbool.h>

/* Makes it, one for each process: a descriptor. What is wrong ends the process, with one line. */
int part_file_open(const char *path);

/* Whether it has another name, by which other processes can open it. */
bool part_file_has_name(void);

/* That name, if process `pid` makes the file. Never freed. */
char *part_file_name(const char *path, long pid);

/* Is told that name, when the file is made. NULL: nobody is. */
extern void (*part_file_made)(const char *name);

/* It is complete. False: it cannot get its name; errno says why. */
bool part_file_done(void);

#endif
