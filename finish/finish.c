/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/finish.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/raw_file.h"
#include "base/system_words.h"
#include "finish/define/finish_define.h"
#include "finish/find/finish_find.h"
#include "finish/find/finish_settled.h"
#include "finish/finish_archive.h"
#include "finish/finish_pack.h"
#include "finish/finish_size.h"
#include "finish/finish_tidy.h"
#include "finish/state/finish_each.h"
#include "finish/state/finish_trouble.h"
#include "finish/unify/unify_file.h"
#include "session/local_place.h"

/*
 * A container that a process asked for holds for all processes: either all processes have the same
 * settings, or the user has another wish.
 */
static void choose_container(struct finish *f)
{
    f->container = f->options.has_container ? f->options.container : 0;
    for (uint64_t i = 0; i < f->n_processes && !f->container && !f->options.has_container; i++)
        f->container = f->process[i]->head.container;
    finish_place_archive(f);
}

/*
 * All processes of an archive have one chunk size. The files of a process with another chunk size
 * are left alone.
 */
static int choose_chunks(struct finish *f)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < f->n_processes; i++) {
        struct finish_process *p = f->process[i];
        if (!f->block_bytes)
            f->block_bytes = p->head.block_bytes;
        if (p->head.block_bytes == f->block_bytes) {
            f->process[n++] = p;
            continue;
        }
        spur_log("process %u had another SPUR_BUFFER and is left in %s/.spur/%s", p->head.pid,
                 f->dir, p->is_settled ? FINISH_ENDS_FOLDER : p->name);
        f->keeps_settled |= p->is_settled;
        spur_mem_free(p, sizeof *p);
    }
    f->n_processes = n;
    return n ? 0 : -ENOENT;
}

/* ---- the work ---- */

static int copy_map(const struct finish *f, const struct spur_unified_map *from,
                    struct spur_map *map)
{
    const uint64_t *global = from->ids;
    for (int space = 0; space < SPUR_SPACES; space++) {
        uint64_t n = from->defined[space];
        uint64_t *to = n ? spur_words_add(&map->of[space], n) : NULL;
        if (n && !to)
            return -ENOMEM;
        for (uint64_t i = 0; i < n; i++) {
            to[i] = *global++;
            if (to[i] >= spur_unify_count(f->unify, (enum spur_space)space))
                to[i] = OTF2_UNDEFINED_UINT32;
        }
    }
    return 0;
}

/*
 * -ENOENT: the process has defined more since the unification, or was not part of the unification.
 */
static int take_map(const struct finish *f, uint64_t stamp, uint64_t rank)
{
    struct finish_process *p = f->process[rank];
    const struct spur_unified_map *told = &p->told_map;
    bool is_covered = p->number == rank && p->mpi_base == 0 && p->state != FINISH_MISSING &&
                      told->memory && told->stamp == stamp && told->rank == rank &&
                      spur_unified_covers(told, p->journal, p->journal_bytes);
    return is_covered ? copy_map(f, told, &p->map) : -ENOENT;
}

/*
 * Take the definitions that the ranks unified in MPI_Finalize. -ENOENT: the unification does not
 * cover everything.
 */
static int take_unified(struct finish *f)
{
    struct spur_unified unified = {0};
    char path[SPUR_FILE_PATH_BYTES];
    int err = spur_unified_load(finish_path(f, NULL, "unified", path), &unified);
    if (err || unified.n != f->n_processes) {
        spur_unified_free(&unified);
        return -ENOENT;
    }
    const struct spur_unify_input input = {unified.journal, unified.journal_bytes, 0, 0, NULL, 0};
    err = spur_unify_add(f->unify, &input, NULL);
    for (uint64_t i = 0; i < unified.n && !err; i++)
        err = take_map(f, unified.stamp, i);
    spur_unified_free(&unified);
    return err;
}

static int unify_files(struct finish *f)
{
    int err = 0;
    for (uint64_t i = 0; i < f->n_processes && !err; i++) {
        struct finish_process *p = f->process[i];
        struct spur_words worlds = {0};
        err = finish_worlds(f, p, &worlds);
        const struct spur_unify_input input = {p->journal,  p->journal_bytes, p->number,
                                               p->mpi_base, worlds.at,        worlds.n};
        spur_map_free(&p->map);
        err = err ? err : spur_unify_add(f->unify, &input, &p->map);
        spur_words_free(&worlds);
    }
    return err;
}

