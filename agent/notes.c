/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes: small files of the session by which its processes agree without messages. */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/buffer.h"
#include "agent/finish_file.h"
#include "agent/process.h"
#include "agent/spur_agent.h"

enum { NOTE_MAX = 1 << 24 };

/* "DIR/.spur/notes/NAME". False when the process records nothing, or the name does not fit. */
static bool path_of(const char *name, char *path, size_t size)
{
    const struct spur_process *p = &spur_process;
    return spur_is_open() && p->name[0] &&
           (size_t)snprintf(path, size, "%s/.spur/notes/%s", p->dir, name) < size;
}

/* Written under a name of its own and then linked: so it is whole, and the first one wins. */
static int put(const char *path, const char *text)
{
    static _Atomic unsigned count;
    char own[SPUR_FILE_PATH_BYTES];
    int length = snprintf(own, sizeof own, "%.*s/.%s.%u", (int)(strrchr(path, '/') - path), path,
                          spur_process.name, count++);
    if (length < 0 || (size_t)length >= sizeof own)
        return -ENAMETOOLONG;
    char *slash = strrchr(own, '/');
    *slash = '\0';
    int err = mkdir(own, 0700) < 0 && errno != EEXIST ? -errno : 0;
    *slash = '/';
    if (!err)
        err = spur_file_create(own, text, strlen(text));
    if (!err && link(own, path) < 0)
        err = -errno;
    unlink(own);
    return err;
}

int spur_note_put(const char *name, const char *text)
{
    char path[SPUR_FILE_PATH_BYTES];
    int saved = errno;
    int err = path_of(name, path, sizeof path) ? put(path, text) : -ENOENT;
    errno = saved;
    return err;
}

bool spur_note_is_there(const char *name)
{
    char path[SPUR_FILE_PATH_BYTES];
    int saved = errno;
    bool is_there = path_of(name, path, sizeof path) && spur_file_is_there(path);
    errno = saved;
    return is_there;
}

char *spur_note_get(const char *name, size_t *room)
{
    char path[SPUR_FILE_PATH_BYTES];
    void *text = NULL;
    uint64_t bytes, size = 0;
    int saved = errno;
    if (!path_of(name, path, sizeof path) ||
        spur_file_load(path, NOTE_MAX, &text, &bytes, &size) != 0)
        text = NULL;
    *room = size;
    errno = saved;
    return text;
}

void spur_note_remove(const char *name)
{
    char path[SPUR_FILE_PATH_BYTES];
    int saved = errno;
    if (path_of(name, path, sizeof path))
        unlink(path);
    errno = saved;
}

struct looking {
    const char *prefix;
    void *data;
    void (*each)(void *data, const char *name);
};

static int look(void *data, const char *name)
{
    const struct looking *l = data;
    if (strncmp(name, l->prefix, strlen(l->prefix)) == 0)
        l->each(l->data, name);
    return 0;
}

void spur_note_each(const char *prefix, void *data, void (*each)(void *data, const char *name))
{
    char path[SPUR_FILE_PATH_BYTES];
    struct looking looking = {prefix, data, each};
    int saved = errno;
    if (path_of("", path, sizeof path))
        (void)spur_file_list(path, look, &looking);
    errno = saved;
}

/* ---- what else processes of one session tell each other ---- */

const char *spur_process_name(void)
{
    return spur_state_now() == SPUR_ON ? spur_process.name : "";
}

void spur_process_job(const char *job)
{
    struct spur_segment *segment = spur_buffer_segment();
    if (spur_state_now() == SPUR_ON && segment)
        snprintf(segment->job, sizeof segment->job, "%s", job);
}

void spur_process_creator(const char *name)
{
    struct spur_segment *segment = spur_buffer_segment();
    if (spur_state_now() == SPUR_ON && segment)
        snprintf(segment->parent, sizeof segment->parent, "%s", name);
}
