/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

long spur_procfs_read(const char *path, char *text, size_t size)
{
    long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    size_t at = 0;
    while (at < size - 1) {
        long n = syscall(SYS_read, fd, text + at, size - 1 - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    syscall(SYS_close, fd);
    text[at] = '\0';
    return (long)at;
}

bool spur_procfs_stat(int pid, struct spur_procfs_stat *stat)
{
    enum { FIELD_PPID = 4, FIELD_START = 22 };
    char path[32];
    char text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    if (spur_procfs_read(path, text, sizeof text) <= 0)
        return false;
    /* "pid (name) state ppid ...": the name may hold anything, so look for its last ')'. */
    char *open = strchr(text, '(');
    char *close = strrchr(text, ')');
    if (!open || !close || close < open)
        return false;
    *close = '\0';
    snprintf(stat->name, sizeof stat->name, "%s", open + 1);
    char *p = close + 1;
    stat->state = *p;
    if (*p == ' ')
        stat->state = p[1];
    for (int field = 2; field < FIELD_START; field++) {
        p = strchr(p, ' ');
        if (!p)
            return false;
        p++;
        if (field + 1 == FIELD_PPID)
            stat->ppid = (int)strtol(p, NULL, 10);
    }
    stat->start = strtoull(p, NULL, 10);
    return true;
}

uint64_t spur_procfs_pid_space(void)
{
    char text[64];
    ssize_t n = readlink("/proc/self/ns/pid", text, sizeof text - 1);
    if (n <= 0)
        return 0;
    text[n] = '\0';
    const char *number = strchr(text, '['); /* "pid:[4026531836]" */
    return number ? strtoull(number + 1, NULL, 10) : 0;
}
