/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/archive_path.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/archive_remade.h"
#include "tools/base/digest.h"
#include "tools/base/fail.h"
#include "tools/base/say.h"

static bool is_anchor(const char *name)
{
    static const char ending[] = ".otf2";
    size_t n = strlen(name);

    return n >= sizeof(ending) && strcmp(name + n - (sizeof(ending) - 1), ending) == 0;
}

static char *join(const char *folder, const char *name)
{
    char *trimmed = copy_path(folder);
    char *joined = make_text("%s/%s", trimmed, name);
    free(trimmed);
    return joined;
}

const char *archive_path(const char *path)
{
    struct stat info;
    char *found = NULL;
    unsigned n = 0;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return path;
    char *usual = join(path, "traces.otf2");
    DIR *dir = access(usual, F_OK) != 0 ? opendir(path) : NULL;
    for (const struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir))
        if (is_anchor(entry->d_name) && n++ == 0)
            found = join(path, entry->d_name);
    if (dir)
        closedir(dir);
    if (n == 1) {
        free(usual);
        return found;
    }
    free(found);
    return usual;
}

char *archive_beside(const char *anchor, const char *ending)
{
    const char *slash = strrchr(anchor, '/');
    const char *name = slash ? slash + 1 : anchor;
    const char *end = strrchr(name, '.');
    return make_text("%.*s.%.*s.%s", (int)(name - anchor), anchor,
                     (int)(end ? (size_t)(end - name) : strlen(name)), name, ending);
}

char *archive_in_cache(const char *anchor, const char *ending)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    bool is_told = cache && cache[0] == '/';
    char *whole = realpath(anchor, NULL);
    char *path = NULL;
    if (whole && (is_told || (home && home[0] == '/'))) {
        char *folder = is_told ? copy_text(cache) : make_text("%s/.cache", home);
        char *own = make_text("%s/spur", folder);
        (void)mkdir(folder, 0700);
        (void)mkdir(own, 0700);
        path = make_text("%s/%016" PRIx64 ".%s", own,
                         digest_add(DIGEST_BEGIN, whole, strlen(whole)), ending);
        free(own);
        free(folder);
    }
    free(whole);
    return path;
}

/* `path` is the directory itself, or the anchor file that it would have. */
static bool say_unfinished(const char *path)
{
    const char *anchor = archive_path(path);
    const char *slash = strrchr(anchor, '/');
    char *folder = slash ? make_text("%.*s", (int)(slash - anchor), anchor) : make_text(".");
    char *session = join(*folder ? folder : "/", ".spur");
    bool is_unfinished =
        is_anchor(anchor) && access(anchor, F_OK) != 0 && access(session, F_OK) == 0;
    if (is_unfinished)
        say("%s is not finished: 'spur recover %s' makes the archive", folder, folder);
    free(session);
    free(folder);
    return is_unfinished;
}

bool archive_say_incomplete(const char *path)
{
    if (say_unfinished(path))
        return true;
    const char *anchor = archive_path(path);
    bool is_half = is_anchor(anchor) && archive_is_half_remade(anchor);
    if (is_half)
        say("%s: 'spur pack' or 'spur unpack' was cut off in its last step: run it again", anchor);
    return is_half;
}

static bool is_none(void)
{
    return errno == ENOENT || errno == ENOTDIR;
}

const char *archive_anchor(const char *path)
{
    struct stat info;
    if (archive_say_incomplete(path))
        exit(fail_status);
    char *trimmed = copy_path(path);
    if (stat(trimmed, &info))
        fail("%s: %s", path, is_none() ? "no such archive" : strerror(errno));
    if (!S_ISDIR(info.st_mode) && !is_anchor(trimmed))
        fail("%s: the name of an archive ends in .otf2", path);
    const char *anchor = archive_path(trimmed);
    if (access(anchor, F_OK))
        fail("%s: %s", path, is_none() ? "no archive in this directory" : strerror(errno));
    if (access(anchor, R_OK))
        fail("%s: %s", anchor, strerror(errno));
    return anchor;
}
