/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur-unpack: turns a compressed archive, or an archive in SION containers, into a plain archive,
 * in the same place.
 *
 *     spur-unpack [--threads N] ARCHIVE      DIR/traces.otf2, or DIR for that
 *
 * First several workers unpack every compressed file beside itself, as FILE.remade. Only if all are
 * good, the new files take the names of the old files, the anchor file last. So a fault of the
 * archive or the disk leaves the archive unchanged. After a power cut the archive still counts as
 * compressed, with several plain files, and the next run does the rest.
 *
 * Status: 0 plain now, 1 with a line that names the reason, 2 wrong use.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/anchor.h"

#include "tools/base/archive_path.h"
#include "tools/base/options.h"
#include "tools/base/say.h"
#include "tools/engine/engine.h"
#include "tools/unpack/unpack_containers.h"
#include "tools/unpack/unpack_file.h"

/* The state visible to all workers. */
struct unpack {
    const char *path; /* of the anchor file */
    struct otf2_anchor anchor;
    LIST(struct {
        char *path;
        uint64_t bytes;
        uint64_t chunk_bytes;
    })
    files;            /* the definitions first, then by name */
    struct made made; /* by all, on the first worker */
};

static unsigned threads;

static bool ends_with(const char *name, const char *with)
{
    size_t n = strlen(name);
    size_t m = strlen(with);
    return n > m && !strcmp(name + n - m, with);
}

/* ---- the files to unpack ---- */

static void add_file(struct unpack *u, char *path, uint64_t chunk_bytes)
{
    struct stat info = {0};
    (void)stat(path, &info); /* faults of the file are found later */
    (void)LIST_ADD(&u->files);
    u->files.at[u->files.n - 1].path = path;
    u->files.at[u->files.n - 1].bytes = (uint64_t)info.st_size;
    u->files.at[u->files.n - 1].chunk_bytes = chunk_bytes;
}

