/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/part_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/fail.h"
#include "tools/base/list.h"

enum { LINKS_MAX = 40, NO_DESCRIPTOR = -1 };

static const char *part; /* NULL: there is none */
static const char *whole;
static char **part_files; /* NULL at its end: what lies in it, if it is a directory */

void (*part_file_made)(const char *name);

/* ---- what is left when the process ends before ---- */

static void remove_part(void)
{
    if (!part)
        return;
    for (char **file = part_files; file && *file; file++)
        (void)unlink(*file);
    (void)(part_files ? rmdir(part) : unlink(part));
}

static void on_signal(int number)
{
    remove_part();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void keep_in_mind(const char *name, const char *path)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    part = name;
    whole = path;
    (void)atexit(remove_part);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (signal(ends[i], on_signal) == SIG_IGN)
            (void)signal(ends[i], SIG_IGN);
}

/* ---- links ---- */

struct target {
    char *path;
    int descriptor;  /* of this process, or NO_DESCRIPTOR */
    const char *why; /* NULL, or what is wrong with a link */
};

static char *neighbour(const char *path, const char *text)
{
    const char *slash = *text == '/' ? NULL : strrchr(path, '/');
    return make_text("%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, text);
}

/* /dev/stdout, /dev/fd/N: to open it again would begin anew, in front of what others wrote. */
static int descriptor_of(const char *path)
{
    char own[64];
    const char *slash = strrchr(path, '/');
    if (!slash || !isdigit((unsigned char)slash[1]))
        return NO_DESCRIPTOR;
    char *folder = neighbour(path, ".");
    char *real = realpath(folder, NULL);
    (void)snprintf(own, sizeof own, "/proc/%ld/fd", (long)getpid());
    bool is_own = real && strcmp(real, own) == 0;
    free(folder);
    free(real);
    return is_own ? (int)strtol(slash + 1, NULL, 10) : NO_DESCRIPTOR;
}

/* What others put there is not followed. The system's own links are root's. */
static struct target follow(const char *path)
{
    struct target t = {copy_text(path), NO_DESCRIPTOR, NULL};
    struct stat st;
    unsigned hops = 0;
    for (; !lstat(t.path, &st) && S_ISLNK(st.st_mode); hops++) {
        char text[PATH_MAX];
        ssize_t n = readlink(t.path, text, sizeof text - 1);
        t.descriptor = descriptor_of(t.path);
        t.why = st.st_uid != geteuid() && st.st_uid != 0 ? "the link belongs to another user"
                : n < 0                                  ? strerror(errno)
                : hops == LINKS_MAX                      ? strerror(ELOOP)
                                                         : NULL;
        if (t.why || t.descriptor != NO_DESCRIPTOR)
            return t;
        text[n] = '\0';
        char *next = neighbour(t.path, text);
        free(t.path);
        t.path = next;
    }
    if (hops && !lstat(t.path, &st) && S_ISREG(st.st_mode) && st.st_uid != geteuid())
        t.why = "the link leads to a file of another user";
    return t;
}

/* ---- the file ---- */

static char *name_beside(const char *path, long pid)
{
    return make_text("%s.part-%ld", path, pid);
}

char *part_file_name(const char *path, long pid)
{
    return name_beside(follow(path).path, pid);
}

static int open_as_it_is(const struct target *t)
{
    struct stat st;
    int fd = t->descriptor != NO_DESCRIPTOR
                 ? fcntl(t->descriptor, F_DUPFD_CLOEXEC, 0)
                 : open(t->path, O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        fail("%s: %s", t->path, strerror(errno));
    if (t->descriptor == NO_DESCRIPTOR && (fstat(fd, &st) || S_ISREG(st.st_mode)))
        fail("%s: it was replaced meanwhile", t->path);
    return fd;
}

static bool is_new(const struct target *t)
{
    struct stat st;
    return t->descriptor == NO_DESCRIPTOR && (lstat(t->path, &st) || S_ISREG(st.st_mode));
}

bool part_file_is_new(const char *path)
{
    struct target t = follow(path);
    bool answer = is_new(&t);
    free(t.path);
    return answer;
}

int part_file_open(const char *path)
{
    struct target t = follow(path);
    if (t.why)
        fail("%s: %s", path, t.why);
    if (!is_new(&t))
        return open_as_it_is(&t);
    char *name = name_beside(t.path, (long)getpid());
    /* A file that others put there is not followed. */
    int fd = open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
    if (fd < 0)
        fail("%s: %s", name, strerror(errno));
    keep_in_mind(name, t.path);
    if (part_file_made)
        part_file_made(part);
    return fd;
}

void part_file_open_directory(const char *path, const char *const *names, size_t n,
                              const char *ending)
{
    struct stat st;
    size_t room = 0;
    if (!lstat(path, &st))
        fail("%s: it is there already", path);
    char *name = name_beside(path, (long)getpid());
    part_files = list_grow(NULL, &room, n + 1, sizeof *part_files);
    for (size_t i = 0; i < n; i++)
        part_files[i] = make_text("%s/%s%s", name, names[i], ending);
    part_files[n] = NULL;
    if (mkdir(name, 0777))
        fail("%s: %s", name, strerror(errno));
    keep_in_mind(name, path);
}

const char *part_file_path(void)
{
    return part;
}

bool part_file_done(void)
{
    if (!part)
        return true;
    if (rename(part, whole))
        return false;
    part = NULL;
    return true;
}
