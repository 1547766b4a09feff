/* SPDX-License-Identifier: BSD-3-Clause */
/* What a user names an archive by. */
#ifndef TOOLS_ARCHIVE_PATH_H
#define TOOLS_ARCHIVE_PATH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The anchor file of a directory: its traces.otf2, or the only .otf2 file there; of anything else
 * the path as it is. Lives as long as the process.
 */
const char *archive_path(const char *path);

/*
 * The same for a command that reads the archive: ends the process when there is none. Each command
 * says that in the same words.
 */
const char *archive_anchor(const char *path);

/*
 * Where a file that is made of the archive is kept: DIR/.NAME.ENDING beside DIR/NAME.otf2, or in
 * the user's cache, whose folder this makes, named by the whole path: two archives of one name must
 * not meet. NULL: the user has no cache. To be freed.
 */
char *archive_beside(const char *anchor, const char *ending);
char *archive_in_cache(const char *anchor, const char *ending);

/* Of what its anchor file and its definitions say: copies of an archive have the same. */
uint64_t archive_digest(const char *anchor);

/*
 * There is none yet, but what was recorded for it; or `spur pack` or `spur unpack` was cut off
 * between its last two steps. Then that is said, and what to do.
 */
bool archive_say_incomplete(const char *path);

#endif
