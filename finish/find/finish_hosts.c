/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/raw_file.h"
#include "finish/find/finish_find.h"
#include "finish/state/finish_team.h"
#include "finish/state/finish_trouble.h"
#include "session/local_place.h"

/* The user who may own data on the hosts: the owner of the session. */
static uid_t owner_of(const struct finish *f)
{
    char path[SPUR_FILE_PATH_BYTES];
    struct stat info;
    return lstat(finish_path(f, NULL, NULL, path), &info) == 0 ? info.st_uid : geteuid();
}

/* ---- one place ---- */

struct emptying {
    const struct finish *f;
    const char *place;
};

static int move_entry(void *data, const char *name)
{
    const struct emptying *e = data;
    return finish_is_process_name(name) ? spur_local_move(e->place, e->f->dir, name) : 0;
}

/*
 * An exec may fail, and the process goes on. Without a claim of the session the process is left
 * alone.
 */
static bool has_exec(const struct finish *here)
{
    for (uint64_t i = 0; i < here->n_processes; i++)
        if (here->process[i]->state == FINISH_EXECED && here->process[i]->is_there)
            return true;
    return false;
}

/* Called with the place held. Only a look at all processes tells if a process may still record. */
static int empty(const struct finish *f, const char *place)
{
    bool stays = false;
    char path[SPUR_FILE_PATH_BYTES];
    struct emptying emptying = {f, place};
    struct finish *here = spur_mem_new(sizeof *here);
    if (!here)
        return -ENOMEM;
    here->dir = f->dir;
    here->options = f->options;
    int err = finish_scan_place(here, place);
    if (!err && finish_is_running(here))
        err = 1;
    else if (!err)
        stays = !f->is_claimed && has_exec(here);
    finish_free(here);
    spur_mem_free(here, sizeof *here);
    snprintf(path, sizeof path, "%s/.spur", place);
    if (err || stays)
        return err;
    err = spur_file_list(path, move_entry, &emptying);
    return err ? err : spur_local_clear(place, f->dir);
}

int finish_hosts_empty(struct finish *f, const char *place)
{
    char home[SPUR_PLACE_BYTES];
    int held = spur_local_hold(place, false, owner_of(f));
    if (held == -ENOENT)
        return 0; /* another process was faster */
    int err = held < 0 ? held : spur_local_home(place, home);
    if (!err)
        err = empty(f, place);
    else if (err == -ENOENT)
        err = spur_local_clear(place, f->dir); /* the process that began moving the place is dead */
    if (held >= 0)
        spur_file_close(held);
    return err;
}

/* ---- all places ---- */

/* Read the place from a file of the folder `hosts`. False: the file tells no place. */
static bool read_place(const struct finish *f, const char *name, char place[SPUR_PLACE_BYTES])
{
    char file[SPUR_NAME_BYTES + 16], path[SPUR_FILE_PATH_BYTES];
    void *text = NULL;
    uint64_t bytes = 0, room = 0;
    snprintf(file, sizeof file, SPUR_HOSTS_FOLDER "/%.*s", SPUR_NAME_BYTES, name);
    if (spur_file_load(finish_path(f, NULL, file, path), SPUR_PLACE_BYTES - 1, &text, &bytes,
                       &room) != 0)
        return false;
    snprintf(place, SPUR_PLACE_BYTES, "%s", (const char *)text);
    spur_mem_free(text, room);
    return place[0] == '/';
}

/*
 * Does the place have the name "spur-UID-KEY", as recording names a place of the session's owner? A
 * file must not cause the emptying of another folder. Root recovers anybody's session, and leaves
 * root's own places alone.
 */
static bool is_named_so(const struct finish *f, const char *place, const char *name)
{
    char begin[32];
    const char *last = strrchr(place, '/') + 1, *key = strrchr(last, '-');
    const char *dot = strrchr(name, '.');
    snprintf(begin, sizeof begin, "spur-%u-", owner_of(f));
    return strncmp(last, begin, strlen(begin)) == 0 && key == last + strlen(begin) - 1 && dot &&
           strspn(key + 1, "0123456789abcdef") == 16 && strcmp(key + 1, dot + 1) == 0;
}

/* Does the place itself name the session as its home? A moved session has its old name there. */
static bool is_home(const struct finish *f, const char *place)
{
    char home[SPUR_PLACE_BYTES];
    struct stat there, here;
    return spur_local_home(place, home) != 0 || stat(home, &there) < 0 ||
           (stat(f->dir, &here) == 0 && there.st_dev == here.st_dev && there.st_ino == here.st_ino);
}

