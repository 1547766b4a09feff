/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/part_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/fail.h"

static const char *part; /* NULL: there is none */
static const char *whole;

void (*part_file_made)(const char *name);

static void remove_part(void)
{
    if (part)
        (void)unlink(part);
}

static void on_signal(int number)
{
    remove_part();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void keep_in_mind(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    (void)atexit(remove_part);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (signal(ends[i], on_signal) == SIG_IGN)
            (void)signal(ends[i], SIG_IGN);
}

char *part_file_name(const char *path, long pid)
{
    return make_text("%s.part-%ld", path, pid);
}

int part_file_open(const char *path)
{
    struct stat st;
    bool is_other = !stat(path, &st) && !S_ISREG(st.st_mode);
    char *name = is_other ? copy_text(path) : part_file_name(path, (long)getpid());
    /* A file that others put there is not followed. */
    int fd =
        open(name, is_other ? O_WRONLY | O_CLOEXEC : O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
    if (fd < 0)
        fail("%s: %s", name, strerror(errno));
    if (!is_other) {
        part = name;
        whole = path;
        keep_in_mind();
        if (part_file_made)
            part_file_made(part);
    }
    return fd;
}

bool part_file_has_name(void)
{
    return part != NULL;
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
