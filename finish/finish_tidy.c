/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/finish_tidy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/procfs.h"
#include "base/raw_file.h"
#include "finish/find/finish_find.h"
#include "finish/find/finish_settled.h"
#include "finish/finish_pack.h"
#include "finish/state/finish_trouble.h"
#include "session/local_place.h"
#include "session/lock_cell.h"

/* ---- the claim ---- */

static void describe_self(char *text, size_t size)
{
    struct spur_procfs_stat stat = {.start = 0};
    char boot[SPUR_BOOT_ID_BYTES];
    spur_procfs_stat((int)getpid(), &stat);
    spur_procfs_boot_id(boot);
    snprintf(text, size, "%d %llu %s/%llu", (int)getpid(), (unsigned long long)stat.start, boot,
             (unsigned long long)spur_procfs_pid_space());
}

/*
 * Has the claiming process of another namespace of pids, boot or host ended? `of`, `own`: the
 * claim's and the own " BOOT/PIDSPACE".
 */
static bool has_ended_elsewhere(const struct finish *f, const char *of, const char *own, int pid)
{
    const char *space = strchr(of, '/'), *own_space = strchr(own, '/');
    bool is_of_this_boot = space && own_space && space - of == own_space - own &&
                           memcmp(of, own, (size_t)(space - of)) == 0;
    return (f->options.recover && !f->options.snapshot) ||
           (is_of_this_boot && spur_procfs_has_ended(strtoull(space + 1, NULL, 10), pid));
}

/*
 * Is a claim void? A claim is void if its process is gone, as far as can be seen; what cannot be
 * seen is believed, unless the user says that such processes are dead. A claim that names no
 * process is void too.
 */
static bool is_stale(const struct finish *f, const char *path)
{
    char text[256], self[256], *end;
    ssize_t n = readlink(path, text, sizeof text - 1);
    if (n <= 0)
        return n < 0 && errno == EINVAL; /* no link; else just gone */
    text[n] = '\0';
    unsigned long pid = strtoul(text, &end, 10);
    if (end == text || *end != ' ')
        return true;
    unsigned long long start = strtoull(end, NULL, 10);
    describe_self(self, sizeof self);
    const char *boot = strrchr(text, ' '), *own_boot = strrchr(self, ' ');
    if (!boot || !own_boot)
        return false;
    if (strcmp(boot, own_boot) != 0)
        return has_ended_elsewhere(f, boot, own_boot, (int)pid);
    return !spur_procfs_runs((int)pid, start);
}

/* Root finishes anybody's session: files in the session lead root nowhere else. */
static int check_owner(const struct finish *f)
{
    char path[SPUR_FILE_PATH_BYTES];
    if (geteuid() == 0)
        return 0;
    int folder = spur_beneath_open(finish_path(f, NULL, NULL, path), O_PATH | O_DIRECTORY, 0);
    if (folder < 0)
        return folder;
    int err = spur_beneath_check_owner(folder, "finishing");
    spur_file_close(folder);
    return err;
}

/*
 * The claim is a symbolic link to nowhere: made with its text at once, also on a full disk, or not
 * at all.
 */
int finish_claim(struct finish *f)
{
    char path[SPUR_FILE_PATH_BYTES], text[256];
    describe_self(text, sizeof text);
    finish_path(f, NULL, "finishing", path);
    int err = spur_beneath_symlink(text, path);
    if (err == -EEXIST && is_stale(f, path)) {
        err = spur_beneath_unlink(path);
        if (!err)
            err = spur_beneath_symlink(text, path);
    }
    /* Without a session directory, another process has just finished. */
    if (err == -EEXIST || err == -ENOENT)
        err = -EBUSY;
    if (!err) {
        err = check_owner(f);
        if (err)
            (void)spur_beneath_unlink(path);
    }
    return err == -EBUSY ? err : finish_blame(f, err, "%s", path);
}

void finish_unclaim(struct finish *f, int err)
{
    char path[SPUR_FILE_PATH_BYTES];
    if (err)
        (void)spur_beneath_unlink(finish_path(f, NULL, "finishing", path));
}

/* ---- an earlier attempt ---- */

static bool is_ours(const char *name, const char *ending)
{
    size_t digits = strspn(name, "0123456789");
    return digits > 0 && strcmp(name + digits, ending) == 0;
}

struct putting {
    const struct finish *f;
    const char *place;
};

static int put_aside(void *data, const char *name)
{
    const struct putting *p = data;
    char from[SPUR_FILE_PATH_BYTES], file[64], to[SPUR_FILE_PATH_BYTES];
    snprintf(from, sizeof from, "%s/traces/%s", p->place, name);
    snprintf(file, sizeof file, "retry/%.32s", name);
    if (is_ours(name, ".def"))
        return spur_beneath_unlink(from);
    if (is_ours(name, ".evt"))
        return spur_beneath_rename(from, finish_path(p->f, NULL, file, to));
    return 0;
}

