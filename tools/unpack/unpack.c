/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur-unpack: turns a compressed archive, or one in SION containers, into a plain one, in its
 * place.
 *
 *     spur-unpack [--threads N] ARCHIVE      DIR/traces.otf2, or DIR for that
 *
 * First several workers unpack every compressed file beside itself, as FILE.unpacked. Only if all
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

enum {
    AT_SUBSTRATE = 28,
    AT_COMPRESSION = 29,
    EACH_BYTES = 1 << 20 /* fewer are unpacked before a thread begins */
};

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
        return unpack_fault(&u->made, "%s: is a symbolic link: unpack the archive that it leads to",
                            folder);
    int n = scandir(folder, &names, is_of_archive, by_name);
    if (n < 0)
        return errno == ENOENT || unpack_cannot(&u->made, "read", folder);
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
        return unpack_fault(&u->made, "%s: no anchor file of an OTF2 archive, or damaged", u->path);
    if (a->compression == OTF2_COMPRESSION_NONE) {
        say("%s: is not compressed", u->path);
        return false;
    }
    if (a->substrate != OTF2_SUBSTRATE_POSIX)
        return unpack_fault(&u->made, "%s: compressed files in SION containers cannot be read",
                            u->path);
    if (!is_chunk_size(a->event_chunk_bytes) || !is_chunk_size(a->def_chunk_bytes))
        return unpack_fault(&u->made, "%s: damaged: impossible sizes of chunks", u->path);
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

/* All new files must be on the disk before the old ones go: those of this machine. */
static void sync_files(struct unpacker *w)
{
    int fd = open(w->unpack->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || syncfs(fd))
        (void)unpack_cannot(&w->made, "write", w->unpack->path);
    if (fd >= 0)
        close(fd);
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
    if (w->made.files.n && is_good)
        sync_files(w);
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
    const struct made *made = &((const struct unpacker *)state)->made;
    uint64_t n[] = {made->files.n, made->lines.n};
    engine_add(bytes, n, sizeof n);
    engine_add(bytes, made->files.at, made->files.n * sizeof *made->files.at);
    for (size_t i = 0; i < made->lines.n; i++) {
        const struct made_line *line = &made->lines.at[i];
        engine_add(bytes, line, sizeof *line);
        engine_add(bytes, line->text, strlen(line->text) + 1);
    }
}

static void join(void *state, const void *bytes, size_t size)
{
    struct made *made = &((struct unpacker *)state)->made;
    const char *at = bytes;
    uint64_t n[2];
    (void)size;
    memcpy(n, at, sizeof n);
    at += sizeof n;
    for (uint64_t i = 0; i < n[0]; i++, at += sizeof(uint32_t))
        memcpy(LIST_ADD(&made->files), at, sizeof(uint32_t));
    for (uint64_t i = 0; i < n[1]; i++) {
        struct made_line line;
        memcpy(&line, at, sizeof line);
        line.text = copy_text(at + sizeof line);
        at += sizeof line + strlen(line.text) + 1;
        made->has_failed = made->has_failed || line.is_fault;
        *LIST_ADD(&made->lines) = line;
    }
}

static void finish(void *state)
{
    struct unpacker *w = state;
    if (!w->engine->rank) {
        w->unpack->made = w->made;
        w->made = (struct made){0};
    }
    for (size_t i = 0; i < w->made.lines.n; i++)
        free(w->made.lines.at[i].text);
    free(w->made.lines.at);
    free(w->made.files.at);
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

/* The anchor file again, but for the one byte there. */
static bool unpack_anchor(struct unpack *u, const struct mapped *file, size_t at, uint8_t byte)
{
    u->made.file = (uint32_t)u->files.n;
    add_file(u, copy_text(u->path), 0);
    int fd = unpack_make_beside(&u->made, u->path, file->mode);
    if (fd < 0)
        return false;
    bool is_good = unpack_write(fd, file->bytes, at) && unpack_write(fd, &byte, 1) &&
                   unpack_write(fd, file->bytes + at + 1, file->size - at - 1);
    if (!is_good || syncfs(fd))
        is_good = unpack_cannot(&u->made, "write", u->path);
    return unpack_close(&u->made, fd, u->path) && is_good;
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
        char *beside = make_text("%s%s", path, UNPACKED);
        if (!made->has_failed && rename(beside, path))
            unpack_cannot(made, "replace", path);
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
    if (!unpack_go_on(&u->made, base)) {
        if (unpack_containers(&u->made, base) &&
            unpack_anchor(u, file, AT_SUBSTRATE, OTF2_SUBSTRATE_POSIX))
            (void)unpack_exchange(&u->made, base);
        if (u->made.has_failed) {
            rename_all(u); /* none: what there is of the new anchor file goes */
            unpack_drop(base);
        }
    }
    free(base);
}

static int by_file(const void *a, const void *b)
{
    const struct made_line *x = a, *y = b;
    return x->file != y->file ? (x->file > y->file) - (x->file < y->file)
                              : x->is_fault - y->is_fault;
}

/* As one worker would have, which stops at the first fault. */
static void tell_lines(const struct made *made)
{
    const struct made_line *first = NULL;
    LIST_SORT(&made->lines, by_file);
    for (size_t i = 0; i < made->lines.n; i++) {
        const struct made_line *line = &made->lines.at[i];
        if (line->is_fault && (!first || line->file < first->file))
            first = line;
    }
    for (size_t i = 0; i < made->lines.n; i++)
        if (!made->lines.at[i].is_fault && (!first || made->lines.at[i].file <= first->file))
            say("%s", made->lines.at[i].text);
    if (first)
        say("%s", first->text);
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
        unpack_fault(&u.made, "%s: the name of an archive ends in .otf2", u.path);
    else if (unpack_map(&u.made, u.path, &file) && is_same(&u)) {
        if (has_containers(&u, &file)) {
            empty_containers(&u, &file);
        } else if (find_files(&u, &file)) {
            unpack_files(&u);
            if (!u.made.has_failed)
                unpack_anchor(&u, &file, AT_COMPRESSION, OTF2_COMPRESSION_NONE);
            rename_all(&u);
        }
    }
    tell_lines(&u.made);
    return u.made.has_failed ? 1 : 0;
}
