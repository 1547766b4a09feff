/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/unpack/unpack_containers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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
    return unpack_fault(made, "%s: %s", fault->path, fault->what);
}

static char *beside(const char *base)
{
    return make_text("%s%s", base, UNPACKED);
}

/* Folders here hold files only. */
static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    (void)rmdir(path);
}

void unpack_drop(const char *base)
{
    char *folder = beside(base);
    remove_folder(folder);
    free(folder);
}

static bool copy(struct made *made, const struct otf2_pieces *pieces, const char *path)
{
    struct otf2_fault fault;
    static uint8_t bytes[COPY_BYTES];
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool is_good = fd >= 0 || unpack_cannot(made, "make", path);
    for (uint64_t at = 0; is_good && at < pieces->bytes;) {
        uint64_t left = pieces->bytes - at;
        uint64_t n = left < COPY_BYTES ? left : COPY_BYTES;
        if (otf2_pieces_read(pieces, at, bytes, n, &fault))
            is_good = tell(made, &fault);
        else if (!unpack_write(fd, bytes, (size_t)n))
            is_good = unpack_cannot(made, "write", path);
        at += n;
    }
    return fd < 0 ? is_good : unpack_close(made, fd, path) && is_good;
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
    char *directory = slash ? make_text("%.*s", (int)(slash + 1 - base), base) : copy_text(".");
    char *folder = beside(base);
    struct otf2_containers *c = otf2_containers_new(directory, slash ? slash + 1 : base, &fault);
    bool is_good = c || tell(made, &fault);
    remove_folder(folder);
    if (is_good && mkdir(folder, 0777))
        is_good = unpack_cannot(made, "make", folder);
    for (unsigned kind = 0; is_good && kind < KINDS; kind++)
        is_good = copy_kind(made, c, types[kind], folder);
    otf2_containers_free(c);
    free(directory);
    free(folder);
    return is_good;
}

/* The new anchor file takes the place of the old one; then what only containers need goes. */
static bool finish(struct made *made, const char *base)
{
    char *anchor = make_text("%s.otf2", base);
    char *unpacked = make_text("%s%s", anchor, UNPACKED);
    char *map = make_text("%s.srm", base);
    bool is_good = !rename(unpacked, anchor) || unpack_cannot(made, "replace", anchor);
    if (is_good) {
        (void)unlink(map);
        unpack_drop(base);
    }
    free(anchor);
    free(unpacked);
    free(map);
    return is_good;
}

bool unpack_exchange(struct made *made, const char *base)
{
    char *folder = beside(base);
    bool is_good = !renameat2(AT_FDCWD, folder, AT_FDCWD, base, RENAME_EXCHANGE);
    if (!is_good && (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP))
        (void)unpack_fault(made,
                           "%s: this file system cannot exchange two folders: copy the archive to a"
                           " local disk, and unpack it there",
                           base);
    else if (!is_good)
        (void)unpack_cannot(made, "replace", base);
    free(folder);
    return is_good && finish(made, base);
}

/* The folder beside the archive's holds the containers. */
static bool is_exchanged(const char *base)
{
    static const char magic[] = {'s', 'i', 'o', 'n'};
    bool is_old = false;
    for (unsigned kind = 0; kind < KINDS && !is_old; kind++) {
        char begin[sizeof magic];
        char *path = make_text("%s%s/0.%s", base, UNPACKED, otf2_path_ending(types[kind]));
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        is_old = fd >= 0 && read(fd, begin, sizeof begin) == sizeof begin &&
                 memcmp(begin, magic, sizeof magic) == 0;
        if (fd >= 0)
            close(fd);
        free(path);
    }
    return is_old;
}

bool unpack_go_on(struct made *made, const char *base)
{
    char *new = make_text("%s.otf2%s", base, UNPACKED);
    bool is_there = access(new, F_OK) == 0 && is_exchanged(base);
    free(new);
    if (is_there)
        (void)finish(made, base);
    return is_there;
}