static int is_of_archive(const struct dirent *entry)
{
    return ends_with(entry->d_name, ".def") || ends_with(entry->d_name, ".evt") ||
           ends_with(entry->d_name, ".snap");
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool add_folder(struct unpack *u, const char *folder)
{
    struct dirent **names = NULL;
    struct stat info;
    if (!lstat(folder, &info) && S_ISLNK(info.st_mode))
        return remake_fault(&u->made, "%s: is a symbolic link: unpack the archive that it leads to",
                            folder);
    int n = scandir(folder, &names, is_of_archive, by_name);
    if (n < 0)
        return errno == ENOENT || remake_cannot(&u->made, "read", folder);
    for (int i = 0; i < n; i++) {
        add_file(u, make_text("%s/%s", folder, names[i]->d_name),
                 ends_with(names[i]->d_name, ".def") ? u->anchor.def_chunk_bytes
                                                     : u->anchor.event_chunk_bytes);
        free(names[i]);
    }
    free(names);
    return true;
}

static bool is_chunk_size(uint64_t bytes)
{
    return bytes >= OTF2_CHUNK_SIZE_MIN && bytes <= OTF2_CHUNK_SIZE_MAX;
}

/* False: there is nothing to do, or nothing can be done. */
static bool find_files(struct unpack *u, const struct mapped *file)
{
    const struct otf2_anchor *a = &u->anchor;
    if (otf2_anchor_decode(file->bytes, file->size, &u->anchor))
        return remake_fault(&u->made, "%s: %s", u->path,
                            otf2_anchor_fault(&u->anchor, REMAKE_NO_ANCHOR));
    if (a->compression == OTF2_COMPRESSION_NONE) {
        say("%s: is not compressed", u->path);
        return false;
    }
    if (a->substrate != OTF2_SUBSTRATE_POSIX)
        return remake_fault(&u->made, "%s: compressed files in SION containers cannot be read",
                            u->path);
    if (!is_chunk_size(a->event_chunk_bytes) || !is_chunk_size(a->def_chunk_bytes))
        return remake_fault(&u->made, "%s: damaged: impossible sizes of chunks", u->path);
    int base = (int)(strlen(u->path) - strlen(".otf2"));
    char *defs = make_text("%.*s.def", base, u->path);
    char *folder = make_text("%.*s", base, u->path);
    if (access(defs, F_OK) == 0)
        add_file(u, defs, a->def_chunk_bytes);
    else
        free(defs);
    bool is_good = add_folder(u, folder);
    free(folder);
    return is_good;
}

/* ---- a worker ---- */

static void read_files(void *work, struct made *made, struct remake_share share)
{
    const struct unpack *u = work;
    bool is_good = true;
    for (made->file = 0; is_good && made->file < u->files.n; made->file++)
        if (share.owner[made->file] == share.worker)
            is_good = unpack_file(made, u->files.at[made->file].path,
                                  u->files.at[made->file].chunk_bytes);
    /* All new files of the present machine must be on the disk before the old files go. */
    if (made->files.n && is_good)
        (void)remake_sync(made, u->path);
}

static void unpack_files(struct unpack *u)
{
    struct remaking remaking = {.work = u, .made = &u->made, .remake = read_files};
    uint64_t *sizes = take_memory(u->files.n * sizeof *sizes);
    for (size_t i = 0; i < u->files.n; i++)
        sizes[i] = u->files.at[i].bytes;
    remake_by_workers(&remaking, sizes, u->files.n, threads);
    free(sizes);
}

/* ---- the archive ---- */

/* Does not return if the archives of the ranks differ. */
static bool is_same(const struct unpack *u)
{
    engine_ask_threads(threads);
    if (engine_has_ranks())
        engine_same(u->path, archive_digest(u->path));
    return true;
}

static bool unpack_anchor(struct unpack *u, const struct mapped *file, size_t at, uint8_t byte)
{
    u->made.file = (uint32_t)u->files.n;
    add_file(u, copy_text(u->path), 0);
    return remake_anchor(&u->made, u->path, file, at, byte);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The new files take the old ones' places; the anchor is the last of the list. */
static void rename_all(struct unpack *u)
{
    struct made *made = &u->made;
    LIST_SORT(&made->files, by_number);
    for (size_t i = 0; i < made->files.n; i++) {
        const char *path = u->files.at[made->files.at[i]].path;
        char *beside = make_text("%s" ARCHIVE_REMADE, path);
        if (!made->has_failed && rename(beside, path))
            remake_cannot(made, "replace", path);
        if (made->has_failed)
            unlink(beside);
        free(beside);
    }
}

static bool has_containers(struct unpack *u, const struct mapped *file)
{
    return !otf2_anchor_decode(file->bytes, file->size, &u->anchor) &&
           u->anchor.substrate == OTF2_SUBSTRATE_SION &&
           u->anchor.compression == OTF2_COMPRESSION_NONE;
}

/* Run by a single process: a container is read from its begin to its end. */
static void empty_containers(struct unpack *u, const struct mapped *file)
{
    char *base = make_text("%.*s", (int)(strlen(u->path) - strlen(".otf2")), u->path);
    unpack_files(u); /* no files; afterwards only one process is left */
    if (unpack_containers(&u->made, base) &&
        unpack_anchor(u, file, OTF2_ANCHOR_SUBSTRATE_AT, OTF2_SUBSTRATE_POSIX))
        (void)remake_exchange(&u->made, base);
    if (u->made.has_failed && !archive_is_half_remade(u->path)) {
        rename_all(u); /* no files: only the rest of the new anchor file is removed */
        remake_drop(base);
    }
    free(base);
}

static const struct option_row rows[] = {
    {"threads", .argument = "N", .threads = &threads,
     .doc = "unpack files by N threads (default: the processors that it may use)"},
};

static const struct command_line command = {
    .name = "spur unpack",
    .form = "[OPTION]... ARCHIVE",
    .about = "Turns a compressed archive (a directory, or its .otf2 file), or one in SION\n"
             "containers, into a plain one, in place.",
    OPTION_ROWS(rows),
    .least = 1,
    .most = 1,
    .needs = "'spur unpack' needs one archive",
};

int main(int argc, char **argv)
{
    static struct unpack u;
    struct mapped file = {0};
    (void)argc;
    engine_start();
    u.path = archive_path(options_read(&command, argv + 1)[0]);
    unpack_expect_short_files();
    if (!ends_with(u.path, ".otf2"))
        remake_fault(&u.made, "%s: the name of an archive ends in .otf2", u.path);
    else if (!remake_is_alone(&u.made, u.path) ||
             remake_settled(&u.made, u.path, OTF2_SUBSTRATE_POSIX)) {
        remake_tell(&u.made);
        return u.made.has_failed ? 1 : 0;
    } else if (remake_map(&u.made, u.path, &file) && is_same(&u)) {
        if (has_containers(&u, &file)) {
            empty_containers(&u, &file);
        } else if (find_files(&u, &file)) {
            unpack_files(&u);
            if (!u.made.has_failed)
                unpack_anchor(&u, &file, OTF2_ANCHOR_COMPRESSION_AT, OTF2_COMPRESSION_NONE);
            rename_all(&u);
        }
    }
    remake_tell(&u.made);
    return u.made.has_failed ? 1 : 0;
}
