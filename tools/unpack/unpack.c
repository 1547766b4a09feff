/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur-unpack: turns a compressed archive into a plain one, in its place.
 *
 *     spur-unpack ARCHIVE      DIR/traces.otf2, or DIR for that
 *
 * First every compressed file is unpacked beside itself, as FILE.unpacked. Only if all are good,
 * the new files take the names of the old ones, the anchor file last. So a fault of the archive or
 * the disk leaves the archive as it was. After a power cut the archive still counts as compressed,
 * with some plain files, and the next run does the rest.
 *
 * Status: 0 plain now, 1 with one line that says why not, 2 wrong use.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/anchor.h"
#include "format/zblock.h"
#include "format/zcodec.h"

#include "tools/base/archive_path.h"
#include "tools/base/fail.h"
#include "tools/base/options.h"
#include "tools/base/say.h"

enum { AT_COMPRESSION = 29, END_OF_FILE = 2, END_OF_BUFFER = 1, CHUNK_MARK = 3 };

static const char ending[] = ".unpacked";

/* What is unpacked and waits for its name. */
struct list {
    char **paths;
    size_t n;
    size_t room;
};

struct mapped {
    const uint8_t *bytes;
    size_t size;
    mode_t mode;
};

__attribute__((format(printf, 1, 2))) static bool fault(const char *format, ...)
{
    va_list va;
    va_start(va, format);
    vsay(format, va);
    va_end(va);
    return false;
}

/* Why not is in errno. */
static bool cannot(const char *what, const char *path)
{
    char why[128];
    return fault("%s: cannot %s: %s", path, what, strerror_r(errno, why, sizeof why));
}

/* ---- files ---- */

static bool map_file(const char *path, struct mapped *file)
{
    struct stat stat;
    void *bytes = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return cannot("read", path);
    bool is_good = !fstat(fd, &stat);
    if (is_good && !S_ISREG(stat.st_mode)) {
        is_good = false;
        errno = EISDIR;
    }
    if (is_good && stat.st_size) {
        bytes = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        is_good = bytes != MAP_FAILED;
    }
    if (is_good)
        *file = (struct mapped){bytes, (size_t)stat.st_size, stat.st_mode & 07777};
    else
        cannot("read", path);
    close(fd);
    return is_good;
}

static void unmap_file(const struct mapped *file)
{
    void *bytes;
    memcpy(&bytes, &file->bytes, sizeof bytes);
    if (bytes)
        munmap(bytes, file->size);
}

/* A new file of that mode, whatever an earlier run has left there. */
static int make_file(const char *path, mode_t mode)
{
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0 && fchmod(fd, mode)) {
        int saved = errno;
        close(fd);
        errno = saved;
        return -1;
    }
    return fd;
}

