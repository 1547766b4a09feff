/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/local_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/mem.h"
#include "base/procfs.h"
#include "base/raw_file.h"
#include "session/journal.h"
#include "session/segment.h"

/* ---- which ---- */

static void host_name(char name[SPUR_NAME_BYTES])
{
    struct utsname host;
    if (uname(&host) < 0)
        strcpy(host.nodename, "localhost");
    for (char *at = host.nodename; *at; at++)
        if (*at == '/')
            *at = '_';
    snprintf(name, SPUR_NAME_BYTES, "%.64s", host.nodename);
}

int spur_local_place(const char *local, const char *who, const char *dir, char *place)
{
    union {
        char text[SPUR_PLACE_BYTES + SPUR_NAME_BYTES + 256];
        uint64_t word[(SPUR_PLACE_BYTES + SPUR_NAME_BYTES + 256) / sizeof(uint64_t)];
    } key = {{0}};
    char host[SPUR_NAME_BYTES];
    host_name(host);
    int n = snprintf(key.text, sizeof key.text, "%s %llu %.160s %s", host,
                     (unsigned long long)spur_procfs_pid_space(), who, dir ? dir : "");
    if (n < 0 || (size_t)n >= sizeof key.text)
        return -ENAMETOOLONG;
    uint64_t hash = spur_hash(0, key.word, sizeof key.word / sizeof key.word[0]);
    n = snprintf(place, SPUR_PLACE_BYTES, "%s/spur-%u-%016llx", local, geteuid(),
                 (unsigned long long)hash);
    return n < SPUR_PLACE_BYTES - SPUR_NAME_BYTES ? 0 : -ENAMETOOLONG;
}

/* DIR/.spur/hosts/HOST.KEY */
static void host_file(const char *place, const char *dir, char path[SPUR_FILE_PATH_BYTES])
{
    char host[SPUR_NAME_BYTES];
    host_name(host);
    snprintf(path, SPUR_FILE_PATH_BYTES, "%s/.spur/" SPUR_HOSTS_FOLDER "/%s.%s", dir, host,
             strrchr(place, '-') + 1);
}

/* ---- one at a time ---- */

/* -EAGAIN: it was removed just now. */
static int lock(int fd, uid_t owner)
{
    enum { PATIENCE_MS = 10000 };
    struct stat info;
    int err = fstat(fd, &info) < 0 ? -errno : 0;
    if (!err && info.st_uid != geteuid() && info.st_uid != owner)
        err = -SPUR_FOREIGN;
    for (int ms = 0; !err && syscall(SYS_flock, fd, LOCK_EX | LOCK_NB) < 0; ms++) {
        const struct timespec nap = {0, 1000000};
        err = errno != EWOULDBLOCK && errno != EINTR ? -errno : ms < PATIENCE_MS ? 0 : -ETIMEDOUT;
        syscall(SYS_nanosleep, &nap, NULL);
    }
    if (!err && fstat(fd, &info) == 0 && info.st_nlink == 0)
        err = -EAGAIN;
    return err;
}

