/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur-unpack: turns a compressed archive, or one in SION containers, into a plain one, in its
 * place.
 *
 *     spur-unpack [--threads N] ARCHIVE      DIR/traces.otf2, or DIR for that
 *
 * First several workers unpack every compressed file beside itself, as FILE.remade. Only if all
 * are good, the new files take the names of the old ones, the anchor file last. So a fault of the
 * archive or the disk leaves the archive as it was. After a power cut the archive still counts as
 * compressed, with some plain files, and the next run does the rest.
 *
 * Status: 0 plain now, 1 with one line that says why not, 2 wrong use.
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

enum { EACH_BYTES = 1 << 20 /* fewer are unpacked before a thread begins */ };

/* What all workers see. */
struct unpack {
    const char *path; /* of the anchor file */
    struct otf2_anchor anchor;
    LIST(struct {
        char *path;
        uint64_t bytes;
        uint64_t chunk_bytes;
    })
    files;            /* the definitions first, then by name */
    uint32_t *owner;  /* by file: the worker */
    struct made made; /* by all, on the first worker */
};

static unsigned threads;

static bool ends_with(const char *name, const char *with)
{
    size_t n = strlen(name);
    size_t m = strlen(with);
    return n > m && !strcmp(name + n - m, with);
}

/* ---- which files ---- */

static void add_file(struct unpack *u, char *path, uint64_t chunk_bytes)
{
    struct stat info = {0};
    (void)stat(path, &info); /* what is wrong with it is found later */
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
        return remake_fault(&u->made, "%s: no anchor file of an OTF2 archive, or damaged", u->path);
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

struct unpacker {
    struct unpack *unpack;
    struct engine *engine;
    struct made made;
};

static void *begin(void *context, struct engine *engine)
{
    struct unpacker *w = take_memory(sizeof *w);
    w->unpack = context;
    w->engine = engine;
    if (!engine->rank)
        w->made = w->unpack->made;
    return w;
}

static bool read_files(void *state, uint64_t most, uint64_t *n)
{
    struct unpacker *w = state;
    const struct unpack *u = w->unpack;
    bool is_good = true;
    (void)most;
    for (w->made.file = 0; is_good && w->made.file < u->files.n; w->made.file++)
        if (u->owner[w->made.file] == w->engine->rank)
            is_good = unpack_file(&w->made, u->files.at[w->made.file].path,
                                  u->files.at[w->made.file].chunk_bytes);
    /* All new files must be on the disk before the old ones go: those of this machine. */
    if (w->made.files.n && is_good)
        (void)remake_sync(&w->made, u->path);
    *n = 0;
    return false;
}

static uint64_t reached(const void *state)
{
    (void)state;
    return UINT64_MAX;
}

static void give(void *state, struct engine_bytes *bytes)
{
    remake_give(&((const struct unpacker *)state)->made, bytes);
}

static void join(void *state, const void *bytes, size_t size)
{
    (void)size;
    remake_join(&((struct unpacker *)state)->made, bytes);
}

static void finish(void *state)
{
    struct unpacker *w = state;
    if (!w->engine->rank) {
        w->unpack->made = w->made;
        w->made = (struct made){0};
    }
    remake_free(&w->made);
    free(w);
}

static void unpack_files(struct unpack *u)
{
    static const struct engine_analysis analysis = {.begin = begin,
                                                    .read = read_files,
                                                    .reached = reached,
                                                    .give = give,
                                                    .join = join,
                                                    .finish = finish};
    struct engine_how how = {.workers = threads};
    uint64_t all = 0;
    uint64_t *sizes = take_memory(u->files.n * sizeof *sizes);
    for (size_t i = 0; i < u->files.n; i++) {
        sizes[i] = u->files.at[i].bytes;
        all += sizes[i];
    }
    unsigned most = engine_processors();
    if (!threads)
        how.workers = all / EACH_BYTES < most ? (unsigned)(all / EACH_BYTES) + 1 : most;
    u->owner = take_memory(u->files.n * sizeof *u->owner);
    engine_deal(sizes, u->files.n, engine_workers(&how), u->owner);
    engine_run(&analysis, u, &how);
    free(sizes);
    free(u->owner);
}

/* ---- the archive ---- */

/* Else this does not return. */
static bool is_same(const struct unpack *u)
{
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

/* By one process: a container is read from its begin to its end. */
static void empty_containers(struct unpack *u, const struct mapped *file)
{
    char *base = make_text("%.*s", (int)(strlen(u->path) - strlen(".otf2")), u->path);
    unpack_files(u); /* there are none, and behind that no other process */
    if (unpack_containers(&u->made, base) &&
        unpack_anchor(u, file, OTF2_ANCHOR_SUBSTRATE_AT, OTF2_SUBSTRATE_POSIX))
        (void)remake_exchange(&u->made, base);
    if (u->made.has_failed && !archive_is_half_remade(u->path)) {
        rename_all(u); /* none: what there is of the new anchor file goes */
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
