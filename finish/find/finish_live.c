/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes of a session that have recorded nothing yet: only the system knows of them. Launchers
 * of MPI never do.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/procfs.h"
#include "base/raw_file.h"
#include "finish/find/finish_find.h"
#include "session/launchers.h"

enum { PIECE_BYTES = 32 << 10, WORD_MAX = SPUR_FILE_PATH_BYTES + 16 };

struct search {
    char word[WORD_MAX]; /* "SPUR_DIR=DIR", ends with its zero */
    char *piece;
    int own, parent;
    bool is_found;
};

/* Is the word, of `length` bytes, in /proc/PID/FILE? Pieces overlap by its length. */
static bool holds(const struct search *search, const char *pid, const char *file, const char *word,
                  size_t length)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%.16s/%s", pid, file);
    long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    size_t kept = 0;
    bool is_there = false;
    while (fd >= 0 && !is_there) {
        long n = syscall(SYS_read, fd, search->piece + kept, PIECE_BYTES - kept);
        if (n <= 0)
            break;
        size_t have = kept + (size_t)n;
        is_there = memmem(search->piece, have, word, length) != NULL;
        kept = have < length ? have : length - 1;
        memmove(search->piece, search->piece + have - kept, kept);
    }
    if (fd >= 0)
        syscall(SYS_close, fd);
    return is_there;
}

static int look_at(void *data, const char *name)
{
    static const char library[] = "/libspur.so";
    struct search *search = data;
    struct spur_procfs_stat stat;
    int pid = (int)strtol(name, NULL, 10);
    if (search->is_found || pid <= 0 || pid == search->own || pid == search->parent)
        return 0;
    search->is_found = holds(search, name, "environ", search->word, strlen(search->word) + 1) &&
                       holds(search, name, "maps", library, sizeof library - 1) &&
                       spur_procfs_stat(pid, &stat) && stat.state != 'Z' && stat.state != 'X' &&
                       !spur_session_is_launcher_name(stat.name);
    return 0;
}

bool finish_is_lived_in(const struct finish *f)
{
    struct search search = {.piece = spur_mem_new(PIECE_BYTES),
                            .own = (int)getpid(),
                            .parent = (int)getppid()};
    snprintf(search.word, sizeof search.word, "SPUR_DIR=%s", f->dir);
    if (search.piece)
        (void)spur_file_list("/proc", look_at, &search);
    spur_mem_free(search.piece, PIECE_BYTES);
    return search.is_found;
}
