/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/launch/held.h"
#include "tools/base/fail.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/launch/launch.h"

static int held = -1;
static bool is_lost;

void held_look(const char *dir, bool is_told)
{
    if (held >= 0)
        return;
    held = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (held >= 0 && faccessat(held, ".spur", F_OK, 0) != 0) {
        close(held);
        held = -1;
    }
    is_lost = is_told && held < 0;
}

static bool is_held(const char *path)
{
    struct stat ours;
    struct stat other;

    return fstat(held, &ours) == 0 && stat(path, &other) == 0 && ours.st_dev == other.st_dev &&
           ours.st_ino == other.st_ino;
}

enum held held_find(const char *dir, char **place)
{
    char link[32];
    char text[PATH_MAX];
    ssize_t length;

    if (held < 0)
        return is_lost ? HELD_LOST : HELD_NOT;
    if (is_held(dir))
        return HELD_IN_PLACE;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", held);
    length = readlink(link, text, sizeof(text) - 1);
    text[length > 0 ? length : 0] = '\0';
    if (!is_held(text))
        return HELD_REMOVED;
    *place = make_text("%s", text);
    return HELD_MOVED;
}
