/* SPDX-License-Identifier: BSD-3-Clause */
/* ioctl() that makes a file share the blocks of another one: FICLONE, FICLONERANGE. */
#ifndef IO_CLONE_H
#define IO_CLONE_H

#include <stdbool.h>

#include "wrappers/io/io_emit.h"

/* Is it a request for that? */
bool io_ioctl_clones(unsigned long request);

/*
 * After such a call on `handle`: an operation of each of the two files, as of copy_file_range(2).
 * `argument` is what the program gave. Keeps errno.
 */
void io_cloned(struct spur_loc *loc, OTF2_IoHandleRef handle, unsigned long request,
               const void *argument, int ret, int error);

#endif
