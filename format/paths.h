/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the files of an archive lie. */
#ifndef FORMAT_PATHS_H
#define FORMAT_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/OTF2_GeneralDefinitions.h>

enum { OTF2_PATH_BYTES = 4096 };

/* What the name of a file of that type ends in, behind the dot. */
const char *otf2_path_ending(OTF2_FileType type);

/*
 * The path of a file of archive `name` in directory `folder`: `number` is the location of events,
 * local definitions and snapshots, the number of a thumbnail. False when it does not fit into
 * path[bytes].
 */
bool otf2_path_make(const char *folder, const char *name, OTF2_FileType type, uint64_t number,
                    char *path, uint64_t bytes);

/* The path of the rank map of an archive of substrate SION. */
bool otf2_path_map(const char *folder, const char *name, char *path, uint64_t bytes);

#endif
