/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of locations out of SION containers. They are made in a folder beside the archive's,
 * whose place it takes when all of them are whole; then the anchor file is renamed, and the
 * containers and the rank map go.
 */
#ifndef TOOLS_UNPACK_CONTAINERS_H
#define TOOLS_UNPACK_CONTAINERS_H

#include <stdbool.h>

#include "tools/unpack/unpack_file.h"

/* `base`: the path of the anchor file without its ending. */
bool unpack_containers(struct made *made, const char *base);

/* Behind that, when the new anchor file is beside the old one. */
bool unpack_exchange(struct made *made, const char *base);

/*
 * A run that was cut off has exchanged the folders, but the anchor file is the old one still: the
 * new one takes its place. False: there was no such run.
 */
bool unpack_go_on(struct made *made, const char *base);

/* Removes what a run has made that could not do all. */
void unpack_drop(const char *base);

#endif
