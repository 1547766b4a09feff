/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/procfs.h"
#include "base/raw_file.h"
#include "finish/find/finish_find.h"
#include "finish/find/finish_settled.h"
#include "finish/state/finish_store.h"
#include "finish/state/finish_team.h"
#include "finish/state/finish_trouble.h"
#include "session/local_place.h"

enum { CHUNK_MIN = 256 << 10, CHUNK_MAX = 16 << 20 };

struct scan {
    struct finish *f;
    const char *place; /* NULL: DIR */
    uint64_t before;   /* number of processes found on hosts */
};

/* HOST.PID.START. A file with another name may be anything, and the name would be printed. */
bool finish_is_process_name(const char *name)
{
    if (name[0] == '.' || !strchr(name, '.') || strlen(name) >= SPUR_NAME_BYTES)
        return false;
    for (; *name; name++)
        if ((unsigned char)*name <= ' ' || *name == '/' || *name == '\x7f')
            return false;
    return true;
}

struct finish_process *finish_add(struct finish *f)
{
    if (f->n_processes == f->room) {
        uint64_t room = f->room ? 2 * f->room : 64;
        struct finish_process **grown = spur_mem_new(room * sizeof(struct finish_process *));
        if (!grown)
            return NULL;
        if (f->n_processes)
            memcpy(grown, f->process, f->n_processes * sizeof(struct finish_process *));
        spur_mem_free(f->process, f->room * sizeof(struct finish_process *));
        f->process = grown;
        f->room = room;
    }
    struct finish_process *p = spur_mem_new(sizeof *p);
    if (!p)
        return NULL;
    p->location_group = OTF2_UNDEFINED_LOCATION_GROUP;
    p->program = OTF2_UNDEFINED_STRING;
    return f->process[f->n_processes++] = p;
}

static void drop_process(struct finish_process *p)
{
    spur_mem_free(p->local, SPUR_PLACE_BYTES);
    spur_mem_free(p->journal, p->journal_room);
    spur_mem_free(p->threads, p->n_threads * sizeof *p->threads);
    spur_words_free(&p->devices);
    spur_words_free(&p->members);
    spur_words_free(&p->members_order);
    spur_words_free(&p->locks);
    spur_words_free(&p->lock_counts);
    spur_words_free(&p->arguments);
    spur_map_free(&p->map);
    spur_words_free(&p->told);
    spur_unified_map_free(&p->told_map);
    spur_mem_free(p, sizeof *p);
}

/* If a header does not fit the process, the counts of the header are not believed either. */
static void distrust(struct spur_segment *head)
{
    head->identity = 0;
    head->untraced = 0;
    head->spawned = 0;
    head->left_out = 0;
    head->short_calls = 0;
    head->fibre_calls = 0;
    head->container = 0;
    memset(&head->usage, 0, sizeof head->usage);
    head->is_spawned = head->began_off = head->pauses = head->filtered = 0;
}

bool finish_head_check(struct spur_segment *head)
{
    if (head->identity != spur_segment_identity(head, head->pid))
        distrust(head);
    head->host[sizeof head->host - 1] = '\0';
    head->boot_id[sizeof head->boot_id - 1] = '\0';
    head->parent[sizeof head->parent - 1] = '\0';
    head->job[sizeof head->job - 1] = '\0';
    if (head->size > INT32_MAX || head->rank >= (int64_t)head->size)
        head->rank = -1;
    /* Without a pid the process had not yet described itself. */
    return head->pid && memcmp(head->magic, SPUR_SEGMENT_MAGIC, sizeof head->magic) == 0 &&
           head->version == SPUR_SEGMENT_VERSION && head->slot_bytes == sizeof(struct spur_slot) &&
           head->block_bytes >= CHUNK_MIN && head->block_bytes <= CHUNK_MAX;
}

/* False: the segment is not there, or damaged; then *err tells whether the error may pass. */
static bool read_header(struct finish_process *p, const char *path, int *err)
{
    struct spur_segment *head = &p->head;
    uint64_t size;
    int fd = spur_file_open(path, &size);
    *err = fd < 0 && !spur_file_is_none(fd) ? fd : 0;
    if (fd < 0)
        return false;
    int64_t n = spur_file_read(fd, 0, head, sizeof *head);
    *err = n < 0 ? (int)n : 0;
    spur_file_close(fd);
    return n == sizeof *head && finish_head_check(head);
}

static const struct finish_here *here_of(struct finish *f)
{
    if (!f->here.is_known) {
        spur_procfs_boot_id(f->here.boot_id);
        f->here.pid_space = spur_procfs_pid_space();
        f->here.is_known = true;
    }
    return &f->here;
}

