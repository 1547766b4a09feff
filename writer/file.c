/* SPDX-License-Identifier: BSD-3-Clause */
#include "writer/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <otf2x/otf2x.h>

/* A page cache takes pieces of this size at a third of the cost of whole chunks. */
enum { PIECE_BYTES = 64 * 1024 };

static int open_file(const char *path, int flags)
{
    for (;;) {
        long fd = syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0666);
        if (fd >= 0)
            return (int)fd;
        if (errno != EINTR)
            return -errno;
    }
}

static int make_dir(const char *path)
{
    return syscall(SYS_mkdirat, AT_FDCWD, path, 0777) < 0 ? -errno : 0;
}

static int remove_file(const char *path)
{
    return syscall(SYS_unlinkat, AT_FDCWD, path, 0) < 0 ? -errno : 0;
}

/* Some sandboxes and old kernels refuse renameat2(), and some processors have no other call. */
static int rename_file(const char *from, const char *to)
{
#ifdef SYS_renameat
    return syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to) < 0 ? -errno : 0;
#else
    return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0u) < 0 ? -errno : 0;
#endif
}

const OTF2X_FileCallbacks otf2_file_plain = {open_file, make_dir, remove_file, rename_file};

/*
 * The file of a descriptor: a thread of the host may close the descriptor and open a file of its
 * own under the same number.
 */
struct identity {
    dev_t device;
    ino_t inode;
};

static struct identity identity_of(int fd)
{
    struct stat info;
    if (syscall(SYS_fstat, fd, &info) < 0)
        return (struct identity){0, 0};
    return (struct identity){info.st_dev, info.st_ino};
}

static bool is_still(int fd, const struct identity *identity)
{
    const struct identity now = identity_of(fd);
    return now.inode == identity->inode && now.device == identity->device;
}

/*
 * Closes a file. The file system may report a failed store only now. The descriptor is gone in any
 * case.
 */
static int close_file(int fd, const struct identity *identity)
{
    if (!is_still(fd, identity))
        return -EBADF;
    return syscall(SYS_close, fd) < 0 && errno != EINTR ? -errno : 0;
}