static bool is_here(const struct finish *f, const char *place, const char *name)
{
    struct stat info;
    return is_named_so(f, place, name) && lstat(place, &info) == 0 && S_ISDIR(info.st_mode) &&
           info.st_uid == owner_of(f) && is_home(f, place);
}

/* The file is called HOST.KEY. The content of the file is shown, and may be anything. */
static void note_away(struct finish_hosts *hosts, const char *name, const char *place)
{
    size_t at = strlen(hosts->names);
    const char *dot = strrchr(name, '.');
    if (hosts->away++ == 0 || at + SPUR_NAME_BYTES < sizeof hosts->names)
        snprintf(hosts->names + at, sizeof hosts->names - at, "%s%.*s (in %.128s)", at ? ", " : "",
                 dot ? (int)(dot - name) : 64, name, place);
    for (char *c = hosts->names; *c; c++)
        if ((unsigned char)*c < ' ' || *c == '\x7f')
            *c = '?';
}

struct visit {
    struct finish *f;
    int (*each)(void *data, const char *place);
    void *data;
};

static int visit_host(void *data, const char *name)
{
    const struct visit *v = data;
    char place[SPUR_PLACE_BYTES] = "?";
    bool is_told = read_place(v->f, name, place);
    if (is_told && is_here(v->f, place, name))
        return v->each(v->data, place);
    note_away(&v->f->hosts, name, place);
    return 0;
}

int finish_hosts_each(struct finish *f, int (*each)(void *data, const char *place), void *data)
{
    struct visit visit = {f, each, data};
    char path[SPUR_FILE_PATH_BYTES];
    memset(&f->hosts, 0, sizeof f->hosts);
    int err = spur_file_list(finish_path(f, NULL, SPUR_HOSTS_FOLDER, path), visit_host, &visit);
    return spur_file_is_none(err) ? 0 : err;
}

static int scan_host(void *data, const char *place)
{
    struct finish *f = data;
    int left = f->is_claimed ? finish_hosts_empty(f, place) : 1;
    if (left < 0)
        return finish_blame(f, left, "%s", place);
    int err = left ? finish_scan_place(f, place) : 0;
    /* A process that has ended since then is moved in the next attempt. */
    for (uint64_t i = 0; i < f->n_processes && f->is_claimed; i++)
        if (f->process[i]->local && strcmp(f->process[i]->local, place) == 0)
            f->process[i]->state = FINISH_ALIVE;
    return spur_file_is_none(err) ? 0 : err;
}

const struct finish_step finish_hosts_step = {.number = FINISH_STEP_HOSTS,
                                              .takes = FINISH_COLUMN(WHO)};

/* Two members of the team may be on one host, and a member may be on the caller's host. */
static int take_running(struct finish *f, uint64_t place, const struct finish_process *other)
{
    (void)place;
    for (uint64_t i = 0; i < f->n_processes; i++)
        if (strcmp(f->process[i]->name, other->name) == 0)
            return 0;
    struct finish_process *p = finish_add(f);
    if (!p)
        return -ENOMEM;
    memcpy(p->name, other->name, sizeof p->name);
    memcpy(&p->head, &other->head, sizeof p->head);
    p->state = FINISH_ALIVE;
    p->is_elsewhere = true;
    return 0;
}

/* When the others have moved their data, the data on the caller's host is gone as well. */
int finish_hosts_scan(struct finish *f)
{
    char path[SPUR_FILE_PATH_BYTES];
    bool has_hosts = spur_file_is_there(finish_path(f, NULL, SPUR_HOSTS_FOLDER, path));
    int err = finish_team_may(f) && has_hosts
                  ? finish_team_all(f, &finish_hosts_step, NULL, 0, take_running)
                  : 0;
    return err ? err : finish_hosts_each(f, scan_host, f);
}

static int see_host(void *data, const char *name)
{
    const struct finish *f = data;
    char place[SPUR_PLACE_BYTES];
    return read_place(f, name, place) && is_here(f, place, name);
}

bool finish_hosts_have(const struct finish *f)
{
    char path[SPUR_FILE_PATH_BYTES];
    return spur_file_list(finish_path(f, NULL, SPUR_HOSTS_FOLDER, path), see_host,
                          (void *)(uintptr_t)f) == 1;
}
