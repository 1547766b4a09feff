/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/raw_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/file_signal.h"
#include "base/mem.h"

/* What getdents64(2) fills in. */
struct entry {
    uint64_t inode;
    int64_t next;
    uint16_t bytes;
    uint8_t type;
    char name[];
};

static int open_as(const char *path, int flags, unsigned mode)
{
    return spur_beneath_open(path, flags | O_NONBLOCK, mode);
}

static int open_file(const char *path, int flags)
{
    return open_as(path, flags, 0600);
}

/*
 * What is written to has one name, or it may be a file outside of the session as well. But segments
 * of processes that their parents have not waited for.
 */
static bool may_be_written(const char *path, const struct stat *info)
{
    const char *slash = strrchr(path, '/');
    return info->st_nlink == 1 || (slash && strcmp(slash, "/segment") == 0);
}

static int open_regular(const char *path, int flags, uint64_t *size)
{
    struct stat info;
    int fd = open_file(path, flags);
    if (fd < 0)
        return fd;
    int err = fstat(fd, &info) < 0 ? -errno : S_ISREG(info.st_mode) ? 0 : -EINVAL;
    if (!err && (flags & O_ACCMODE) != O_RDONLY && !may_be_written(path, &info))
        err = -EMLINK;
    if (err) {
        spur_file_close(fd);
        return err;
    }
    *size = (uint64_t)info.st_size;
    return fd;
}

int spur_file_open(const char *path, uint64_t *size)
{
    return open_regular(path, O_RDONLY, size);
}

int spur_file_edit(const char *path, uint64_t *size)
{
    return open_regular(path, O_RDWR, size);
}

void spur_file_close(int fd)
{
    syscall(SYS_close, fd);
}

