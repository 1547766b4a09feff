/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that users give to archives. */
#ifndef TOOLS_ARCHIVE_PATH_H
#define TOOLS_ARCHIVE_PATH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The anchor file of a directory: its traces.otf2, or the only .otf2 file there. For anything else
 * than a directory: the path itself. The text lives as long as the process.
 */
const char *archive_path(const char *path);

/*
 * The same for a command that reads the archive: ends the process when there is no archive, with
 * the same words in each command.
 */
const char *archive_anchor(const char *path);

/*
 * Where a file that is derived from the archive is kept: DIR/.NAME.ENDING beside DIR/NAME.otf2, or
 * in the user's cache. The second function makes the folder of the cache; the file is named by the
 * whole path, because archives of the same name must not collide. NULL: the user has no cache. To
 * be freed.
 */
char *archive_beside(const char *anchor, const char *ending);
char *archive_in_cache(const char *anchor, const char *ending);

/*
 * Digest of the contents of the anchor file and of the definitions: copies of an archive have the
 * same digest.
 */
uint64_t archive_digest(const char *anchor);

/*
 * True if the archive is not finished (only its records exist), or if `spur pack` or `spur unpack`
 * was cut off between the last two steps. Then the function prints the state and the remedy.
 */
bool archive_say_incomplete(const char *path);

#endif
