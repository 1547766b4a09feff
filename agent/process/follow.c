/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/process/follow.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/state/identity.h"
#include "agent/state/place.h"
#include "agent/state/session.h"
#include "agent/state/settings.h"
#include "base/procfs.h"
#include "session/launchers.h"

/* ---- the first process ---- */

/* SPUR_ROOT is PID, or PID-START where there is no launcher. */
static int first_of(const struct spur_config *config, uint64_t *start)
{
    char *end = NULL;
    *start = 0;
    if (!config->root)
        return 0;
    int pid = (int)strtol(config->root, &end, 10);
    if (*end == '-')
        *start = strtoull(end + 1, NULL, 10);
    return pid;
}

/* The ranks of an MPI job are what its user has started. */
static bool is_started_by_launcher(void)
{
    struct spur_procfs_stat stat;
    return spur_procfs_stat((int)getppid(), &stat) && spur_session_is_launcher_name(stat.name);
}

bool spur_follow_is_first(void)
{
    uint64_t start;
    int pid = first_of(&spur_settings, &start);
    if (pid == spur_process.pid || (pid == 0 && spur_process.generation == 0))
        return true;
    return spur_process.is_rank && is_started_by_launcher();
}

/* The image before this one, of the same process. */
static bool has_recorded_before(void)
{
    char path[SPUR_PATH_BYTES + SPUR_NAME_BYTES + 32], room[SPUR_PATH_BYTES];
    const char *name = spur_settings.creator;
    const char *place = name && spur_settings.dir ? spur_place_here(room) : NULL;
    if (!place)
        return false;
    snprintf(path, sizeof path, "%.*s/.spur/%.*s/segment", SPUR_PATH_BYTES, place,
             (int)strcspn(name, ":"), name);
    return access(path, F_OK) == 0;
}

bool spur_follow_is_shown(void)
{
    return spur_families >> SPUR_FAMILY_PROCESS & 1 &&
           (!spur_follow_is_first() || has_recorded_before());
}

bool spur_follow_is_awaited(void)
{
    uint64_t start;
    return first_of(&spur_settings, &start) == spur_process.pid && start;
}

bool spur_follow_first_runs(void)
{
    uint64_t start;
    int pid = first_of(&spur_settings, &start);
    return start && pid != spur_process.pid && spur_procfs_runs(pid, start);
}

/* ---- the choice ---- */

static bool matches(const char *pattern, const char *text)
{
    return fnmatch(pattern, text, 0) == 0;
}

/* As it was called, and the file that runs: an interpreter, for a script. */
static bool is_named(const char *pattern)
{
    char path[SPUR_PATH_BYTES];
    const char *name = spur_session_program();
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    const char *slash = strrchr(path, '/');
    if (strchr(pattern, '/'))
        return matches(pattern, path) || matches(pattern, program_invocation_name);
    return matches(pattern, name) || (slash && matches(pattern, slash + 1));
}

static bool is_listed(const char *list)
{
    char pattern[256];
    while (*list) {
        size_t length = strcspn(list, ",");
        if (length > 0 && length < sizeof pattern) {
            memcpy(pattern, list, length);
            pattern[length] = '\0';
            if (is_named(pattern))
                return true;
        }
        list += length;
        list += *list == ',';
    }
    return false;
}

bool spur_follow_wants(void)
{
    const char *follow = spur_settings.follow;
    if (!follow || strcmp(follow, "all") == 0)
        return true;
    if (strcmp(follow, "none") == 0)
        return spur_follow_is_first();
    return is_listed(follow);
}

/* The launcher says `mixed` of a command that is not simply an MPI job. */
const char *spur_follow_families(const struct spur_config *config)
{
    bool is_tree = config->session && strcmp(config->session, "mixed") == 0 &&
                   !spur_process.is_rank && !secure_getenv("SPUR_WRAP");
    return is_tree ? "default,process" : config->wrap;
}