static bool is_of_this_host(const struct spur_segment *head)
{
    struct utsname host;
    return uname(&host) == 0 && strncmp(head->host, host.nodename, sizeof head->host - 1) == 0;
}

/* A process without /proc does not know its boot: the boot of the process's host is assumed. */
static void know_boot(struct finish *f, struct spur_segment *head)
{
    if (!head->boot_id[0] && is_of_this_host(head))
        memcpy(head->boot_id, here_of(f)->boot_id, sizeof head->boot_id);
}

static bool is_of_this_boot(struct finish *f, const struct spur_segment *head)
{
    const struct finish_here *here = here_of(f);
    return here->boot_id[0] ? strcmp(head->boot_id, here->boot_id) == 0 : is_of_this_host(head);
}

/*
 * Does the pid of the process mean anything here? The process must be of this boot, and not of
 * another container.
 */
static bool is_visible(struct finish *f, const struct spur_segment *head)
{
    const struct finish_here *here = here_of(f);
    bool is_near = !head->pid_space || !here->pid_space || head->pid_space == here->pid_space;
    return is_near && is_of_this_boot(f, head);
}

/*
 * Does the process run? Without /proc a process could not tell its start. Then the process may be
 * of an earlier boot, or the pid may belong to another process by now. A recording process has its
 * segment mapped, and the mapping decides.
 */
static bool runs(const struct finish_process *p)
{
    const int pid = (int)p->head.pid;
    char end[SPUR_NAME_BYTES + 16];
    snprintf(end, sizeof end, "/%s/segment", p->name);
    return spur_procfs_runs(pid, p->head.kernel_start) &&
           (p->head.kernel_start || spur_procfs_has_mapped(pid, end) != 0);
}

/*
 * The machine's own namespace sees the processes of all namespaces. Elsewhere, as in a container,
 * the parent that waited for the process may have seen the end. A team has further members who may
 * see the process.
 */
static enum finish_state state_of_unseen(struct finish *f, const struct finish_process *p)
{
    char path[SPUR_FILE_PATH_BYTES];
    bool is_known = (f->options.recover && !f->is_helping && !finish_team_may(f)) ||
                    spur_file_is_there(finish_path(f, p, SPUR_DEATH_FILE, path)) ||
                    spur_file_is_there(finish_path(f, p, SPUR_GONE_FILE, path)) ||
                    (is_of_this_boot(f, &p->head) &&
                     spur_procfs_has_ended(p->head.pid_space, (int)p->head.pid));
    return is_known ? FINISH_DEAD : FINISH_UNKNOWN;
}

static enum finish_state state_of(struct finish *f, struct finish_process *p)
{
    if (p->head.ended)
        return FINISH_ENDED;
    if (f->options.snapshot) {
        char path[SPUR_FILE_PATH_BYTES];
        p->is_snapshot = !spur_file_is_there(finish_path(f, p, SPUR_DEATH_FILE, path));
        p->is_running = p->is_snapshot && is_visible(f, &p->head) && runs(p);
        return FINISH_DEAD;
    }
    if (!is_visible(f, &p->head))
        return state_of_unseen(f, p);
    if (p->head.exec_ticks)
        return FINISH_EXECED; /* whatever the process has become since */
    /* Nobody will close things the finishing process itself could not close. */
    if (p->head.pid != (uint32_t)getpid() && runs(p))
        return FINISH_ALIVE;
    return FINISH_DEAD;
}

/* Is another process still there, whatever the process has said of its end? */
static bool is_there(struct finish *f, const struct finish_process *p)
{
    return is_visible(f, &p->head) && p->head.pid != (uint32_t)getpid() && runs(p);
}

static int judge(struct finish *f, struct finish_process *p)
{
    p->state = state_of(f, p);
    return 0;
}

const struct finish_step finish_judge_step = {.number = FINISH_STEP_JUDGE,
                                              .one = judge,
                                              .is_alone = true};

/* HOST.PID.START is all knowledge of a process that is about to make its segment. */
static uint32_t pid_in_name(const char *name)
{
    const char *last = strrchr(name, '.');
    const char *dot = last ? memrchr(name, '.', (size_t)(last - name)) : NULL;
    return dot ? (uint32_t)strtoul(dot + 1, NULL, 10) : 0;
}

static int see_event_file(void *data, const char *name)
{
    bool *has_events = data;
    *has_events |= strstr(name, ".evt") != NULL;
    return 0;
}

/*
 * A process may have written events although the process's segment was lost, by a power cut for
 * example.
 */
