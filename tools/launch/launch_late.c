/* SPDX-License-Identifier: BSD-3-Clause */
/* A task of a job that comes when others of the same job have ended. */
#include "tools/launch/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct ancestor {
    char name[32];
    int parent;
    unsigned long long start; /* clock ticks since boot */
};

/* The line of /proc/PID/stat; false: there is none. */
static bool read_stat(int pid, char *line, int size)
{
    char path[48];
    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    FILE *file = fopen(path, "re");
    bool is_read = file && fgets(line, size, file);

    if (file)
        fclose(file);
    return is_read;
}

static bool look_at(int pid, struct ancestor *of)
{
    enum { STATE = 3, PARENT = 4, START = 22 };
    char line[1024];
    const char *open;
    const char *field;

    if (!read_stat(pid, line, sizeof(line)) || !(open = strchr(line, '(')) ||
        !(field = strrchr(line, ')')))
        return false;
    snprintf(of->name, sizeof(of->name), "%.*s", (int)(field - open - 1), open + 1);
    field = strchr(field, ' ');
    for (int i = STATE; field && i <= START; i++, field = strchr(field + 1, ' ')) {
        if (i == PARENT)
            of->parent = (int)strtol(field, NULL, 10);
        if (i == START)
            of->start = strtoull(field, NULL, 10);
    }
    return field != NULL;
}

static double seconds(struct timespec time)
{
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double now(clockid_t clock)
{
    struct timespec time = {0, 0};

    clock_gettime(clock, &time);
    return seconds(time);
}

bool launch_is_late(const char *archive)
{
    enum { ANCESTORS = 16 };
    struct ancestor of = {.parent = getppid()};
    struct stat info;

    for (int i = 0; i < ANCESTORS && of.parent > 1; i++) {
        if (!look_at(of.parent, &of))
            return false;
        if (launch_starts_ranks(of.name)) {
            double age = now(CLOCK_BOOTTIME) - (double)of.start / (double)sysconf(_SC_CLK_TCK);
            return stat(archive, &info) == 0 && seconds(info.st_mtim) > now(CLOCK_REALTIME) - age;
        }
    }
    return false;
}