int spur_local_hold(const char *place, bool makes, uid_t owner)
{
    int err = -EAGAIN;
    while (err == -EAGAIN) {
        if (makes && mkdir(place, 0700) < 0 && errno != EEXIST)
            return -errno;
        int fd = (int)syscall(SYS_openat, AT_FDCWD, place,
                              O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
            return -errno;
        err = lock(fd, owner);
        if (!err)
            return fd;
        spur_file_close(fd);
    }
    return err;
}

/* ---- in use ---- */

int spur_local_home(const char *place, char *dir)
{
    char path[SPUR_FILE_PATH_BYTES];
    snprintf(path, sizeof path, "%s/.spur/" SPUR_HOME_LINK, place);
    ssize_t n = readlink(path, dir, SPUR_PLACE_BYTES - 1);
    if (n <= 0)
        return n < 0 && errno == ENOTDIR ? -ENOENT : n < 0 ? -errno : -ENOENT;
    dir[n] = '\0';
    return 0;
}

static int or_there(int err)
{
    return err == -EEXIST ? 0 : err;
}

/* What 'spur off DIR' has said to processes that come later. */
static void copy_control(const char *place, const char *dir)
{
    char path[SPUR_FILE_PATH_BYTES];
    void *text = NULL;
    uint64_t bytes, room;
    enum { WORD_MAX = 64 };
    snprintf(path, sizeof path, "%s/.spur/" SPUR_CONTROL_FILE, dir);
    if (spur_file_load(path, WORD_MAX, &text, &bytes, &room) != 0)
        return;
    snprintf(path, sizeof path, "%s/.spur/" SPUR_CONTROL_FILE, place);
    (void)spur_file_create(path, text, bytes);
    spur_mem_free(text, room);
}

int spur_local_settle(const char *place, const char *dir)
{
    char path[SPUR_FILE_PATH_BYTES], file[SPUR_FILE_PATH_BYTES];
    snprintf(path, sizeof path, "%s/.spur", place);
    int err = or_there(spur_beneath_mkdir(path, 0700));
    if (err)
        return err;
    copy_control(place, dir);
    snprintf(path, sizeof path, "%s/.spur/" SPUR_HOSTS_FOLDER, dir);
    err = or_there(spur_beneath_mkdir(path, 0700));
    host_file(place, dir, file);
    if (!err)
        err = or_there(spur_file_create(file, place, strlen(place)));
    snprintf(path, sizeof path, "%s/.spur/" SPUR_HOME_LINK, place);
    if (!err)
        err = spur_beneath_symlink(dir, path);
    if (err)
        (void)spur_beneath_unlink(file);
    return err;
}

/* ---- removing ---- */

struct folder {
    const char *path;
    int depth; /* of folders that are looked into */
    int err;
};

static int remove_entry(void *data, const char *name);

int spur_local_remove(const char *path, int depth)
{
    struct folder folder = {path, depth, 0};
    int err = spur_file_list(path, remove_entry, &folder);
    if (!err)
        err = folder.err ? folder.err : spur_beneath_rmdir(path);
    return spur_file_is_none(err) ? 0 : err;
}

static int remove_entry(void *data, const char *name)
{
    struct folder *folder = data;
    char path[SPUR_FILE_PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    int err = spur_beneath_unlink(path);
    if (err == -EISDIR && folder->depth)
        err = spur_local_remove(path, folder->depth - 1);
    if (err && err != -ENOENT && !folder->err)
        folder->err = err;
    return 0;
}

int spur_local_leave(const char *place, const char *dir)
{
    enum { DEPTH = 2 };
    char path[SPUR_FILE_PATH_BYTES];
    snprintf(path, sizeof path, "%s/.spur", place);
    int err = spur_local_remove(path, DEPTH);
    host_file(place, dir, path);
    if (!err)
        (void)spur_beneath_unlink(path);
    return err;
}

int spur_local_clear(const char *place, const char *dir)
{
    int err = spur_local_leave(place, dir);
    return err ? err : rmdir(place) < 0 ? -errno : 0;
}

/* ---- moving ---- */

struct move {
    const char *from, *to;
};

/* Holes stay holes: a segment is little but holes when its process has ended. */
static int copy_bytes(int from, int to, uint64_t size)
{
    int err = syscall(SYS_ftruncate, to, (off_t)size) < 0 ? -errno : 0;
    for (uint64_t at = 0; at < size && !err;) {
        int64_t data = syscall(SYS_lseek, from, (off_t)at, SEEK_DATA);
        if (data < 0 && errno == ENXIO)
            break;
        int64_t end = data < 0 ? -1 : syscall(SYS_lseek, from, data, SEEK_HOLE);
        if (end < 0) { /* the file system does not tell */
            data = (int64_t)at;
            end = (int64_t)size;
        }
        err = spur_file_copy(from, (uint64_t)data, to, (uint64_t)data, (uint64_t)(end - data));
        at = (uint64_t)end;
    }
    return err;
}

static int copy_file(const char *from, const char *to)
{
    uint64_t size;
    int source = spur_file_open(from, &size);
    if (source < 0)
        return source;
    int target = spur_beneath_open(to, O_WRONLY | O_CREAT | O_EXCL, 0600);
    int err = target < 0 ? target : copy_bytes(source, target, size);
    spur_file_close(source);
    if (target >= 0 && syscall(SYS_close, target) < 0 && !err)
        err = -errno; /* some file systems say it only here */
    return err;
}

static int copy_entry(void *data, const char *name)
{
    const struct move *m = data;
    char from[SPUR_FILE_PATH_BYTES], to[SPUR_FILE_PATH_BYTES];
    struct stat info;
    snprintf(from, sizeof from, "%s/%s", m->from, name);
    snprintf(to, sizeof to, "%s/%s", m->to, name);
    if (lstat(from, &info) < 0)
        return errno == ENOENT ? 0 : -errno;
    if (!S_ISDIR(info.st_mode))
        return S_ISREG(info.st_mode) ? copy_file(from, to) : 0;
    const struct move inner = {from, to};
    int err = spur_beneath_mkdir(to, 0700);
    return err ? err : spur_file_list(from, copy_entry, (void *)(uintptr_t)&inner);
}

/* Under another name first, so that finishing never sees a part. */
static int copy_process(const char *from, const char *dir, const char *name, const char *to)
{
    char made[SPUR_FILE_PATH_BYTES];
    snprintf(made, sizeof made, "%s/.spur/.moving-%s", dir, name);
    int err = spur_local_remove(made, 1); /* of one that was killed here */
    if (!err)
        err = spur_beneath_mkdir(made, 0700);
    struct move move = {from, made};
    if (!err)
        err = spur_file_list(from, copy_entry, &move);
    if (!err)
        err = spur_beneath_rename(made, to);
    if (err)
        (void)spur_local_remove(made, 1);
    return err;
}

int spur_local_move(const char *place, const char *dir, const char *name)
{
    char from[SPUR_FILE_PATH_BYTES], to[SPUR_FILE_PATH_BYTES];
    snprintf(from, sizeof from, "%s/.spur/%s", place, name);
    snprintf(to, sizeof to, "%s/.spur/%s", dir, name);
    int err = spur_file_is_there(to) ? 0 : spur_beneath_rename(from, to);
    if (err == -EXDEV)
        err = copy_process(from, dir, name, to);
    return err ? err : spur_local_remove(from, 1);
}
