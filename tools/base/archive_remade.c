/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/archive_remade.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/anchor.h"
#include "format/paths.h"
#include "tools/base/fail.h"

static ssize_t read_begin(const char *path, void *bytes, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? -1 : read(fd, bytes, size);
    if (fd >= 0)
        close(fd);
    return n;
}

bool archive_has_containers(const char *folder)
{
    static const OTF2_FileType types[] = {OTF2_FILETYPE_EVENTS, OTF2_FILETYPE_LOCAL_DEFS,
                                          OTF2_FILETYPE_SNAPSHOTS};
    static const char magic[] = {'s', 'i', 'o', 'n'};
    bool is_one = false;
    for (unsigned i = 0; i < sizeof types / sizeof types[0] && !is_one; i++) {
        char begin[sizeof magic];
        char *path = make_text("%s/0.%s", folder, otf2_path_ending(types[i]));
        is_one = read_begin(path, begin, sizeof begin) == sizeof begin &&
                 memcmp(begin, magic, sizeof magic) == 0;
        free(path);
    }
    return is_one;
}

/* OTF2_SUBSTRATE_UNDEFINED: it is no anchor file, or not a whole one. */
static OTF2_FileSubstrate substrate_of(const char *path)
{
    struct otf2_anchor anchor = {.substrate = OTF2_SUBSTRATE_UNDEFINED};
    uint8_t *bytes = take_memory(OTF2_ANCHOR_BYTES_MAX);
    ssize_t n = read_begin(path, bytes, OTF2_ANCHOR_BYTES_MAX);
    OTF2_FileSubstrate substrate = OTF2_SUBSTRATE_UNDEFINED;
    if (n > 0 && !otf2_anchor_decode(bytes, (size_t)n, &anchor)) {
        substrate = anchor.substrate;
        otf2_anchor_fini(&anchor);
    }
    free(bytes);
    return substrate;
}

bool archive_is_half_remade(const char *anchor)
{
    char *new = make_text("%s" ARCHIVE_REMADE, anchor);
    char *folder = make_text("%.*s", (int)(strlen(anchor) - strlen(".otf2")), anchor);
    bool is_half = false;
    if (access(new, F_OK) == 0) {
        OTF2_FileSubstrate coming = substrate_of(new);
        is_half = coming && coming != substrate_of(anchor) &&
                  archive_has_containers(folder) == (coming == OTF2_SUBSTRATE_SION);
    }
    free(new);
    free(folder);
    return is_half;
}
