/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/unpack/pack_output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/anchor.h"
#include "tools/base/fail.h"
#include "writer/file.h"

/* ---- names ---- */

static char *base_of(const char *anchor)
{
    return make_text("%.*s", (int)(strlen(anchor) - strlen(".otf2")), anchor);
}

/* "DIR" and "NAME" of "DIR/NAME". */
static struct otf2_pack_archive split(const char *base)
{
    const char *slash = strrchr(base, '/');
    struct otf2_pack_archive a = {".", base};
    if (slash)
        a = (struct otf2_pack_archive){slash == base ? "/"
                                                     : make_text("%.*s", (int)(slash - base), base),
                                       slash + 1};
    return a;
}

void pack_output_name(struct pack_output *out, const char *anchor, const char *dir,
                      struct otf2_pack *pack)
{
    out->anchor = anchor;
    out->dir = dir;
    pack->from = split(base_of(anchor));
    out->base = dir ? make_text("%s/%s", dir, pack->from.name) : base_of(anchor);
    pack->to = split(dir ? out->base : make_text("%s" ARCHIVE_REMADE, out->base));
}

/* ---- files ---- */

static mode_t container_mode;

/* Several workers write to a container: one of them makes it. */
static int open_container(const char *path, int flags)
{
    int fd = otf2_file_plain.open(path, flags & ~O_CREAT);
    while (fd == -ENOENT && flags & O_CREAT) {
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd >= 0 && !fchmod(fd, container_mode))
            return fd;
        int err = errno;
        if (fd >= 0)
            close(fd);
        fd = err == EEXIST ? otf2_file_plain.open(path, flags & ~O_CREAT) : -err;
    }
    return fd;
}

const OTF2X_FileCallbacks *pack_output_files(mode_t mode)
{
    static OTF2X_FileCallbacks files;
    container_mode = mode | S_IWUSR; /* several workers write to it, one after the other */
    files = otf2_file_plain;
    files.open = open_container;
    return &files;
}

/* ---- a new directory ---- */

static bool is_empty(const char *dir)
{
    DIR *folder = opendir(dir);
    const struct dirent *entry;
    unsigned n = 0;
    while (folder && (entry = readdir(folder)))
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    if (folder)
        closedir(folder);
    return folder && !n;
}

static bool copy_file(struct pack_output *out, struct made *made, const char *from, const char *to)
{
    struct mapped file;
    if (!remake_map(made, from, &file))
        return false;
    int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool is_good = fd >= 0 && !fchmod(fd, file.mode) && remake_write(fd, file.bytes, file.size);
    if (!is_good)
        (void)remake_cannot(made, fd < 0 ? "make" : "write", to);
    if (fd >= 0) {
        is_good = remake_close(made, fd, to) && is_good;
        *LIST_ADD(&out->copies) = copy_text(to);
    }
    remake_unmap(&file);
    return is_good;
}

static bool is_beside(const char *name, const char *archive)
{
    size_t n = strlen(archive);
    const char *ending = strrchr(name, '.');
    return !strncmp(name, archive, n) && name[n] == '.' &&
           (!strcmp(name + n, ".def") || !strcmp(name + n, ".marker") || !strcmp(ending, ".thumb"));
}

/* What stays what it is: global definitions, markers, thumbnails. */
static bool copy_others(struct pack_output *out, struct made *made)
{
    char *base = base_of(out->anchor);
    const struct otf2_pack_archive from = split(base);
    struct dirent **names = NULL;
    int n = scandir(from.folder, &names, NULL, alphasort);
    bool is_good = n >= 0 || remake_cannot(made, "read", from.folder);
    for (int i = 0; i < n; i++) {
        const char *name = names[i]->d_name;
        if (is_good && is_beside(name, from.name)) {
            char *old = make_text("%s/%s", from.folder, name);
            char *new = make_text("%s/%s", out->dir, name);
            is_good = copy_file(out, made, old, new);
            free(old);
            free(new);
        }
        free(names[i]);
    }
    free(names);
    return is_good;
}

static bool make_directory(struct pack_output *out, struct made *made)
{
    struct stat info;
    char *folder = base_of(out->anchor);
    out->is_new_dir = !mkdir(out->dir, 0777);
    if (!out->is_new_dir && errno != EEXIST)
        return remake_cannot(made, "make", out->dir);
    if (!out->is_new_dir && !is_empty(out->dir))
        return remake_fault(made, "%s: is not an empty directory", out->dir);
    out->is_begun = true;
    if (mkdir(out->base, 0700) || stat(folder, &info) ||
        chmod(out->base, (info.st_mode & 07777) | S_IRWXU))
        return remake_cannot(made, "make", out->base);
    free(folder);
    return copy_others(out, made);
}

/* ---- both ways ---- */

bool pack_output_begin(struct pack_output *out, struct made *made)
{
    if (out->dir)
        return make_directory(out, made);
    out->is_begun = true;
    return remake_folder(made, out->base);
}

/* The rank map takes its name first: a plain archive has no use for it. */
static bool replace(const struct pack_output *out, struct made *made)
{
    char *waiting = make_text("%s" ARCHIVE_REMADE ".srm", out->base);
    char *map = make_text("%s.srm", out->base);
    bool is_good = !rename(waiting, map) || remake_cannot(made, "replace", map);
    if (is_good && !remake_exchange(made, out->base)) {
        if (!archive_has_containers(out->base))
            (void)unlink(map);
        is_good = false;
    }
    free(waiting);
    free(map);
    return is_good;
}

bool pack_output_end(struct pack_output *out, struct made *made, const struct mapped *anchor)
{
    char *new = make_text("%s.otf2", out->base);
    char *beside = make_text("%s" ARCHIVE_REMADE, new);
    bool is_good = remake_anchor(made, new, anchor, OTF2_ANCHOR_SUBSTRATE_AT, OTF2_SUBSTRATE_SION);
    if (is_good)
        is_good = out->dir ? !rename(beside, new) || remake_cannot(made, "make", new)
                           : replace(out, made);
    free(beside);
    free(new);
    return is_good;
}

void pack_output_drop(const struct pack_output *out)
{
    char *beside = make_text("%s.otf2" ARCHIVE_REMADE, out->base);
    char *map = make_text("%s.srm", out->base);
    bool is_half = !out->dir && archive_is_half_remade(out->anchor); /* the next run completes it */
    if (out->is_begun && !is_half) {
        (void)unlink(beside);
        if (out->dir) {
            (void)unlink(map);
            remake_remove(out->base);
        } else {
            remake_drop(out->base);
        }
        for (size_t i = 0; i < out->copies.n; i++)
            (void)unlink(out->copies.at[i]);
    }
    if (out->dir && out->is_new_dir)
        (void)rmdir(out->dir);
    free(beside);
    free(map);
}