static bool has_event_files(const struct finish *f, const struct finish_process *p)
{
    char path[SPUR_FILE_PATH_BYTES];
    bool has_events = spur_file_is_there(finish_path(f, p, SPUR_GATHERED_FILE, path));
    int err = spur_file_list(finish_path(f, p, "traces", path), see_event_file, &has_events);
    return has_events || (err && !spur_file_is_none(err));
}

bool finish_is_stillborn(const struct finish *f, const char *name)
{
    struct finish_process *p = spur_mem_new(sizeof *p);
    char path[SPUR_FILE_PATH_BYTES];
    uint64_t size;
    uint32_t pid = pid_in_name(name);
    if (!p || !pid || spur_procfs_runs((int)pid, 0)) {
        spur_mem_free(p, sizeof *p);
        return false;
    }
    snprintf(p->name, sizeof p->name, "%s", name);
    int fd = spur_file_open(finish_path(f, p, "segment", path), &size);
    int64_t n = fd < 0 ? 0 : spur_file_read(fd, 0, &p->head, sizeof p->head);
    bool has_pid = n == sizeof p->head && p->head.pid;
    bool is_other = (fd < 0 ? !spur_file_is_none(fd) : n < 0) || has_event_files(f, p);
    if (fd >= 0)
        spur_file_close(fd);
    spur_mem_free(p, sizeof *p);
    return !has_pid && !is_other;
}

bool finish_is_unreadable(const struct finish *f, const char *name)
{
    struct finish_process *p = spur_mem_new(sizeof *p);
    char path[SPUR_FILE_PATH_BYTES];
    if (!p)
        return false;
    snprintf(p->name, sizeof p->name, "%s", name);
    int err;
    bool is_readable = read_header(p, finish_path(f, p, "segment", path), &err);
    spur_mem_free(p, sizeof *p);
    return !is_readable;
}

/* The process was found on this host, and has been moved since. */
static void forget_moved(struct scan *scan, const char *name)
{
    struct finish *f = scan->f;
    for (uint64_t i = 0; i < scan->before; i++)
        if (strcmp(f->process[i]->name, name) == 0) {
            struct finish_process *p = f->process[i];
            f->process[i] = f->process[--scan->before];
            f->process[scan->before] = f->process[--f->n_processes];
            drop_process(p);
            return;
        }
}

/* 1: a process; 0: the entry is left alone. */
static int see_process(struct finish *f, struct finish_process *p)
{
    char path[SPUR_FILE_PATH_BYTES];
    struct stat info;
    int err;
    if (lstat(finish_path(f, p, NULL, path), &info) < 0)
        return errno == ENOENT ? 0 : finish_blame(f, -errno, "%s", path);
    if (!S_ISDIR(info.st_mode))
        return 0;
    if (read_header(p, finish_path(f, p, "segment", path), &err)) {
        know_boot(f, &p->head);
        p->state = state_of(f, p);
        p->is_there = p->local && is_there(f, p);
        if (p->is_there && p->state == FINISH_ENDED)
            p->state = FINISH_ALIVE; /* the process is moving its data */
        return 1;
    }
    if (err)
        return finish_blame(f, err, "%s", path);
    uint32_t pid = pid_in_name(p->name);
    if (pid && pid != (uint32_t)getpid() && spur_procfs_runs((int)pid, 0)) {
        p->head.pid = pid;
        p->state = FINISH_ALIVE;
        return 1;
    }
    /* The process died before recording anything, or the segment is damaged beyond use. */
    return 0;
}

/* So far only the name of a folder or file is known. */
static int list_entry(void *data, const char *name)
{
    struct scan *scan = data;
    if (!finish_is_process_name(name))
        return 0;
    forget_moved(scan, name);
    struct finish_process *p = finish_add(scan->f);
    if (!p)
        return -ENOMEM;
    p->found = FINISH_LISTED;
    snprintf(p->name, sizeof p->name, "%s", name);
    if (scan->place)
        p->local = spur_mem_new(SPUR_PLACE_BYTES);
    if (scan->place && !p->local)
        return -ENOMEM;
    if (scan->place)
        snprintf(p->local, SPUR_PLACE_BYTES, "%s", scan->place);
    return 0;
}

static int see(struct finish *f, struct finish_process *p)
{
    if (p->found != FINISH_LISTED)
        return 0;
    int seen = see_process(f, p);
    p->found = seen > 0 ? FINISH_FOUND : FINISH_NOT_FOUND;
    return seen < 0 ? seen : 0;
}

/* Files on a host are seen only on the same host. */
static bool is_listed(const struct finish_process *p)
{
    return p->found == FINISH_LISTED && !p->local;
}