/*
 * Refuses the first existing file that is not a product of finishing: the archive would be written
 * over the file.
 */
static int refuse_others(struct finish *f)
{
    static const char *const made[] = {"traces", "traces.def", "traces.otf2", "traces.srm"};
    char path[SPUR_FILE_PATH_BYTES];
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", f->dir, made[i]);
        if (spur_file_is_there(path))
            return finish_blame(f, -EEXIST, "%s", path);
    }
    return 0;
}

static int unless_gone(int err)
{
    return err == -ENOENT ? 0 : err;
}

static int empty_traces(struct finish *f, const char *place)
{
    struct putting putting = {f, place};
    char path[SPUR_FILE_PATH_BYTES], retry[SPUR_FILE_PATH_BYTES];
    /* The attempt before may have come no further than to here. */
    f->is_retried = spur_file_is_there(finish_path(f, NULL, "retry", retry));
    snprintf(path, sizeof path, "%s/traces", place);
    if (!spur_file_is_there(path))
        return 0;
    f->is_retried = true;
    int err = spur_beneath_mkdir(retry, 0700);
    if (err && err != -EEXIST)
        return err;
    err = spur_file_list(path, put_aside, &putting);
    return err ? err : spur_beneath_rmdir(path);
}

/* The files in DIR were copies: the events are in the plain files. */
static int undo_packed(struct finish *f, const char *plain)
{
    int err = finish_pack_clear(f);
    if (!err)
        err = empty_traces(f, plain);
    return err ? err : finish_pack_tidy(f);
}

int finish_tidy_take_back(const struct finish *f)
{
    char path[SPUR_FILE_PATH_BYTES];
    snprintf(path, sizeof path, "%s/traces.otf2", f->dir);
    return unless_gone(spur_beneath_unlink(path));
}

/*
 * Removes the files of an earlier attempt. The attempt may have made the archive in the other form.
 */
int finish_tidy_attempt(struct finish *f)
{
    char path[SPUR_FILE_PATH_BYTES], plain[SPUR_FILE_PATH_BYTES];
    /*
     * Only files made after this mark belong to an attempt of finishing. All else stays unchanged.
     */
    finish_path(f, NULL, "attempt", path);
    if (!spur_file_is_there(path)) {
        int err = refuse_others(f);
        return err ? err : spur_file_create(path, "", 0);
    }
    /* First of all, so no anchor file is left that pretends to be an archive. */
    int err = finish_tidy_take_back(f);
    bool was_packed = spur_file_is_there(finish_path(f, NULL, FINISH_PLAIN, plain));
    if (!err)
        err = was_packed ? undo_packed(f, plain) : empty_traces(f, f->dir);
    snprintf(path, sizeof path, "%s/traces.def", f->dir);
    return err ? err : unless_gone(spur_beneath_unlink(path));
}

/* ---- the end ---- */

struct emptying {
    struct finish *f;
    const char *folder;
};

enum { REMOVED_AT_ONCE = 64 };

static void note_removed(struct finish *f, int err)
{
    if (err < 0 && err != -ENOENT && err != -ENOTEMPTY && !f->unremoved)
        f->unremoved = err;
}

static void empty_folder(struct finish *f, const char *path,
                         int (*each)(void *data, const char *name), void *data)
{
    int err = spur_file_list(path, each, data);
    if (err && !spur_file_is_none(err) && !f->unremoved)
        f->unremoved = err;
}

static void remove_file(struct finish *f, const char *path)
{
    note_removed(f, spur_beneath_unlink(path));
}

/* Removes a folder if empty. Useless contents are reported later. */
static void remove_empty(struct finish *f, const char *path)
{
    note_removed(f, spur_beneath_rmdir(path));
}

/* Removes the events of rings, which were written anew, and events copied into containers. */
static int remove_events(void *data, const char *name)
{
    const struct emptying *e = data;
    char path[SPUR_FILE_PATH_BYTES + SPUR_NAME_BYTES];
    if (is_ours(name, ".evt")) {
        snprintf(path, sizeof path, "%s/%.*s", e->folder, SPUR_NAME_BYTES - 2, name);
        remove_file(e->f, path);
    }
    return 0;
}

/*
 * The segment last: by the segment the next attempt knows that the remaining files belong to a
 * process.
 */