static bool write_all(int fd, const uint8_t *data, size_t size)
{
    while (size) {
        ssize_t n = write(fd, data, size);
        if (n < 0 && errno != EINTR)
            return false;
        data += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* ---- one file ---- */

/* Whether unpacked bytes can be what their place in a plain file wants. */
static bool is_chunk(const struct otf2_zwalk *walk, const uint8_t *chunk, size_t size)
{
    if (size == 1 && walk->next_at == walk->size)
        return chunk[0] == END_OF_BUFFER;
    return size >= 18 && chunk[0] == CHUNK_MARK && (chunk[1] == 0x42 || chunk[1] == 0x23);
}

/* The next block of the file, to the file `out`. chunk: room for one and a byte. */
static bool unpack_block(const char *path, struct otf2_zwalk *walk, uint8_t *chunk, int out,
                         size_t *size)
{
    struct otf2_zblock block;
    const uint8_t *data;
    const char *wrong = otf2_zwalk_next(walk, &block, &data);
    OTF2_ErrorCode error = OTF2_SUCCESS;
    if (!wrong) {
        error = otf2_zcodec.unpack(data, block.compressed, chunk, block.uncompressed);
        if (error)
            wrong = error == OTF2_ERROR_MEM_ALLOC_FAILED ? "no memory" : "damaged data";
        else if (!is_chunk(walk, chunk, block.uncompressed))
            wrong = "damaged data: no chunk of a trace";
    }
    if (wrong)
        return fault("%s: block at offset %zu: %s", path, walk->block_at, wrong);
    *size = block.uncompressed;
    return write_all(out, chunk, *size) || cannot("write", path);
}

static bool unpack_blocks(const char *path, const struct mapped *file, uint64_t chunk_bytes,
                          int out)
{
    struct otf2_zwalk walk = {.bytes = file->bytes, .size = file->size, .chunk_bytes = chunk_bytes};
    size_t size = 0;
    uint8_t *chunk = malloc(chunk_bytes + 1);
    if (!chunk)
        return fault("no memory for a chunk");
    bool is_good = true;
    while (is_good && walk.next_at < walk.size)
        is_good = unpack_block(path, &walk, chunk, out, &size);
    /* That may be meant: a program can refuse that the rest of its events is written. */
    if (is_good && size && chunk[size - 1] != END_OF_BUFFER && chunk[size - 1] != END_OF_FILE)
        fault("%s: warning: ends without the mark of the end; unpacked as far as it goes", path);
    free(chunk);
    return is_good;
}

static bool add(struct list *list, char *path)
{
    if (list->n == list->room) {
        size_t room = list->room ? 2 * list->room : 64;
        char **paths = realloc(list->paths, room * sizeof *paths);
        if (!paths)
            return fault("no memory");
        list->paths = paths;
        list->room = room;
    }
    list->paths[list->n++] = path;
    return true;
}

/* A new file beside `path`, on the list, so that it gets its name or is removed. -1: reported. */
static int make_beside(const char *path, mode_t mode, struct list *list)
{
    char *beside = NULL;
    if (asprintf(&beside, "%s%s", path, ending) < 0) {
        fault("no memory");
        return -1;
    }
    int fd = make_file(beside, mode);
    if (fd < 0)
        cannot("make", beside);
    if (!add(list, beside)) {
        unlink(beside);
        free(beside);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    return fd;
}

static bool close_new(int fd, const char *path)
{
    return !close(fd) || cannot("write", path);
}

static bool unpack_file(const char *path, uint64_t chunk_bytes, struct list *list)
{
    struct mapped file = {0};
    if (!map_file(path, &file))
        return false;
    /* Plain ones were unpacked by a run that was cut off. */
    bool is_good = true;
    if (file.size && file.bytes[0] != CHUNK_MARK) {
        int fd = make_beside(path, file.mode, list);
        is_good = fd >= 0 && unpack_blocks(path, &file, chunk_bytes, fd);
        if (fd >= 0)
            is_good = close_new(fd, path) && is_good;
    }
    unmap_file(&file);
    return is_good;
}

/* ---- the archive ---- */

static bool ends_with(const char *name, const char *with)
{
    size_t n = strlen(name);
    size_t m = strlen(with);
    return n > m && !strcmp(name + n - m, with);
}

static bool unpack_local(const char *path, const struct otf2_anchor *anchor, struct list *list)
{
    if (ends_with(path, ".def"))
        return unpack_file(path, anchor->def_chunk_bytes, list);
    if (ends_with(path, ".evt") || ends_with(path, ".snap"))
        return unpack_file(path, anchor->event_chunk_bytes, list);
    return true;
}

static bool unpack_folder(const char *folder, const struct otf2_anchor *anchor, struct list *list)
{
    char path[PATH_MAX];
    struct stat info;
    bool is_good = true;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && !lstat(folder, &info) && S_ISLNK(info.st_mode))
        return fault("%s: is a symbolic link: unpack the archive that it leads to", folder);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir)
        return errno == ENOENT || cannot("read", folder);
    while (is_good) {
        errno = 0;
        const struct dirent *entry = readdir(dir); /* NOLINT(concurrency-mt-unsafe): one thread */
        if (!entry) {
            is_good = !errno || cannot("read", folder);
            break;
        }
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path)
            is_good = fault("%s: path too long", folder);
        else
            is_good = unpack_local(path, anchor, list);
    }
    closedir(dir);
    return is_good;
}