const struct finish_step finish_see_step = {.number = FINISH_STEP_SEE,
                                            .one = see,
                                            .is_far = is_listed,
                                            .takes = FINISH_COLUMN(WHO),
                                            .is_alone = true};

/* Keep the processes found. The other entries may be anything. */
static void keep_found(struct finish *f)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < f->n_processes; i++)
        if (f->process[i]->found == FINISH_FOUND)
            f->process[n++] = f->process[i];
        else
            drop_process(f->process[i]);
    f->n_processes = n;
}

int finish_scan_place(struct finish *f, const char *place)
{
    struct scan scan = {.f = f, .place = place, .before = f->n_processes};
    char path[SPUR_FILE_PATH_BYTES];
    memcpy(f->boot_id, here_of(f)->boot_id, sizeof f->boot_id);
    snprintf(path, sizeof path, "%s/.spur", place ? place : f->dir);
    int err = finish_blame(f, spur_file_list(path, list_entry, &scan), "%s", path);
    if (!err)
        err = finish_each(f, &finish_see_step);
    keep_found(f);
    return err;
}

static bool is_unknown(const struct finish_process *p)
{
    return p->state == FINISH_UNKNOWN;
}

/* Take the state from another member. `place` counts the processes of unknown state, in order. */
static int take_judgement(struct finish *f, uint64_t place, const struct finish_process *other)
{
    uint64_t i = 0;
    while (i < f->n_processes && (!f->process[i]->is_asked_for || place--))
        i++;
    if (i == f->n_processes || is_unknown(other))
        return 0;
    f->process[i]->state = other->state;
    f->process[i]->is_elsewhere = true;
    return 0;
}

/*
 * Ask the team about processes of other hosts without a regular end. If no member sees a process,
 * the user may know.
 */
static int ask_team(struct finish *f)
{
    struct finish_process **asked =
        spur_mem_new((f->n_processes + 1) * sizeof(struct finish_process *));
    uint64_t n = 0;
    for (uint64_t i = 0; asked && i < f->n_processes; i++) {
        if (is_unknown(f->process[i])) /* the first to see the process was on another host */
            f->process[i]->state = state_of(f, f->process[i]);
        f->process[i]->is_asked_for = is_unknown(f->process[i]);
        if (is_unknown(f->process[i]))
            asked[n++] = f->process[i];
    }
    int err = asked ? 0 : finish_blame(f, -ENOMEM, "out of memory");
    if (n)
        err = finish_team_all(f, &finish_judge_step, asked, n, take_judgement);
    spur_mem_free(asked, (f->n_processes + 1) * sizeof(struct finish_process *));
    for (uint64_t i = 0; i < f->n_processes && f->options.recover; i++)
        if (is_unknown(f->process[i]))
            f->process[i]->state = FINISH_DEAD;
    return err;
}

/* The hosts first: a process moved meanwhile is seen twice, and not missed. */
int finish_scan(struct finish *f)
{
    int err = finish_hosts_scan(f);
    if (!err)
        err = finish_scan_place(f, NULL);
    if (!err) /* after the folders: a process settling meanwhile is seen twice, and not missed */
        err = finish_settled_scan(f);
    if (!err && finish_team_may(f))
        err = ask_team(f);
    return err ? err : finish_blame(f, finish_find_execs(f), "out of memory");
}

bool finish_may_record(const struct finish *f, const char *name)
{
    uint32_t pid = pid_in_name(name);
    return (pid && spur_procfs_runs((int)pid, 0)) || !finish_is_unreadable(f, name);
}

void finish_forget(struct finish *f)
{
    for (uint64_t i = 0; i < f->n_processes; i++)
        drop_process(f->process[i]);
    f->n_processes = 0;
    spur_words_free(&f->settled);
    for (struct finish_told *told = f->told, *next; told; told = next) {
        next = told->next;
        spur_mem_free(told, sizeof *told);
    }
    f->told = NULL;
    f->keeps_settled = false;
}

void finish_free(struct finish *f)
{
    finish_forget(f);
    spur_mem_free(f->process, f->room * sizeof(struct finish_process *));
    spur_mem_free(f->host, f->host_room * sizeof *f->host);
    spur_unify_free(f->unify);
    spur_words_free(&f->seen);
    spur_words_free(&f->adopted_evt);
    spur_words_free(&f->adopted_def);
    spur_words_free(&f->group_ids);
    spur_words_free(&f->kept);
    spur_words_free(&f->region_order);
    finish_contexts_free(&f->contexts);
    finish_store_free(f->store);
}