static int unify(struct finish *f)
{
    f->unify = spur_unify_new();
    int err = f->unify ? take_unified(f) : -ENOMEM;
    if (err == -ENOENT) {
        spur_unify_free(f->unify);
        f->unify = spur_unify_new();
        err = f->unify ? unify_files(f) : -ENOMEM;
    }
    return finish_blame(f, err, "out of memory");
}

static int read_process(struct finish *f, struct finish_process *p)
{
    char path[SPUR_FILE_PATH_BYTES];
    if (f->has_unified && !p->is_settled && p->head.rank >= 0)
        (void)spur_unified_map_load(finish_path(f, p, "map", path), &p->told_map);
    finish_end_read(f, p);
    return finish_threads(f, p);
}

/* A settled process need not be read: the definitions read so far contain the process. */
static bool has_to_be_read(const struct finish_process *p)
{
    return !p->is_settled && p->state != FINISH_MISSING;
}

const struct finish_step finish_read_step = {
    .number = FINISH_STEP_READ,
    .one = read_process,
    .is_far = has_to_be_read,
    .takes = FINISH_COLUMN(JOURNAL) | FINISH_COLUMN(THREADS) | FINISH_COLUMN(TOLD_MAP) |
             FINISH_COLUMN(MEMBERS) | FINISH_COLUMN(MEMBERS_ORDER) | FINISH_COLUMN(DEVICES) |
             FINISH_COLUMN(LOCKS) | FINISH_COLUMN(LOCK_COUNTS) | FINISH_COLUMN(ARGUMENTS)};

static int work(struct finish *f)
{
    char path[SPUR_FILE_PATH_BYTES];
    (void)spur_beneath_unlink(finish_path(f, NULL, SPUR_RESERVE_FILE, path));
    f->has_unified = spur_file_is_there(finish_path(f, NULL, "unified", path));
    int err = finish_order(f);
    if (!err)
        err = finish_each(f, &finish_read_step);
    if (!err)
        err = unify(f);
    if (!err)
        err = finish_blame(f, finish_names(f), "out of memory");
    if (!err)
        err = finish_blame(f, finish_lost_regions(f), "out of memory");
    if (!err)
        err = finish_blame(f, finish_code(f), "out of memory");
    if (!err)
        err = finish_blame(f, finish_tidy_attempt(f), "%s/traces", f->dir);
    return err ? err : finish_write_archive(f);
}

static size_t say_left_out(const struct finish *f, char *text, size_t size)
{
    uint64_t i = 0;
    while (!f->process[i]->head.left_out)
        i++;
    const struct spur_segment *head = &f->process[i]->head;
    return (size_t)
        snprintf(text, size,
                 "; %llu program%s left out, since user %u may not write there (the first: %.*s, "
                 "pid %u); to record one, run 'spur -o ANOTHER_DIR' as its user",
                 (unsigned long long)f->left_out, f->left_out == 1 ? "" : "s", head->left_out_user,
                 (int)sizeof head->left_out_name, head->left_out_name, head->left_out_pid);
}

/* Adds "; N one" or "; N many" to a text, if N is not 0. */
static void add_count(char *text, size_t size, uint64_t n, const char *one, const char *many)
{
    size_t at = strlen(text);
    if (n)
        snprintf(text + at, size - at, "; %llu %s", (unsigned long long)n, n == 1 ? one : many);
}

static void summarise(struct finish *f)
{
    char bends[FINISH_BENDS_BYTES];
    if (finish_bends_say(f, bends, sizeof bends))
        spur_log("%s", bends);
    char more[1024] = "", cwd[4096] = "", bytes[FINISH_SIZE_BYTES];
    const char *dir = f->dir;
    size_t length = getcwd(cwd, sizeof cwd) ? strlen(cwd) : 0;
    if (length && strncmp(dir, cwd, length) == 0 && dir[length] == '/' && dir[length + 1])
        dir += length + 1;
    finish_end_say(f, more, sizeof more);
    add_count(more, sizeof more, finish_count(f, FINISH_MISSING), "rank left nothing",
              "ranks left nothing");
    if (f->hosts.away)
        snprintf(more + strlen(more), sizeof more - strlen(more),
                 "; lost is what was recorded on %.380s", f->hosts.names);
    add_count(more, sizeof more, f->spawned > 0 ? (uint64_t)f->spawned : 0,
              "spawned process left nothing ('spur mpirun ...' records it)",
              "spawned processes left nothing ('spur mpirun ...' records them)");
    add_count(more, sizeof more, f->stopped, "process stopped recording early",
              "processes stopped recording early");
    add_count(more, sizeof more, f->dropped,
              f->cut_off ? "older event dropped" : "older event dropped (SPUR_FLUSH=ring)",
              f->cut_off ? "older events dropped" : "older events dropped (SPUR_FLUSH=ring)");
    add_count(more, sizeof more, f->cut_off, "event file is truncated; its events end there",
              "event files are truncated; their events end there");
    add_count(more, sizeof more, f->untraced,
              "program not traced (static, setuid, or of another C library; see 'spur doctor')",
              "programs not traced (static, setuid, or of another C library; see 'spur doctor')");
    size_t at = strlen(more);
    if (f->left_out)
        at += say_left_out(f, more + at, sizeof more - at);
    if (at < sizeof more)
        finish_control_say(f, more + at, sizeof more - at);
    spur_log("%llu process%s, %llu location%s, %llu events%s: %s/traces.otf2%s",
             (unsigned long long)f->n_processes, f->n_processes == 1 ? "" : "es",
             (unsigned long long)f->n_threads, f->n_threads == 1 ? "" : "s",
             (unsigned long long)f->events, finish_size_say(f, bytes), dir, more);
}

