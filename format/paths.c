/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/paths.h"

#include <stdio.h>

const char *otf2_path_ending(OTF2_FileType type)
{
    static const char endings[][8] = {
        [OTF2_FILETYPE_ANCHOR] = "otf2",    [OTF2_FILETYPE_GLOBAL_DEFS] = "def",
        [OTF2_FILETYPE_LOCAL_DEFS] = "def", [OTF2_FILETYPE_EVENTS] = "evt",
        [OTF2_FILETYPE_SNAPSHOTS] = "snap", [OTF2_FILETYPE_THUMBNAIL] = "thumb",
        [OTF2_FILETYPE_MARKER] = "marker",
    };
    return endings[type];
}

bool otf2_path_make(const char *folder, const char *name, OTF2_FileType type, uint64_t number,
                    char *path, uint64_t bytes)
{
    const char *ending = otf2_path_ending(type);
    unsigned long long n = number;
    int length;
    if (type == OTF2_FILETYPE_THUMBNAIL)
        length = snprintf(path, bytes, "%s/%s.%llu.%s", folder, name, n, ending);
    else if (type == OTF2_FILETYPE_LOCAL_DEFS || type == OTF2_FILETYPE_EVENTS ||
             type == OTF2_FILETYPE_SNAPSHOTS)
        length = snprintf(path, bytes, "%s/%s/%llu.%s", folder, name, n, ending);
    else
        length = snprintf(path, bytes, "%s/%s.%s", folder, name, ending);
    return length >= 0 && (uint64_t)length < bytes;
}

bool otf2_path_map(const char *folder, const char *name, char *path, uint64_t bytes)
{
    int length = snprintf(path, bytes, "%s/%s.srm", folder, name);
    return length >= 0 && (uint64_t)length < bytes;
}
