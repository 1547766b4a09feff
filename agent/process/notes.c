/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes: small files of the session by which its processes agree without messages. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/segment/buffer.h"
#include "agent/spur_agent.h"
#include "agent/spur_host_notes.h"
#include "agent/state/identity.h"
#include "agent/state/place.h"
#include "agent/state/state.h"
#include "base/apart.h"
#include "base/beneath.h"
#include "base/file_map.h"
#include "base/own_stack.h"
#include "base/raw_file.h"

enum { NOTE_MAX = 1 << 24 };

bool spur_host_notes_are_apart(void)
{
    return spur_is_open() && spur_place_is_local();
}

/* "DIR/.spur/notes/NAME", or in the place of this host. False when the process records nothing, or
 * the name does not fit. */
static bool path_of(const char *name, char *path, size_t size)
{
    const struct spur_process *p = &spur_process;
    const bool is_host = strncmp(name, SPUR_HOST_NOTE, strlen(SPUR_HOST_NOTE)) == 0;
    const char *session = is_host ? p->place : p->dir;
    return spur_is_open() && p->name[0] && !strchr(name, '/') &&
           (size_t)snprintf(path, size, "%s/.spur/notes/%s", session, name) < size;
}

struct note {
    const char *path;
    const char *text;
    void *loaded;
    uint64_t bytes, room;
};

static int make_folder(const char *path)
{
    char folder[SPUR_FILE_PATH_BYTES];
    int length = snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    if (length < 0 || (size_t)length >= sizeof folder)
        return -ENAMETOOLONG;
    int err = spur_beneath_mkdir(folder, 0700);
    return err == -EEXIST ? 0 : err;
}

/* Written under a name of its own and then linked: so it is whole, and the first one wins. */
static int put(void *data)
{
    const struct note *note = data;
    const char *path = note->path, *text = note->text;
    static _Atomic unsigned count;
    char own[SPUR_FILE_PATH_BYTES];
    int length = snprintf(own, sizeof own, "%.*s/.%s.%u", (int)(strrchr(path, '/') - path), path,
                          spur_process.name, count++);
    if (length < 0 || (size_t)length >= sizeof own)
        return -ENAMETOOLONG;
    int err = make_folder(path);
    if (!err)
        err = spur_file_create(own, text, strlen(text));
    if (err)
        return err;
    err = spur_beneath_link(own, path);
    (void)spur_beneath_unlink(own);
    return err;
}

static int spur_note_put_here(const char *name, const char *text)
{
    char path[SPUR_FILE_PATH_BYTES];
    int saved = errno;
    struct note note = {.path = path, .text = text};
    int err = path_of(name, path, sizeof path) ? spur_apart(put, &note) : -ENOENT;
    errno = saved;
    return err;
}
SPUR_DOOR(int, spur_note_put, (const char *, name), (const char *, text))

static bool spur_note_is_there_here(const char *name)
{
    char path[SPUR_FILE_PATH_BYTES];
    int saved = errno;
    bool is_there = path_of(name, path, sizeof path) && spur_file_is_there(path);
    errno = saved;
    return is_there;
}
SPUR_DOOR(bool, spur_note_is_there, (const char *, name))

static int get(void *data)
{
    struct note *note = data;
    return spur_file_load(note->path, NOTE_MAX, &note->loaded, &note->bytes, &note->room);
}

static char *spur_note_get_here(const char *name, size_t *room)
{
    char path[SPUR_FILE_PATH_BYTES];
    struct note note = {.path = path};
    int saved = errno;
    if (!path_of(name, path, sizeof path) || spur_apart(get, &note) != 0)
        note.loaded = NULL;
    *room = note.room;
    errno = saved;
    return note.loaded;
}
/* NOLINTNEXTLINE(readability-non-const-parameter): written behind the door */
SPUR_DOOR(char *, spur_note_get, (const char *, name), (size_t *, room))

static void spur_note_remove_here(const char *name)
{
    char path[SPUR_FILE_PATH_BYTES];
    int saved = errno;
    if (path_of(name, path, sizeof path))
        (void)spur_beneath_unlink(path);
    errno = saved;
}
SPUR_DOOR_VOID(spur_note_remove, (const char *, name))

struct mapping {
    struct spur_file_map file;
    char *map;
};

static int map(void *data)
{
    struct mapping *m = data;
    int err = make_folder(m->file.path);
    return err ? err : spur_file_map(&m->file, &m->map);
}

static void *spur_host_note_map_here(const char *name, size_t bytes)
{
    char path[SPUR_FILE_PATH_BYTES];
    struct mapping m = {
        .file = {.path = path, .flags = O_CREAT, .bytes = bytes, .has_space = true}};
    int saved = errno;
    if (!path_of(name, path, sizeof path) || spur_apart(map, &m) != 0)
        m.map = NULL;
    errno = saved;
    return m.map;
}
SPUR_DOOR(void *, spur_host_note_map, (const char *, name), (size_t, bytes))

struct looking {
    const char *path;
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

static int look_at_all(void *data)
{
    return spur_file_list(((const struct looking *)data)->path, look, data);
}

typedef void (*each_note)(void *data, const char *name);

static void spur_note_each_here(const char *prefix, void *data,
                                void (*each)(void *data, const char *name))
{
    char path[SPUR_FILE_PATH_BYTES];
    struct looking looking = {path, prefix, data, each};
    int saved = errno;
    if (path_of(prefix, path, sizeof path)) {
        *strrchr(path, '/') = '\0';
        (void)spur_apart(look_at_all, &looking);
    }
    errno = saved;
}
SPUR_DOOR_VOID(spur_note_each, (const char *, prefix), (void *, data), (each_note, each))

/* ---- what else processes of one session tell each other ---- */

const char *spur_process_name(void)
{
    return spur_state_now() == SPUR_ON ? spur_process.name : "";
}

static void spur_process_job_here(const char *job)
{
    struct spur_segment *segment = spur_buffer_segment();
    if (spur_is_open() && segment)
        snprintf(segment->job, sizeof segment->job, "%s", job);
}
SPUR_DOOR_VOID(spur_process_job, (const char *, job))

static void spur_process_creator_here(const char *name)
{
    struct spur_segment *segment = spur_buffer_segment();
    if (spur_is_open() && segment)
        snprintf(segment->parent, sizeof segment->parent, "%s", name);
}
SPUR_DOOR_VOID(spur_process_creator, (const char *, name))

void spur_process_spawns(uint32_t n)
{
    struct spur_segment *segment = spur_buffer_segment();
    if (spur_is_open() && segment)
        atomic_fetch_add_explicit(&segment->spawned, n, memory_order_relaxed);
}

void spur_process_is_spawned(void)
{
    struct spur_segment *segment = spur_buffer_segment();
    if (spur_is_open() && segment)
        segment->is_spawned = 1;
}
