/* SPDX-License-Identifier: BSD-3-Clause */
/* From the number of a process to the files that it records into. */
#ifndef TOOLS_SESSION_MAPPED_H
#define TOOLS_SESSION_MAPPED_H

#include <stdbool.h>
#include <stddef.h>

/* What the segment of a process is called in its folder. */
#define MAPPED_SEGMENT "/segment"

/*
 * The segment that the process has mapped: SESSION/.spur/NAME/segment. False: there is none; a line
 * has said why.
 */
bool mapped_segment(unsigned long pid, char *path, size_t size);

#endif
