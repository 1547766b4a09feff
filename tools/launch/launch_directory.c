/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the archive goes. */
#include "session/batch.h"
#include "tools/base/fail.h"
#include "tools/launch/launch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool exists(const char *path)
{
    struct stat info;

    return lstat(path, &info) == 0;
}

/* ---- a directory that is given ---- */

/* What cannot be read counts as empty. */
static bool has_entries(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry = NULL;

    if (!folder)
        return false;
    do
        entry = readdir(folder);
    while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    closedir(folder);
    return entry != NULL;
}

char *launch_is_unusable(const char *path)
{
    struct stat info;

    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        if (has_entries(path))
            return make_text("output directory %s is not empty", path);
        if (faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) != 0)
            return make_text("output directory %s is not writable", path);
        return NULL;
    }
    if (exists(path))
        return make_text("output directory %s exists and is no directory", path);
    if (mkdirat(AT_FDCWD, path, 0700) != 0) /* the agent's call: a sandbox may refuse it alone */
        return make_text("cannot create output directory %s: %s", path, strerror(errno));
    rmdir(path);
    return NULL;
}

/* ---- the claim on a directory ---- */

static uint64_t hash(const char *text)
{
    uint64_t sum = 0xcbf29ce484222325U;

    for (; *text; text++)
        sum = (sum ^ (unsigned char)*text) * 0x100000001b3U;
    return sum;
}

static char *marker_of(const char *dir)
{
    const char *temporary = getenv("TMPDIR");

    return make_text("%s/spur-%016llx", temporary && *temporary ? temporary : "/tmp",
                     (unsigned long long)hash(dir));
}

bool launch_claim(const char *dir, char **marker)
{
    struct stat info;
    char *path = marker_of(dir);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool is_ours = fd >= 0;

    if (fd < 0 && errno == EEXIST) {
        fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
        is_ours = fd >= 0 && fstat(fd, &info) == 0 && info.st_uid == geteuid();
    }
    if (is_ours && flock(fd, LOCK_EX | LOCK_NB) == 0) {
        *marker = path; /* the descriptor stays */
        return true;
    }
    if (fd >= 0)
        close(fd);
    free(path);
    *marker = NULL;
    return !is_ours;
}

/* ---- a name for one ---- */

char *launch_stem(const char *program)
{
    enum { LONGEST = 64 };
    static const char kept[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-";
    const char *slash = strrchr(program, '/');
    char *name = make_text("%.*s", LONGEST, slash ? slash + 1 : program);
    char job[SPUR_BATCH_TAG_BYTES];

    for (char *c = name; *c; c++)
        if (!strchr(kept, *c))
            *c = '_';
    spur_batch_tag(job);
    char *stem = make_text("spur-%s%s", name, job);
    free(name);
    return stem;
}

static char *base_name(const char *program)
{
    char when[32] = "", restart[SPUR_BATCH_RESTART_BYTES];
    time_t now = time(NULL);
    const struct tm *parts = localtime(&now);
    char *stem = launch_stem(program);

    if (parts)
        strftime(when, sizeof(when), "%Y%m%d-%H%M%S", parts);
    spur_batch_restart(restart);
    char *base = make_text("%s%s-%s", stem, restart, when);
    free(stem);
    return launch_absolute(base);
}

/* Runs that start in the same second would choose the same name. */
char *launch_choose_directory(const char *program, char **marker)
{
    enum { TRIES = 100 };
    char *base = base_name(program);

    for (int number = 1; number <= TRIES; number++) {
        char *dir = number == 1 ? make_text("%s", base) : make_text("%s-%d", base, number);

        if (!exists(dir) && launch_claim(dir, marker))
            return dir;
        free(dir);
    }
    *marker = NULL;
    return make_text("%s-pid%d", base, (int)getpid());
}
