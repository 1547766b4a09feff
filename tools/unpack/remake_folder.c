/* SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/fail.h"
#include "tools/engine/engine.h"
#include "tools/unpack/remake.h"

static char *beside(const char *base)
{
    return make_text("%s" ARCHIVE_REMADE, base);
}

/* Folders here hold files only. */
void remake_remove(const char *path)
{
    (void)chmod(path, S_IRWXU);
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    (void)rmdir(path);
}

void remake_drop(const char *base)
{
    char *folder = beside(base);
    char *map = make_text("%s" ARCHIVE_REMADE ".srm", base);
    remake_remove(folder);
    (void)unlink(map);
    free(folder);
    free(map);
}

bool remake_folder(struct made *made, const char *base)
{
    struct stat info;
    char *folder = beside(base);
    remake_drop(base);
    bool is_good = !mkdir(folder, 0700) || remake_cannot(made, "make", folder);
    if (is_good && (stat(base, &info) || chmod(folder, (info.st_mode & 07777) | S_IRWXU)))
        is_good = remake_cannot(made, "read", base);
    free(folder);
    return is_good;
}

/* The new anchor file takes the place of the old one; then what only containers need goes. */
static bool finish(struct made *made, const char *base)
{
    char *anchor = make_text("%s.otf2", base);
    char *waiting = make_text("%s" ARCHIVE_REMADE, anchor);
    char *map = make_text("%s.srm", base);
    bool is_good = !rename(waiting, anchor) || remake_cannot(made, "replace", anchor);
    if (is_good && !archive_has_containers(base))
        (void)unlink(map);
    if (is_good)
        remake_drop(base);
    free(anchor);
    free(waiting);
    free(map);
    return is_good;
}

static bool swap(const char *base)
{
    char *folder = beside(base);
    bool is_good = !renameat2(AT_FDCWD, folder, AT_FDCWD, base, RENAME_EXCHANGE);
    free(folder);
    return is_good;
}

static bool exchange(struct made *made, const char *base)
{
    bool is_good = swap(base);
    if (!is_good && (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP))
        (void)remake_fault(made,
                           "%s: this file system cannot exchange two folders: copy the archive to a"
                           " local disk, and do it there",
                           base);
    else if (!is_good)
        (void)remake_cannot(made, "replace", base);
    if (is_good && !finish(made, base)) {
        is_good = false;
        (void)swap(base);
    }
    return is_good;
}

bool remake_exchange(struct made *made, const char *base)
{
    sigset_t all, old;
    sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, &old);
    bool is_good = exchange(made, base);
    (void)sigprocmask(SIG_SETMASK, &old, NULL);
    return is_good;
}

/* A run that has just ended has put another file in its place. */
static bool lock(const char *anchor)
{
    struct stat locked, there;
    for (;;) {
        int fd = open(anchor, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0)
            return true; /* that is said later */
        if (flock(fd, LOCK_EX | LOCK_NB))
            return errno != EWOULDBLOCK;
        if (fstat(fd, &locked) || stat(anchor, &there) || locked.st_ino == there.st_ino)
            return true; /* until the process ends */
        close(fd);
    }
}

bool remake_is_alone(struct made *made, const char *anchor)
{
    if (engine_told(!engine_is_first() || lock(anchor)))
        return true;
    engine_leave();
    return remake_fault(made, "%s: another 'spur pack' or 'spur unpack' is at work", anchor);
}

bool remake_settled(struct made *made, const char *anchor, OTF2_FileSubstrate wanted)
{
    char *base = make_text("%.*s", (int)(strlen(anchor) - strlen(".otf2")), anchor);
    bool is_settled = false;
    if (engine_told(archive_is_half_remade(anchor))) {
        engine_leave();
        bool has_containers = archive_has_containers(base);
        is_settled = !finish(made, base) || has_containers == (wanted == OTF2_SUBSTRATE_SION);
    }
    free(base);
    return is_settled;
}