static int open_session(const struct finish *f)
{
    char path[SPUR_FILE_PATH_BYTES];
    struct stat info;
    bool is_session = lstat(finish_path(f, NULL, NULL, path), &info) == 0 && S_ISDIR(info.st_mode);
    /*
     * Also an archive written to the end but not marked as done: finishing makes the archive again.
     */
    bool is_done = spur_file_is_there(finish_path(f, NULL, "done", path)) ||
                   spur_file_is_there(finish_path(f, NULL, "attempt", path));
    snprintf(path, sizeof path, "%s/traces.otf2", f->dir);
    bool is_archive = spur_file_is_there(path);
    if (is_session && (!is_archive || is_done))
        return 0;
    /* The process that finished the session was killed before the last step. */
    if (is_session && spur_beneath_rmdir(finish_path(f, NULL, NULL, path)) == 0)
        is_session = false;
    snprintf(path, sizeof path, "%s/traces.otf2", f->dir);
    if (f->options.unasked && !is_session)
        return -EALREADY; /* meanwhile finished by another process */
    if (stat(f->dir, &info) < 0)
        spur_log("%s: %s", f->dir, spur_error_text(errno));
    else if (is_session)
        spur_log("%s holds an archive already; %s/.spur holds what other processes recorded later",
                 f->dir, f->dir);
    else if (is_archive)
        spur_log("%s is finished already", path);
    else if (spur_file_is_there(finish_path(f, NULL, NULL, path)))
        spur_log("%s is a link or a file, not a session's; remove it, or name the session's own "
                 "directory",
                 path);
    else
        spur_log("%s is not the directory of a recording: there is no .spur in it", f->dir);
    return is_session ? -EEXIST : is_archive ? -EALREADY : -ENOENT;
}

/*
 * The processes still running are told about the lack of a waiting launcher. A process that ended
 * just before could not see the mark. Therefore the processes are looked at once more, without the
 * claim: the claim would keep a process that ends just now from finishing.
 */
static int leave(struct finish *f)
{
    char path[SPUR_FILE_PATH_BYTES];
    if (!f->options.leaves ||
        !(finish_is_running(f) || (f->options.is_tree && finish_is_lived_in(f))))
        return 0;
    int err = spur_file_create(finish_path(f, NULL, "left", path), "", 0);
    if (err && err != -EEXIST)
        return 0;
    finish_unclaim(f, -EBUSY);
    f->is_claimed = false;
    finish_forget(f);
    err = open_session(f);
    if (!err)
        err = finish_scan(f);
    bool runs = finish_is_running(f) || (f->options.is_tree && finish_is_lived_in(f));
    if (!err && !runs) {
        err = finish_claim(f);
        f->is_claimed = err == 0;
    }
    if (!err && !runs && finish_hosts_have(f))
        return -EAGAIN; /* data left by processes on this host is not moved yet */
    if (err || !runs)
        return err == -EBUSY ? -EALREADY : err; /* another process is finishing, or has finished */
    char list[512];
    finish_list_running(f, list, sizeof list);
    if (!f->options.quiet)
        spur_log("%s%s; %s is finished when the last of them ends ('spur recover %s' if that is "
                 "killed)",
                 list[0] ? "still recorded: " : "processes of the session run on", list, f->dir,
                 f->dir);
    return -EBUSY;
}

