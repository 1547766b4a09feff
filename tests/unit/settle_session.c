/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * settle-session DIR: what ranks do as the last thing, done for processes that have ended and not
 * done it (finish/finish_settle.h). So tests see both ways from the same recording, and can cut
 * this one off anywhere. Prints how many have settled.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/raw_file.h"
#include "finish/finish_settle.h"

static bool read_segment(const char *dir, const char *name, struct spur_segment *segment)
{
    char path[SPUR_FILE_PATH_BYTES];
    uint64_t size;
    snprintf(path, sizeof path, "%s/.spur/%s/segment", dir, name);
    int fd = spur_file_open(path, &size);
    bool is_read = fd >= 0 && spur_file_read(fd, 0, segment, sizeof *segment) == sizeof *segment;
    if (fd >= 0)
        spur_file_close(fd);
    return is_read && segment->ended == SPUR_ENDED && segment->world;
}

int main(int argc, char **argv)
{
    struct dirent **entry;
    char path[SPUR_FILE_PATH_BYTES];
    int settled = 0, failed = 0;
    static struct spur_segment segment;
    snprintf(path, sizeof path, "%s/.spur", argc > 1 ? argv[1] : ".");
    int n = scandir(path, &entry, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        const char *name = entry[i]->d_name;
        if (name[0] == '.' || !strchr(name, '.') || !read_segment(argv[1], name, &segment))
            continue;
        const struct spur_settling settling = {
            argv[1], argv[1], name, &segment, segment.exit_status, NULL, 0};
        bool is_done = spur_finish_settle(&settling) == 0;
        settled += is_done;
        failed += !is_done;
    }
    printf("%d settled, %d failed\n", settled, failed);
    return failed || n < 0;
}