void finish_tidy_process(struct finish *f, const struct finish_process *p)
{
    static const char *const files[] = {"journal",          "map",
                                        SPUR_DEATH_FILE,    SPUR_GONE_FILE,
                                        SPUR_GATHERED_FILE, SPUR_COUNTS_FILE};
    char path[SPUR_FILE_PATH_BYTES];
    note_removed(f, spur_beneath_unlink_all(finish_path(f, p, NULL, path), files,
                                            sizeof files / sizeof files[0]));
    struct emptying emptying = {f, finish_path(f, p, "traces", path)};
    if (p->head.flush == SPUR_FLUSH_RING || p->local || f->container)
        empty_folder(f, path, remove_events, &emptying);
    remove_empty(f, path);
    if (f->unremoved)
        return;
    remove_file(f, finish_path(f, p, "segment", path));
    remove_empty(f, finish_path(f, p, NULL, path));
}

/*
 * Ranks without a launcher agreed on the directory by a link beside the directory: see
 * agent/state/session.c.
 */
static int remove_link(void *data, const char *name)
{
    static const char prefix[] = ".spur-job-";
    const struct finish *f = data;
    char path[SPUR_FILE_PATH_BYTES], target[SPUR_FILE_PATH_BYTES];
    struct stat info;
    const char *slash = strrchr(f->dir, '/');
    const char *base = slash ? slash + 1 : f->dir;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return 0;
    snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash + 1 - f->dir) : 0, f->dir, name);
    ssize_t n = readlink(path, target, sizeof target - 1);
    if (n > 0) {
        target[n] = '\0';
        if (strcmp(target, base) == 0 && lstat(path, &info) == 0 && info.st_uid == geteuid())
            unlink(path);
    }
    return 0;
}

static void remove_links(struct finish *f)
{
    char path[SPUR_FILE_PATH_BYTES];
    const char *slash = strrchr(f->dir, '/');
    snprintf(path, sizeof path, "%.*s", slash ? (int)(slash - f->dir) : 1, slash ? f->dir : ".");
    (void)spur_file_list(path[0] ? path : "/", remove_link, f);
}

/* Several files to be removed at once: the folder of the files is opened once. */
struct removing {
    struct finish *f;
    const char *path;
    size_t n;
    char name[REMOVED_AT_ONCE][SPUR_NAME_BYTES];
};

static void remove_noted(struct removing *r)
{
    const char *names[REMOVED_AT_ONCE];
    for (size_t i = 0; i < r->n; i++)
        names[i] = r->name[i];
    if (r->n)
        note_removed(r->f, spur_beneath_unlink_all(r->path, names, r->n));
    r->n = 0;
}

static int note_entry(void *data, const char *name)
{
    struct removing *r = data;
    snprintf(r->name[r->n++], SPUR_NAME_BYTES, "%s", name);
    if (r->n == REMOVED_AT_ONCE)
        remove_noted(r);
    return 0;
}

/* Removes a folder of small files, or links, by which processes leave notes for each other. */
static void remove_folder(struct finish *f, const char *folder)
{
    char path[SPUR_FILE_PATH_BYTES];
    struct removing *r = spur_mem_new(sizeof *r);
    finish_path(f, NULL, folder, path);
    if (r) {
        *r = (struct removing){.f = f, .path = path};
        empty_folder(f, path, note_entry, r);
        remove_noted(r);
        spur_mem_free(r, sizeof *r);
    }
    remove_empty(f, path);
}

/* A process that died while making its directory leaves nothing of use. */
static int remove_stillborn(void *data, const char *name)
{
    struct finish *f = data;
    struct finish_process *p = NULL;
    if (finish_is_process_name(name) && finish_is_stillborn(f, name))
        p = spur_mem_new(sizeof *p);
    if (p) {
        memcpy(p->name, name, strlen(name) + 1);
        finish_tidy_process(f, p);
        spur_mem_free(p, sizeof *p);
    }
    return 0;
}

struct left {
    const struct finish *f;
    char name[SPUR_NAME_BYTES]; /* of a process */
    uint64_t n;
};

static int see_left(void *data, const char *name)
{
    struct left *left = data;
    char path[SPUR_FILE_PATH_BYTES];
    struct stat info;
    if (finish_is_process_name(name) && lstat(finish_path(left->f, NULL, name, path), &info) == 0 &&
        S_ISDIR(info.st_mode) && finish_is_unreadable(left->f, name) &&
        !finish_is_stillborn(left->f, name)) {
        memcpy(left->name, name, strlen(name) + 1);
        left->n++;
    }
    return 0;
}

