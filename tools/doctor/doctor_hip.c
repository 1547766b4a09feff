/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether HIP is recorded: its runtime has to register itself, and rocprofiler-sdk has to be where
 * rocprofiler-register looks for it.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/doctor/doctor_machine.h"

enum { PATH_ROOM = 4096 };

static const char file_name[] = "librocprofiler-sdk.so";

/* By its name, as the loader finds it. */
static bool find_by_name(char path[PATH_ROOM])
{
    struct link_map *map = NULL;
    void *handle = dlopen(file_name, RTLD_LAZY | RTLD_LOCAL);
    bool is_found = handle && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0;
    if (is_found)
        (void)snprintf(path, PATH_ROOM, "%s", map->l_name);
    if (handle)
        dlclose(handle);
    return is_found;
}

static bool find_beside(const char *other, char path[PATH_ROOM])
{
    const char *slash = strrchr(other, '/');
    int n =
        snprintf(path, PATH_ROOM, "%.*s%s", slash ? (int)(slash - other) + 1 : 0, other, file_name);
    return n > 0 && n < PATH_ROOM && access(path, R_OK) == 0;
}

void doctor_hip(doctor_fact *fact, doctor_fact *problem, const struct doctor_hip *hip)
{
    char path[PATH_ROOM];
    if (!hip->runtime)
        fact("HIP", "none linked");
    else if (!hip->registers)
        problem("HIP",
                "%s does not use rocprofiler-register, so HIP is not recorded; ROCm 6.3 or newer "
                "does",
                hip->runtime);
    else if (find_by_name(path) || find_beside(hip->registers, path))
        fact("HIP", "calls, kernels and copies are traced by %s; not tried on hardware", path);
    else
        problem("HIP", "no %s beside %s, so HIP is not recorded; install rocprofiler-sdk",
                file_name, hip->registers);
}
