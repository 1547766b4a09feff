/* SPDX-License-Identifier: BSD-3-Clause */
/* A file of a compressed archive, unpacked beside itself. Several threads may do that. */
#ifndef TOOLS_UNPACK_FILE_H
#define TOOLS_UNPACK_FILE_H

#include "tools/unpack/remake.h"

/* Once, before any thread: a file that becomes shorter while it is read is a fault like others. */
void unpack_expect_short_files(void);

/* The file `made->file`. What is plain already was unpacked by a run that was cut off. */
bool unpack_file(struct made *made, const char *path, uint64_t chunk_bytes);

#endif
