/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Archives that `spur pack` and `spur unpack` make anew in place. Two names change: that of the
 * folder with the files of all locations, and that of the anchor file. Between the two nobody can
 * read the archive, but nothing is lost: either command goes on there.
 */
#ifndef TOOLS_BASE_ARCHIVE_REMADE_H
#define TOOLS_BASE_ARCHIVE_REMADE_H

#include <stdbool.h>

#define ARCHIVE_REMADE ".remade" /* behind the name of what waits for its name */

/* Whether a run was cut off there. The path is that of the anchor file. */
bool archive_is_half_remade(const char *anchor);

/* Whether the files of a folder are SION containers. */
bool archive_has_containers(const char *folder);

#endif
