/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/base/archive_path.h"
#include "tools/base/digest.h"
#include "tools/base/fail.h"

static const uint64_t piece_bytes = 1 << 20;

/* The size, the begin and the end of a file: a large one is not read for that. */
static uint64_t add_file(uint64_t hash, const char *path)
{
    struct stat info;
    FILE *file = fopen(path, "re");
    char *bytes = take_memory(piece_bytes);
    if (file && !fstat(fileno(file), &info)) {
        uint64_t size = (uint64_t)info.st_size;
        hash = digest_add(hash, &size, sizeof size);
        hash = digest_add(hash, bytes, fread(bytes, 1, piece_bytes, file));
        if (size > piece_bytes &&
            !fseeko(file, -(off_t)(size < 2 * piece_bytes ? size - piece_bytes : piece_bytes),
                    SEEK_END))
            hash = digest_add(hash, bytes, fread(bytes, 1, piece_bytes, file));
    }
    if (file)
        (void)fclose(file);
    free(bytes);
    return hash;
}

uint64_t archive_digest(const char *anchor)
{
    const char *end = strrchr(anchor, '.');
    int n = end && !strchr(end, '/') ? (int)(end - anchor) : (int)strlen(anchor);
    char *definitions = make_text("%.*s.def", n, anchor);
    uint64_t hash = add_file(DIGEST_BEGIN, anchor);
    hash = add_file(hash, definitions);
    free(definitions);
    return hash;
}