int64_t spur_file_read(int fd, uint64_t at, void *to, uint64_t bytes)
{
    uint64_t done = 0;
    while (done < bytes) {
        long n = syscall(SYS_pread64, fd, (char *)to + done, bytes - done, at + done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        done += (uint64_t)n;
    }
    return (int64_t)done;
}

int spur_file_write(int fd, uint64_t at, const void *from, uint64_t bytes)
{
    const char *next = from;
    while (bytes) {
        long n = syscall(SYS_pwrite64, fd, next, bytes, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -ENOSPC;
        next += n;
        at += (uint64_t)n;
        bytes -= (uint64_t)n;
    }
    return 0;
}

int spur_file_copy(int from, uint64_t from_at, int to, uint64_t to_at, uint64_t bytes)
{
    enum { PIECE_BYTES = 1 << 20 };
    const uint64_t room = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
    char *piece = bytes ? spur_mem_new(room) : NULL;
    int err = piece || !bytes ? 0 : -ENOMEM;
    for (uint64_t done = 0; done < bytes && !err;) {
        const uint64_t left = bytes - done;
        int64_t n = spur_file_read(from, from_at + done, piece, left < room ? left : room);
        if (n == 0 && bytes == UINT64_MAX)
            break;
        err = n < 0    ? (int)n
              : n == 0 ? -EIO
                       : spur_file_write(to, to_at + done, piece, (uint64_t)n);
        done += n > 0 ? (uint64_t)n : 0;
    }
    spur_mem_free(piece, room);
    return err;
}

int spur_file_load(const char *path, uint64_t limit, void **memory, uint64_t *bytes, uint64_t *room)
{
    uint64_t size = 0;
    int fd = spur_file_open(path, &size);
    if (fd < 0)
        return fd;
    size = size < limit ? size : limit;
    *room = size + 1;
    *memory = spur_mem_new(*room);
    int64_t n = *memory ? spur_file_read(fd, 0, *memory, size) : -ENOMEM;
    spur_file_close(fd);
    if (n < 0) {
        spur_mem_free(*memory, *room);
        *memory = NULL;
        return (int)n;
    }
    *bytes = (uint64_t)n;
    return 0;
}

/* A link, a folder, a FIFO, a socket or a device is nothing that processes make. */
bool spur_file_is_none(int err)
{
    static const int errors[] = {ENOENT, ELOOP, EINVAL, ENXIO, ENOTDIR, EISDIR, ENODEV};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (err == -errors[i])
            return true;
    return false;
}

static int write_parts(int fd, const char *from, uint64_t bytes)
{
    while (bytes) {
        long n = syscall(SYS_write, fd, from, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -ENOSPC;
        from += n;
        bytes -= (uint64_t)n;
    }
    return 0;
}

static int write_all(int fd, const char *from, uint64_t bytes)
{
    struct spur_hold_signal hold;
    spur_file_signal_hold(&hold);
    int err = write_parts(fd, from, bytes);
    spur_file_signal_release(&hold);
    return err;
}

/* Write, and close. */
static int write_to(int fd, const void *from, uint64_t bytes)
{
    int err = write_all(fd, from, bytes);
    if (syscall(SYS_close, fd) < 0 && !err && errno != EINTR)
        err = -errno; /* some file systems say only now that they are full */
    return err;
}

int spur_file_append(const char *path, const void *from, uint64_t bytes)
{
    uint64_t size;
    int fd = open_regular(path, O_WRONLY | O_CREAT | O_APPEND, &size);
    return fd < 0 ? fd : write_to(fd, from, bytes);
}

static int create(const char *path, unsigned mode, const void *from, uint64_t bytes)
{
    int fd = open_as(path, O_WRONLY | O_CREAT | O_EXCL, mode);
    int err = fd < 0 ? fd : write_to(fd, from, bytes);
    if (err && fd >= 0)
        (void)spur_beneath_unlink(path); /* a part of it would be believed to be all */
    return err;
}

int spur_file_create(const char *path, const void *from, uint64_t bytes)
{
    return create(path, 0600, from, bytes);
}

int spur_file_publish(const char *path, const void *from, uint64_t bytes)
{
    return create(path, 0666, from, bytes);
}

void spur_file_punch(const char *path, uint64_t at, uint64_t bytes)
{
    uint64_t size;
    int fd = open_regular(path, O_WRONLY, &size);
    if (fd < 0)
        return;
    (void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)bytes);
    spur_file_close(fd);
}

int spur_file_cut(const char *path, uint64_t bytes)
{
    uint64_t size;
    int fd = open_regular(path, O_WRONLY, &size);
    if (fd < 0)
        return fd;
    int err = ftruncate(fd, (off_t)bytes) < 0 ? -errno : 0;
    spur_file_close(fd);
    return err;
}

bool spur_file_is_there(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

static int each_entry(const char *buffer, long bytes, int (*each)(void *data, const char *name),
                      void *data)
{
    int err = 0;
    for (long at = 0; at < bytes && !err;) {
        const struct entry *entry = (const struct entry *)(const void *)(buffer + at);
        at += entry->bytes;
        if (strcmp(entry->name, ".") != 0 && strcmp(entry->name, "..") != 0)
            err = each(data, entry->name);
    }
    return err;
}

int spur_file_list(const char *dir, int (*each)(void *data, const char *name), void *data)
{
    enum { BUFFER_BYTES = 32 << 10 };
    int fd = open_file(dir, O_RDONLY | O_DIRECTORY);
    if (fd < 0)
        return fd;
    char *buffer = spur_mem_new(BUFFER_BYTES);
    int err = buffer ? 0 : -ENOMEM;
    while (!err) {
        long bytes = syscall(SYS_getdents64, fd, buffer, BUFFER_BYTES);
        if (bytes < 0)
            err = -errno;
        if (bytes <= 0)
            break;
        err = each_entry(buffer, bytes, each, data);
    }
    spur_mem_free(buffer, BUFFER_BYTES);
    spur_file_close(fd);
    return err;
}