bool finish_tidy_say_left(const struct finish *f)
{
    struct left left = {.f = f};
    char path[SPUR_FILE_PATH_BYTES], more[64] = "";
    (void)spur_file_list(finish_path(f, NULL, NULL, path), see_left, &left);
    if (left.n > 1)
        snprintf(more, sizeof more, ", nor of %llu more processes", (unsigned long long)left.n - 1);
    if (left.n)
        spur_log("%s/%s cannot be used: the beginning of its segment is missing or "
                 "damaged%s",
                 path, left.name, more);
    return left.n > 0;
}

/*
 * Removes the plain files from which the containers were made, while a process is there to tell of
 * the files.
 */
static void remove_plain(struct finish *f)
{
    char path[SPUR_FILE_PATH_BYTES];
    if (spur_file_is_there(finish_path(f, NULL, FINISH_PLAIN, path)))
        note_removed(f, finish_pack_tidy(f));
}

static int remove_world(void *data, const char *name)
{
    static const char prefix[] = "settled-";
    struct finish *f = data;
    char path[SPUR_FILE_PATH_BYTES], traces[SPUR_NAME_BYTES + 8];
    if (strncmp(name, prefix, sizeof prefix - 1) != 0 || strlen(name) >= SPUR_NAME_BYTES)
        return 0;
    snprintf(traces, sizeof traces, "%.*s/traces", SPUR_NAME_BYTES - 1, name);
    remove_folder(f, traces);
    remove_empty(f, finish_path(f, NULL, name, path));
    return 0;
}

/* The records last: while the records are there, the next attempt knows the owner of the files. */
static void remove_settled(struct finish *f)
{
    char path[SPUR_FILE_PATH_BYTES];
    uint64_t i = 0;
    while (i < f->n_processes && !f->process[i]->head.world)
        i++;
    if (i == f->n_processes)
        return; /* no process may have settled */
    empty_folder(f, finish_path(f, NULL, NULL, path), remove_world, f);
    remove_folder(f, FINISH_ENDS_FOLDER);
}

static bool has_folder(const struct finish_process *p)
{
    return p->state != FINISH_MISSING && (!p->is_settled || p->has_folder);
}

static int tidy(struct finish *f, struct finish_process *p)
{
    if (has_folder(p))
        finish_tidy_process(f, p);
    return 0;
}

const struct finish_step finish_tidy_step = {.number = FINISH_STEP_TIDY,
                                             .one = tidy,
                                             .is_far = has_folder};

/* Nothing of the session is needed any more. The mark of the finished session goes last. */
static void remove_session(struct finish *f)
{
    static const char *const files[] = {"unified", "complained",  "bytes",           "stopped",
                                        "fills",   "left",        SPUR_RESERVE_FILE, "finishing",
                                        "control", SPUR_HOME_LINK};
    char path[SPUR_FILE_PATH_BYTES];
    remove_plain(f);
    if (f->unremoved)
        return; /* the next attempt learns of the rest from the processes */
    (void)finish_each(f, &finish_tidy_step);
    if (!f->keeps_settled)
        remove_settled(f);
    empty_folder(f, finish_path(f, NULL, NULL, path), remove_stillborn, f);
    if (f->container) /* events were read there */
        empty_folder(f, finish_path(f, NULL, "retry", path), remove_events,
                     &(struct emptying){f, path});
    remove_empty(f, finish_path(f, NULL, "retry", path));
    remove_folder(f, "notes");
    remove_folder(f, SPUR_PIDS_FOLDER);
    remove_folder(f, SPUR_HOSTS_FOLDER);
    note_removed(f, spur_beneath_unlink_all(finish_path(f, NULL, NULL, path), files,
                                            sizeof files / sizeof files[0]));
    if (!f->unremoved)
        remove_file(f, finish_path(f, NULL, "done", path));
}

void finish_tidy(struct finish *f)
{
    char path[SPUR_FILE_PATH_BYTES], attempt[SPUR_FILE_PATH_BYTES];
    /*
     * The mark of the attempt becomes the mark of the end, since a rename needs no room on the
     * disk.
     */
    note_removed(f, spur_beneath_rename(finish_path(f, NULL, "attempt", attempt),
                                        finish_path(f, NULL, "done", path)));
    if (!f->unremoved)
        remove_session(f);
    finish_path(f, NULL, NULL, path);
    bool is_used = false;
    if (!f->unremoved) {
        int err = spur_beneath_rmdir(path);
        is_used = err == -ENOTEMPTY;
        note_removed(f, err);
    }
    if (f->unremoved)
        spur_log("%s cannot be removed: %s; the archive is complete without it", path,
                 spur_beneath_reason(-f->unremoved));
    else if (is_used && !finish_tidy_say_left(f))
        spur_log("%s holds files that could not be used for the archive", path);
    remove_links(f);
}
