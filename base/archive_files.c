/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/archive_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#include "base/beneath.h"
#include "base/raw_file.h"

enum { FILE_MODE = 0666, FOLDER_MODE = 0777 };

/* What is made anew is another file than the one of that name, which may have more names. */
static int open_file(const char *path, int flags)
{
    bool is_anew = flags & O_TRUNC;
    if (is_anew)
        flags = (flags & ~O_TRUNC) | O_EXCL;
    int fd = spur_beneath_open(path, flags, FILE_MODE);
    if (is_anew && fd == -EEXIST && spur_beneath_unlink(path) == 0)
        fd = spur_beneath_open(path, flags, FILE_MODE);
    return fd;
}

static int make_dir(const char *path)
{
    return spur_beneath_mkdir(path, FOLDER_MODE);
}

const OTF2X_FileCallbacks spur_archive_files = {open_file, make_dir, spur_beneath_unlink,
                                                spur_beneath_rename};

static int make_dir_once(const char *path)
{
    int err = make_dir(path);
    return err == -EEXIST ? 0 : err;
}

const OTF2X_FileCallbacks spur_archive_files_shared = {open_file, make_dir_once,
                                                       spur_beneath_unlink, spur_beneath_rename};

static int make_no_dir(const char *path)
{
    (void)path;
    return 0;
}

static int open_late(const char *path, int flags)
{
    char folder[SPUR_FILE_PATH_BYTES];
    const char *slash = strrchr(path, '/');
    int fd = open_file(path, flags);
    if (fd != -ENOENT || !(flags & O_CREAT) || !slash || slash - path >= (long)sizeof folder)
        return fd;
    memcpy(folder, path, (size_t)(slash - path));
    folder[slash - path] = '\0';
    int err = make_dir(folder);
    return err && err != -EEXIST ? err : open_file(path, flags);
}

const OTF2X_FileCallbacks spur_archive_files_late = {open_late, make_no_dir, spur_beneath_unlink,
                                                     spur_beneath_rename};
