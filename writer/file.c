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

/* What the file system could not store it may tell only now. The descriptor is gone in any case. */
static int close_file(int fd)
{
    return syscall(SYS_close, fd) < 0 && errno != EINTR ? -errno : 0;
}

static int write_all(int fd, const char *data, size_t size, uint64_t at)
{
    while (size) {
        size_t piece = size < PIECE_BYTES ? size : PIECE_BYTES;
        long n = syscall(SYS_pwrite64, fd, data, piece, at);
        if (n < 0) {
            if (errno == EINTR)
                continue;
            return -errno;
        }
        if (n == 0)
            return -ENOSPC;
        data += n;
        size -= (size_t)n;
        at += (uint64_t)n;
    }
    return 0;
}

int otf2_file_write(const char *path, uint64_t at, const struct otf2_bytes *parts, size_t n)
{
    int fd = open_file(path, O_WRONLY | O_CREAT | (at ? 0 : O_TRUNC));
    if (fd < 0)
        return fd;
    int err = 0;
    for (size_t i = 0; i < n && !err; i++) {
        err = write_all(fd, parts[i].data, parts[i].size, at);
        at += parts[i].size;
    }
    int closed = close_file(fd);
    return err ? err : closed;
}

int otf2_file_read(const char *path, uint64_t at, void *data, size_t size)
{
    int fd = open_file(path, O_RDONLY);
    if (fd < 0)
        return fd;
    int err = 0;
    for (char *to = data; size && !err;) {
        long n = syscall(SYS_pread64, fd, to, size, at);
        if (n > 0) {
            to += n;
            size -= (size_t)n;
            at += (uint64_t)n;
        } else if (n == 0) {
            err = -EIO;
        } else if (errno != EINTR) {
            err = -errno;
        }
    }
    close_file(fd);
    return err;
}

int otf2_file_size(const char *path, uint64_t *size)
{
    int fd = open_file(path, O_RDONLY);
    if (fd < 0)
        return fd;
    long end = syscall(SYS_lseek, fd, 0L, SEEK_END);
    int err = end < 0 ? -errno : 0;
    *size = err ? 0 : (uint64_t)end;
    close_file(fd);
    return err;
}

int otf2_file_cut(const char *path, uint64_t size)
{
    if (!size)
        return syscall(SYS_unlinkat, AT_FDCWD, path, 0) < 0 ? -errno : 0;
    int fd = open_file(path, O_WRONLY);
    if (fd < 0)
        return fd;
    int err = 0;
    while (syscall(SYS_ftruncate, fd, size) < 0 && !err)
        err = errno == EINTR ? 0 : -errno;
    int closed = close_file(fd);
    return err ? err : closed;
}

int otf2_file_rename(const char *from, const char *to)
{
    return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0u) < 0 ? -errno : 0;
}

int otf2_file_make_dir(const char *path)
{
    return syscall(SYS_mkdirat, AT_FDCWD, path, 0777) < 0 ? -errno : 0;
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
        int err = otf2_file_make_dir(part);
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