/* The anchor file again, but for the one byte. */
static bool unpack_anchor(const char *path, const struct mapped *file, struct list *list)
{
    static const uint8_t none = OTF2_COMPRESSION_NONE;
    int fd = make_beside(path, file->mode, list);
    if (fd < 0)
        return false;
    bool is_good = write_all(fd, file->bytes, AT_COMPRESSION) && write_all(fd, &none, 1) &&
                   write_all(fd, file->bytes + AT_COMPRESSION + 1, file->size - AT_COMPRESSION - 1);
    if (!is_good)
        cannot("write", path);
    /* All of this file system's new files must be on the disk before the old ones go. */
    if (is_good && syncfs(fd))
        is_good = cannot("write", path);
    return close_new(fd, path) && is_good;
}

static bool is_chunk_size(uint64_t bytes)
{
    return bytes >= OTF2_CHUNK_SIZE_MIN && bytes <= OTF2_CHUNK_SIZE_MAX;
}

/* `base`: the path of the anchor file without its ending. */
static bool unpack_all(const char *path, const char *base, const struct mapped *file,
                       struct list *list)
{
    struct otf2_anchor anchor = {0};
    char defs[PATH_MAX];
    if (otf2_anchor_decode(file->bytes, file->size, &anchor))
        return fault("%s: no anchor file of an OTF2 archive, or damaged", path);
    bool is_good = true;
    if (anchor.compression == OTF2_COMPRESSION_NONE)
        fault("%s: is not compressed", path);
    else if (anchor.substrate != OTF2_SUBSTRATE_POSIX)
        is_good = fault("%s: its files are in containers, which spur cannot read", path);
    else if (!is_chunk_size(anchor.event_chunk_bytes) || !is_chunk_size(anchor.def_chunk_bytes))
        is_good = fault("%s: damaged: impossible sizes of chunks", path);
    else if (snprintf(defs, sizeof defs, "%s.def", base) >= (int)sizeof defs)
        is_good = fault("%s: path too long", path);
    else
        is_good = (access(defs, F_OK) || unpack_file(defs, anchor.def_chunk_bytes, list)) &&
                  unpack_folder(base, &anchor, list) && unpack_anchor(path, file, list);
    otf2_anchor_fini(&anchor);
    return is_good;
}

/* The new files take the old ones' places; the anchor is the last of the list. */
static bool rename_all(struct list *list, bool is_good)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < list->n; i++) {
        size_t length = strlen(list->paths[i]) - strlen(ending);
        if (is_good) {
            snprintf(path, sizeof path, "%.*s", (int)length, list->paths[i]);
            is_good = !rename(list->paths[i], path) || cannot("replace", path);
        }
        if (!is_good)
            unlink(list->paths[i]);
        free(list->paths[i]);
    }
    free(list->paths);
    return is_good;
}

static const struct command_line command = {
    .name = "spur unpack",
    .form = "ARCHIVE",
    .about = "Turns a compressed archive (a directory, or its .otf2 file) into a plain one, in "
             "place.",
    .least = 1,
    .most = 1,
    .needs = "'spur unpack' needs one archive",
};

int main(int argc, char **argv)
{
    (void)argc;
    static const char *path; /* it lives as long as the process */
    path = archive_path(options_read(&command, argv + 1)[0]);
    struct mapped file = {0};
    struct list list = {0};
    if (!ends_with(path, ".otf2"))
        return !fault("%s: the name of an archive ends in .otf2", path);
    char *base = make_text("%.*s", (int)(strlen(path) - strlen(".otf2")), path);
    if (strlen(path) >= PATH_MAX - sizeof ending)
        return !fault("%s: path too long", path);
    if (!map_file(path, &file))
        return 1;
    bool is_good = unpack_all(path, base, &file, &list);
    is_good = rename_all(&list, is_good);
    unmap_file(&file);
    free(base);
    return is_good ? 0 : 1;
}
