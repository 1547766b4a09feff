/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/snapshot_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/raw_file.h"
#include "finish/find/finish_settled.h"

enum { COPY_AT_ONCE = 1 << 28 };

char *snapshot_place(const char *session, const char *name, const char *file,
                     char path[SPUR_FILE_PATH_BYTES])
{
    snprintf(path, SPUR_FILE_PATH_BYTES, "%s/.spur%s%s%s%s", session, *name ? "/" : "", name,
             *file ? "/" : "", file);
    return path;
}

int snapshot_write(int fd, uint64_t at, const void *bytes, uint64_t n)
{
    ssize_t done = pwrite(fd, bytes, n, (off_t)at);
    return done < 0 ? -errno : (uint64_t)done == n ? 0 : -ENOSPC;
}

static int copy_bytes(int from, int to)
{
    uint64_t at = 0;
    /* Within the kernel where it can, without the bytes where the file system shares them. */
    ssize_t whole;
    while ((whole = copy_file_range(from, NULL, to, NULL, COPY_AT_ONCE, 0)) > 0)
        at += (uint64_t)whole;
    if (whole == 0 && at)
        return 0;
    return spur_file_copy(from, at, to, at, UINT64_MAX);
}

int snapshot_make(const char *path)
{
    (void)spur_beneath_unlink(path);
    return spur_beneath_open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
}

int snapshot_copy_file(const char *from_session, const char *to_session, const char *name,
                       const char *file)
{
    char path[SPUR_FILE_PATH_BYTES];
    uint64_t size;
    int from = spur_file_open(snapshot_place(from_session, name, file, path), &size);
    if (from < 0)
        return from;
    int to = snapshot_make(snapshot_place(to_session, name, file, path));
    int err = to < 0 ? to : copy_bytes(from, to);
    spur_file_close(from);
    if (to >= 0 && close(to) < 0 && !err)
        err = -errno;
    return err;
}

/* A folder on its way. */
struct folder {
    const struct spur_snapshot *snapshot;
    const char *name;
};

static int copy_member(void *data, const char *name)
{
    const struct folder *folder = data;
    int err = snapshot_copy_file(folder->snapshot->from, folder->snapshot->to, folder->name, name);
    return spur_file_is_none(err) ? 0 : err;
}

int snapshot_copy_folder(const struct spur_snapshot *snapshot, const char *folder)
{
    struct folder whole = {snapshot, folder};
    char path[SPUR_FILE_PATH_BYTES];
    struct stat info;
    int err = 0;
    if (lstat(snapshot_place(snapshot->from, folder, "", path), &info) == 0) {
        err = spur_beneath_mkdir(snapshot_place(snapshot->to, folder, "", path), 0700);
        if (!err)
            err = spur_file_list(snapshot_place(snapshot->from, folder, "", path), copy_member,
                                 &whole);
    }
    return err;
}

static int copy_world(void *data, const char *name)
{
    static const char prefix[] = "settled-";
    const struct spur_snapshot *snapshot = data;
    char path[SPUR_FILE_PATH_BYTES], traces[SPUR_NAME_BYTES + 8];
    if (strncmp(name, prefix, sizeof prefix - 1) != 0 || strlen(name) >= SPUR_NAME_BYTES)
        return 0;
    snprintf(traces, sizeof traces, "%.*s/traces", SPUR_NAME_BYTES - 1, name);
    int err = spur_beneath_mkdir(snapshot_place(snapshot->to, name, "", path), 0700);
    return err ? err : snapshot_copy_folder(snapshot, traces);
}

int snapshot_copy_settled(struct spur_snapshot *snapshot)
{
    char path[SPUR_FILE_PATH_BYTES];
    if (snapshot->only ||
        !spur_file_is_there(snapshot_place(snapshot->from, FINISH_ENDS_FOLDER, "", path)))
        return 0;
    int err = snapshot_copy_folder(snapshot, FINISH_ENDS_FOLDER);
    if (!err)
        err = spur_file_list(snapshot_place(snapshot->from, "", "", path), copy_world, snapshot);
    snapshot->copied += !err;
    return err;
}
