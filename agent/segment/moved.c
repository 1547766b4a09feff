/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/segment/moved.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/segment/buffer.h"
#include "agent/spur_agent.h"
#include "agent/state/place.h"
#include "agent/state/session.h"
#include "agent/state/settings.h"
#include "base/beneath.h"
#include "base/mem.h"
#include "base/own_stack.h"
#include "base/procfs.h"

enum { LINE_ROOM = 16 << 10, TEXT_BYTES = SPUR_PATH_BYTES + SPUR_NAME_BYTES + 32 };

struct search {
    uintptr_t segment;
    char *path; /* TEXT_BYTES; "": not found */
};

/* The kernel writes the end of a line as \012, and nothing else in another way. */
static void copy_path(char *out, const char *path)
{
    static const char line_end[] = "\\012";
    size_t at = 0;
    while (*path && at < TEXT_BYTES - 1) {
        bool is_end = strncmp(path, line_end, strlen(line_end)) == 0;
        out[at++] = *path;
        if (is_end)
            out[at - 1] = '\n';
        path += is_end ? strlen(line_end) : 1;
    }
    out[at] = '\0';
}

static bool find_segment(void *data, const struct spur_procfs_mapping *mapping)
{
    struct search *search = data;
    if (search->segment < mapping->start || search->segment >= mapping->end)
        return true;
    copy_path(search->path, mapping->path);
    return false;
}

static bool is_there(const char *path)
{
    return syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0 ||
           (errno != ENOENT && errno != ENOTDIR);
}

/* Does it end in this? Then that is cut off. */
static bool cut(char *text, const char *end)
{
    size_t length = strlen(text), bytes = strlen(end);
    bool is_end = length > bytes && strcmp(text + length - bytes, end) == 0;
    if (is_end)
        text[length - bytes] = '\0';
    return is_end;
}

/* `text` is what the segment is called now. */
static enum spur_moved judge(char *text, const char *inner, char dir[SPUR_PATH_BYTES])
{
    bool is_there_now = is_there(text);
    if (!is_there_now && cut(text, " (deleted)"))
        return cut(text, inner) ? SPUR_REMOVED : SPUR_STAYED;
    if (!is_there_now || !cut(text, inner) || strlen(text) >= SPUR_PATH_BYTES)
        return SPUR_STAYED;
    memcpy(dir, text, strlen(text) + 1);
    return SPUR_MOVED;
}

enum spur_moved spur_moved_to(char dir[SPUR_PATH_BYTES])
{
    const struct spur_process *p = &spur_process;
    char inner[SPUR_NAME_BYTES + 32], path[TEXT_BYTES] = "";
    struct search search = {(uintptr_t)spur_buffer_segment(), path};
    int saved = errno;
    memcpy(dir, p->dir, SPUR_PATH_BYTES);
    if (spur_place_is_local())
        return SPUR_STAYED; /* the segment does not tell where the session is */
    snprintf(inner, sizeof inner, "/.spur/%.*s/segment", SPUR_NAME_BYTES - 1, p->name);
    snprintf(path, sizeof path, "%.*s%s", SPUR_PATH_BYTES - 1, p->dir, inner);
    enum spur_moved moved = SPUR_STAYED;
    if (p->name[0] && search.segment && !is_there(path)) {
        char *line = spur_mem_new(LINE_ROOM);
        path[0] = '\0';
        if (line)
            (void)spur_procfs_each_mapping(line, LINE_ROOM, &search, find_segment);
        spur_mem_free(line, LINE_ROOM);
        moved = judge(path, inner, dir);
    }
    errno = saved;
    return moved;
}

static bool spur_moved_from_here(const char *dir)
{
    char now[SPUR_PATH_BYTES];
    return spur_process.name[0] && spur_moved_to(now) != SPUR_REMOVED &&
           spur_moved_is_old(dir, now);
}
SPUR_DOOR(bool, spur_moved_from, (const char *, dir))

/* For base/beneath.c, which has found nothing at `path`. */
static bool find_elsewhere(const char *path, char *there, size_t size)
{
    char dir[SPUR_PATH_BYTES];
    size_t bytes = strlen(spur_process.dir);
    return strncmp(path, spur_process.dir, bytes) == 0 && path[bytes] == '/' &&
           spur_moved_to(dir) == SPUR_MOVED &&
           (size_t)snprintf(there, size, "%s%s", dir, path + bytes) < size;
}

void spur_moved_watch(void)
{
    spur_beneath_ask(find_elsewhere);
}

/* ---- those that this process starts ---- */

static const char *first_name; /* that its environment still has, or NULL */

void spur_moved_follow(struct spur_config *config)
{
    static char moved[SPUR_PATH_BYTES];
    const struct spur_process *p = &spur_process;
    bool is_given = p->name[0] && config->dir && strcmp(config->dir, p->dir) == 0;
    if (is_given && spur_moved_to(moved) == SPUR_MOVED) {
        if (!first_name)
            first_name = config->dir;
        config->dir = moved;
    }
    spur_beneath_ask(NULL);
}

bool spur_moved_is_old(const char *dir, const char *now)
{
    return strcmp(dir, now) != 0 &&
           (strcmp(dir, spur_process.dir) == 0 || (first_name && strcmp(dir, first_name) == 0));
}

void spur_moved_say_removed(void)
{
    if (spur_settings.verbose != 0 && !spur_session_is_supervised(&spur_settings))
        spur_say("%s was removed while the program ran, and what was recorded with it",
                 spur_process.dir);
}
