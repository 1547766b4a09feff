/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/unpack/unpack_containers.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/paths.h"
#include "reader/containers.h"
#include "tools/base/fail.h"

static const OTF2_FileType types[] = {OTF2_FILETYPE_EVENTS, OTF2_FILETYPE_LOCAL_DEFS,
                                      OTF2_FILETYPE_SNAPSHOTS};

enum { KINDS = sizeof types / sizeof types[0], COPY_BYTES = 1 << 20 };

static bool tell(struct made *made, const struct otf2_fault *fault)
{
    return remake_fault(made, "%s: %s", fault->path, fault->what);
}

/* A file of a location is for those who may read the container. */
static int make_file(const struct otf2_pieces *pieces, const char *path)
{
    struct stat info;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || (!stat(pieces->path, &info) && !fchmod(fd, info.st_mode & 0777)))
        return fd;
    close(fd);
    return -1;
}

static bool copy(struct made *made, const struct otf2_pieces *pieces, const char *path)
{
    struct otf2_fault fault;
    static uint8_t bytes[COPY_BYTES];
    int fd = make_file(pieces, path);
    bool is_good = fd >= 0 || remake_cannot(made, "make", path);
    for (uint64_t at = 0; is_good && at < pieces->bytes;) {
        uint64_t left = pieces->bytes - at;
        uint64_t n = left < COPY_BYTES ? left : COPY_BYTES;
        if (otf2_pieces_read(pieces, at, bytes, n, &fault))
            is_good = tell(made, &fault);
        else if (!remake_write(fd, bytes, (size_t)n))
            is_good = remake_cannot(made, "write", path);
        at += n;
    }
    return fd < 0 ? is_good : remake_close(made, fd, path) && is_good;
}

/* Of one kind, the files of all locations that have one. */
static bool copy_kind(struct made *made, struct otf2_containers *c, OTF2_FileType type,
                      const char *folder)
{
    struct otf2_fault fault;
    OTF2_ErrorCode error = otf2_containers_find_all(c, type, &fault);
    if (error)
        return error == OTF2_ERROR_ENOENT || tell(made, &fault);
    bool is_good = true;
    uint64_t n = otf2_containers_locations(c);
    for (uint64_t i = 0; is_good && i < n; i++) {
        uint64_t id = otf2_containers_location(c, i);
        const struct otf2_pieces *pieces = otf2_containers_find(c, type, id, &fault);
        if (!pieces || (i && otf2_containers_location(c, i - 1) == id))
            continue;
        char *path =
            make_text("%s/%llu.%s", folder, (unsigned long long)id, otf2_path_ending(type));
        is_good = copy(made, pieces, path);
        free(path);
    }
    return is_good;
}

bool unpack_containers(struct made *made, const char *base)
{
    struct otf2_fault fault;
    const char *slash = strrchr(base, '/');
    const char *end = slash == base ? base + 1 : slash;
    char *directory = slash ? make_text("%.*s", (int)(end - base), base) : copy_text(".");
    char *folder = make_text("%s" ARCHIVE_REMADE, base);
    struct otf2_containers *c = otf2_containers_new(directory, slash ? slash + 1 : base, &fault);
    bool is_good = c ? remake_folder(made, base) : tell(made, &fault);
    for (unsigned kind = 0; is_good && kind < KINDS; kind++)
        is_good = copy_kind(made, c, types[kind], folder);
    otf2_containers_free(c);
    free(directory);
    free(folder);
    return is_good;
}
