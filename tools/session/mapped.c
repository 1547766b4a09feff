/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/session/mapped.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/raw_file.h"

/* What the lines of a process's maps have said so far. */
struct seen {
    bool a_line, the_agent, the_segment;
};

static void see(struct seen *seen, char *line, char *path, size_t size)
{
    line[strcspn(line, "\n")] = '\0';
    seen->a_line = true;
    const char *name = strchr(line, '/');
    const char *last = name ? strrchr(name, '/') : NULL;
    if (!name)
        return;
    seen->the_agent |= strstr(name, "/libspur.so") != NULL;
    seen->the_segment = strstr(name, "/.spur/") && strcmp(last, MAPPED_SEGMENT) == 0 &&
                        (size_t)snprintf(path, size, "%s", name) < size;
}

bool mapped_segment(unsigned long pid, char *path, size_t size)
{
    struct seen seen = {0};
    char line[SPUR_FILE_PATH_BYTES];
    snprintf(line, sizeof line, "/proc/%lu/maps", pid);
    FILE *maps = fopen(line, "re");
    if (!maps) {
        spur_log(errno == ENOENT ? "there is no process %lu"
                                 : "process %lu belongs to another user",
                 pid);
        return false;
    }
    while (!seen.the_segment && fgets(line, sizeof line, maps))
        see(&seen, line, path, size);
    fclose(maps);
    if (!seen.the_segment)
        spur_log(!seen.a_line
                     ? "process %lu cannot be inspected: it belongs to another user, or has ended"
                 : seen.the_agent
                     ? "process %lu has made no recorded call yet; give the directory of its "
                       "session instead"
                     : "process %lu is not recorded by spur",
                 pid);
    return seen.the_segment;
}
