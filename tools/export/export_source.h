/* SPDX-License-Identifier: BSD-3-Clause */
/* Identity of the archive and the layout of a database: another one makes the database stale. */
#ifndef TOOLS_EXPORT_SOURCE_H
#define TOOLS_EXPORT_SOURCE_H

#include <stdio.h>
#include <sys/stat.h>

/* The layout of the tables; greater when one is changed. */
enum { TABLES_VERSION = 8 };

/* Identifies an archive by the anchor file, which is written last, and by the window of time as the
 * user gave it (NULL: all). The caller frees the text; NULL: no memory. */
static inline char *source_text(const char *path, const char *window)
{
    struct stat s = {0};
    char *text;
    if (stat(path, &s))
        s = (struct stat){0};
    return asprintf(&text, "%d %llu %lld %lld.%09ld %s", TABLES_VERSION,
                    (unsigned long long)s.st_ino, (long long)s.st_size, (long long)s.st_mtim.tv_sec,
                    s.st_mtim.tv_nsec, window ? window : "0..") < 0
               ? NULL
               : text;
}

#endif