static int write_all(int fd, const struct identity *identity, const struct otf2_bytes *part,
                     uint64_t at)
{
    const char *data = part->data;
    for (size_t left = part->size; left;) {
        size_t piece = left < PIECE_BYTES ? left : PIECE_BYTES;
        if (!is_still(fd, identity))
            return -EBADF;
        long n = syscall(SYS_pwrite64, fd, data, piece, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -ENOSPC;
        data += n;
        left -= (size_t)n;
        at += (uint64_t)n;
    }
    return 0;
}

static int read_all(int fd, const struct identity *identity, char *to, size_t left, uint64_t at)
{
    while (left) {
        if (!is_still(fd, identity))
            return -EBADF;
        long n = syscall(SYS_pread64, fd, to, left, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        to += n;
        left -= (size_t)n;
        at += (uint64_t)n;
    }
    return 0;
}

/* ---- a transfer: open a file, do the work, close the file ---- */

struct transfer {
    const OTF2X_FileCallbacks *files;
    const char *path;
    int flags;
    int (*work)(struct transfer *t, int fd, const struct identity *identity);
    uint64_t at; /* or the size */
    const struct otf2_bytes *parts;
    size_t n;
    void *data; /* buffer of `n` bytes for reading */
};

static int (*runner)(int (*transfer)(void *data), void *data);

void OTF2X_RunTransfersBy(int (*run)(int (*transfer)(void *data), void *data))
{
    runner = run;
}

static int once(struct transfer *t)
{
    int fd = t->files->open(t->path, t->flags);
    if (fd < 0)
        return fd;
    const struct identity identity = identity_of(fd);
    int err = t->work(t, fd, &identity);
    int closed = close_file(fd, &identity);
    return err ? err : closed;
}

/* Tries a transfer again after the loss of its descriptor: so a transfer must be repeatable. */
static int try_all(void *data)
{
    enum { TRIES = 16 };
    int err = -EBADF;
    for (int i = 0; i < TRIES && err == -EBADF; i++)
        err = once(data);
    return err;
}

static int transfer(struct transfer t)
{
    return runner ? runner(try_all, &t) : try_all(&t);
}

static int write_parts(struct transfer *t, int fd, const struct identity *identity)
{
    uint64_t at = t->at;
    int err = 0;
    for (size_t i = 0; i < t->n && !err; i++) {
        err = write_all(fd, identity, &t->parts[i], at);
        at += t->parts[i].size;
    }
    return err;
}

int otf2_file_write(const OTF2X_FileCallbacks *files, const char *path, uint64_t at,
                    const struct otf2_bytes *parts, size_t n)
{
    return transfer((struct transfer){.files = files,
                                      .path = path,
                                      .flags = O_WRONLY | O_CREAT | (at ? 0 : O_TRUNC),
                                      .work = write_parts,
                                      .at = at,
                                      .parts = parts,
                                      .n = n});
}

int otf2_file_patch(const OTF2X_FileCallbacks *files, const char *path, uint64_t at,
                    const struct otf2_bytes *parts, size_t n)
{
    return transfer((struct transfer){.files = files,
                                      .path = path,
                                      .flags = O_WRONLY | O_CREAT,
                                      .work = write_parts,
                                      .at = at,
                                      .parts = parts,
                                      .n = n});
}

uint32_t otf2_file_align(const char *path)
{
    enum { MOST = 32 << 20, USUAL = 2 << 20 };
    struct stat info;
    bool is_known = syscall(SYS_newfstatat, AT_FDCWD, path, &info, 0) == 0 && info.st_blksize > 0 &&
                    info.st_blksize <= MOST;
    return is_known ? (uint32_t)info.st_blksize : USUAL;
}

static int do_nothing(struct transfer *t, int fd, const struct identity *identity)
{
    (void)t, (void)fd, (void)identity;
    return 0;
}

int otf2_file_make(const OTF2X_FileCallbacks *files, const char *path)
{
    int err = files->remove(path);
    if (err && err != -ENOENT)
        return err;
    return transfer((struct transfer){
        .files = files, .path = path, .flags = O_WRONLY | O_CREAT | O_EXCL, .work = do_nothing});
}

static int read_bytes(struct transfer *t, int fd, const struct identity *identity)
{
    return read_all(fd, identity, t->data, t->n, t->at);
}

int otf2_file_read(const OTF2X_FileCallbacks *files, const char *path, uint64_t at, void *data,
                   size_t size)
{
    return transfer((struct transfer){.files = files,
                                      .path = path,
                                      .flags = O_RDONLY,
                                      .work = read_bytes,
                                      .at = at,
                                      .n = size,
                                      .data = data});
}

static int ask_size(struct transfer *t, int fd, const struct identity *identity)
{
    (void)identity;
    long end = syscall(SYS_lseek, fd, 0L, SEEK_END);
    t->at = end < 0 ? 0 : (uint64_t)end;
    *(uint64_t *)t->data = t->at;
    return end < 0 ? -errno : 0;
}

int otf2_file_size(const OTF2X_FileCallbacks *files, const char *path, uint64_t *size)
{
    return transfer((struct transfer){
        .files = files, .path = path, .flags = O_RDONLY, .work = ask_size, .data = size});
}

static int cut(struct transfer *t, int fd, const struct identity *identity)
{
    while (is_still(fd, identity) && syscall(SYS_ftruncate, fd, t->at) < 0)
        if (errno != EINTR)
            return -errno;
    return 0;
}

int otf2_file_cut(const OTF2X_FileCallbacks *files, const char *path, uint64_t size)
{
    if (!size)
        return files->remove(path);
    return transfer((
        struct transfer){.files = files, .path = path, .flags = O_WRONLY, .work = cut, .at = size});
}

int otf2_file_make_dirs(const char *path)
{
    char part[4096];
    size_t length = strlen(path);
    if (length >= sizeof part)
        return -ENAMETOOLONG;
    memcpy(part, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (part[i] != '/' && part[i] != '\0')
            continue;
        part[i] = '\0';
        int err = make_dir(part);
        if (err && err != -EEXIST)
            return err;
        part[i] = path[i];
    }
    return 0;
}

uint64_t otf2_file_random(void)
{
    uint64_t number = 0;
    if (syscall(SYS_getrandom, &number, sizeof number, 1u /* GRND_NONBLOCK */) == sizeof number &&
        number)
        return number;
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec ^ (uint64_t)syscall(SYS_getpid) << 44;
}