/*
 * Is the archive whole? The finishing process was killed before the rest of the session was
 * removed.
 */
static bool is_done(const struct finish *f)
{
    char path[SPUR_FILE_PATH_BYTES];
    bool is_marked = spur_file_is_there(finish_path(f, NULL, "done", path));
    snprintf(path, sizeof path, "%s/traces.otf2", f->dir);
    return is_marked && spur_file_is_there(path);
}

/*
 * Were the events of the session copied into containers? The source files are then still to be
 * removed.
 */
static bool is_packed(const struct finish *f)
{
    char path[SPUR_FILE_PATH_BYTES];
    snprintf(path, sizeof path, "%s/traces.srm", f->dir);
    return spur_file_is_there(path);
}

/*
 * -EAGAIN: during the work a process has begun to record, for example a child of a process that has
 * just ended. The files made so far then count as an earlier attempt.
 */
static int finish_claimed(struct finish *f, bool may_repeat)
{
    int err = finish_scan_patiently(f);
    f->now = spur_stamp_now();
    choose_container(f);
    if (!err)
        err = leave(f);
    if (err)
        return err;
    if (is_done(f)) {
        f->container = is_packed(f);
        finish_tidy(f);
        if (!f->options.quiet && !f->options.unasked)
            spur_log("%s/traces.otf2 is finished already", f->dir);
        return 0;
    }
    err = finish_check_running(f);
    if (!err)
        err = finish_settled_load(f);
    if (err)
        return err;
    err = choose_chunks(f);
    if (err) {
        if (!finish_tidy_say_left(f))
            spur_log("nothing was recorded in %s", f->dir);
        return err;
    }
    err = work(f);
    if (!err && may_repeat && finish_has_newcomers(f)) {
        finish_tidy_take_back(f);
        return -EAGAIN;
    }
    if (!err)
        finish_tidy(f);
    if (!err && !f->options.quiet)
        summarise(f);
    return err;
}

static int claim_patiently(struct finish *f)
{
    int err = open_session(f);
    if (!err)
        err = finish_claim(f);
    for (int ms = 0; err == -EBUSY && ms < f->options.wait_ms; ms += FINISH_NAP_MS) {
        finish_nap();
        err = open_session(f);
        if (!err)
            err = finish_claim(f);
    }
    if (err == -EBUSY && !f->options.quiet && !f->options.unasked)
        spur_log("another process is finishing %s", f->dir);
    return err;
}

/*
 * Running processes were left to themselves. A process that ended meanwhile found the claim, and
 * left the session to the holder of the claim.
 */
static bool has_ended_since(struct finish *f)
{
    finish_forget(f);
    return f->options.unasked && finish_has_ended(f);
}

static int finish_once(const char *dir, const struct spur_finish_options *options, bool may_repeat)
{
    struct finish *f = spur_mem_new(sizeof *f);
    if (!f)
        return -ENOMEM;
    f->dir = dir;
    f->start = spur_stamp_now();
    if (options)
        f->options = *options;
    int err = claim_patiently(f);
    if (!err) {
        f->is_claimed = true;
        err = finish_claimed(f, may_repeat);
        if (f->is_claimed)
            finish_unclaim(f, err);
        if (f->is_claimed && err == -EBUSY && may_repeat && has_ended_since(f))
            err = -EAGAIN;
    }
    if (f->culprit[0])
        finish_say_trouble(f, err);
    finish_free(f);
    spur_mem_free(f, sizeof *f);
    return err == -EALREADY ? 0 : err;
}

int spur_finish(const char *dir, const struct spur_finish_options *options)
{
    enum { TRIES = 4 };
    int err = -EAGAIN;
    for (int try = 1; err == -EAGAIN && try <= TRIES; try++)
        err = finish_once(dir, options, try < TRIES);
    return err;
}

bool spur_finish_is_last(const char *dir)
{
    struct finish *f = spur_mem_new(sizeof *f);
    if (!f)
        return false;
    f->dir = dir;
    bool is_last = finish_has_ended(f);
    finish_free(f);
    spur_mem_free(f, sizeof *f);
    return is_last;
}

int spur_finish_gather(const char *dir, const char *place, const char *name)
{
    struct finish *f = spur_mem_new(sizeof *f);
    if (!f)
        return -ENOMEM;
    f->dir = dir;
    int err = name ? spur_local_move(place, dir, name) : 0;
    if (!err)
        err = finish_hosts_empty(f, place);
    finish_free(f);
    spur_mem_free(f, sizeof *f);
    return err;
}
