/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/apart.h"
#include "base/beneath.h"
#include "base/file_signal.h"
#include "base/mapping.h"

struct mapping {
    const struct spur_file_map *file;
    char *map;
};

/*
 * A file of ours: what would grow may be anybody's. Segments have another name for those who wait.
 */
static int check(int fd, const struct spur_file_map *file)
{
    struct stat info;
    if (file->flags & O_EXCL)
        return 0;
    if (fstat(fd, &info) < 0)
        return -errno;
    if (!S_ISREG(info.st_mode))
        return -EINVAL;
    return (file->flags & O_CREAT) && info.st_nlink != 1 ? -EMLINK : 0;
}

static int identify(int fd, struct spur_file_id *id)
{
    struct stat info;
    if (fstat(fd, &info) < 0)
        return -errno;
    *id = (struct spur_file_id){info.st_dev, info.st_ino};
    return 0;
}

static int make_room(int fd, const struct spur_file_map *file)
{
    struct spur_hold_signal hold;
    int err = 0;
    spur_file_signal_hold(&hold);
    if (file->has_space)
        err = -posix_fallocate(fd, (off_t)file->at, (off_t)file->bytes);
    else if (syscall(SYS_ftruncate, fd, (off_t)(file->at + file->bytes)) < 0)
        err = -errno;
    spur_file_signal_release(&hold);
    return err;
}

static int map_it(void *data)
{
    struct mapping *m = data;
    const struct spur_file_map *file = m->file;
    int fd = spur_beneath_open(file->path, O_RDWR | O_NONBLOCK | file->flags, 0600);
    if (fd < 0)
        return fd;
    int err = check(fd, file);
    if (!err && file->id)
        err = identify(fd, file->id);
    if (!err)
        err = make_room(fd, file);
    if (!err) {
        m->map = spur_map_file(fd, (int64_t)file->at, file->bytes);
        err = m->map ? 0 : -errno;
    }
    syscall(SYS_close, fd);
    return err;
}

static int allocate_it(void *data)
{
    const struct spur_file_map *file = data;
    int fd = spur_beneath_open(file->path, O_RDWR | O_NONBLOCK, 0);
    if (fd < 0)
        return fd;
    int err = check(fd, file);
    if (!err)
        err = make_room(fd, file);
    syscall(SYS_close, fd);
    return err;
}

struct filling {
    const char *path;
    const struct spur_file_id *id;
    uint64_t at, bytes;
};

static const char zeros[16 << 10];

static int write_zeros(int fd, uint64_t at, uint64_t left)
{
    enum { PARTS = 16 };
    while (left) {
        struct iovec part[PARTS];
        int n = 0;
        for (uint64_t rest = left; rest && n < PARTS; rest -= part[n++].iov_len)
            part[n] =
                (struct iovec){(void *)(uintptr_t)zeros, rest < sizeof zeros ? rest : sizeof zeros};
        long wrote = syscall(SYS_pwritev, fd, part, n, at, 0);
        if (wrote <= 0)
            return wrote < 0 ? -errno : -ENOSPC;
        at += (uint64_t)wrote;
        left -= (uint64_t)wrote;
    }
    return 0;
}

static int fill_it(void *data)
{
    const struct filling *f = data;
    struct spur_hold_signal hold;
    struct spur_file_id id = {0};
    int fd = spur_beneath_open(f->path, O_WRONLY | O_NONBLOCK, 0);
    if (fd < 0)
        return fd;
    int err = identify(fd, &id);
    if (!err && (id.device != f->id->device || id.inode != f->id->inode))
        err = -ESTALE;
    spur_file_signal_hold(&hold);
    if (!err)
        err = write_zeros(fd, f->at, f->bytes);
    spur_file_signal_release(&hold);
    syscall(SYS_close, fd);
    return err;
}

int spur_file_map_fill(const char *path, const struct spur_file_id *id, uint64_t at, uint64_t bytes)
{
    struct filling filling = {path, id, at, bytes};
    return spur_apart(fill_it, &filling);
}

bool spur_file_map_can_wait(void)
{
    return syscall(SYS_madvise, NULL, 0L, MADV_POPULATE_WRITE) == 0;
}

int spur_file_map_space(const char *path, char *mapped, uint64_t at, uint64_t bytes)
{
    const uint64_t page = (uint64_t)getpagesize(), before = at % page;
    mapped -= before;
    at -= before;
    bytes = (bytes + before + page - 1) / page * page;
    /* Without a descriptor if possible. Otherwise, or on a full disk, by one: that says why. */
    if (syscall(SYS_madvise, mapped, bytes, MADV_POPULATE_WRITE) == 0)
        return 0;
    struct spur_file_map file = {.path = path, .at = at, .bytes = bytes, .has_space = true};
    return spur_apart(allocate_it, &file);
}

static int mark(void *data)
{
    const char *path = data;
    int fd = spur_beneath_open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd >= 0)
        syscall(SYS_close, fd);
    return fd < 0 ? fd : 0;
}

int spur_file_mark(char *path)
{
    return spur_apart(mark, path);
}

int spur_file_map(const struct spur_file_map *file, char **map)
{
    struct mapping m = {.file = file};
    int err = spur_apart(map_it, &m);
    if (!err)
        *map = m.map;
    return err;
}
