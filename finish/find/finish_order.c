/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/raw_file.h"
#include "finish/find/finish_find.h"
#include "finish/state/finish_trouble.h"

enum {
    WORLDS = 4096,       /* MPI jobs of a session; processes of further jobs have no rank */
    RANKS_MAX = 1 << 20, /* a larger world is not believed */
    MISSING_MAX = 1 << 16,
};

/* An MPI job: ranks of one MPI_COMM_WORLD. */
struct world {
    uint32_t size;
    uint64_t base;
    const char *job;              /* "": unknown */
    struct finish_process **rank; /* [size] */
};

/* ---- exec: the same process again ---- */

static int compare_who(const struct finish_process *a, const struct finish_process *b)
{
    int boot = strcmp(a->head.boot_id, b->head.boot_id);
    if (boot)
        return boot;
    if (a->head.pid_space != b->head.pid_space)
        return a->head.pid_space < b->head.pid_space ? -1 : 1;
    if (a->head.pid != b->head.pid)
        return a->head.pid < b->head.pid ? -1 : 1;
    if (a->head.kernel_start != b->head.kernel_start)
        return a->head.kernel_start < b->head.kernel_start ? -1 : 1;
    return 0;
}

static bool is_earlier(const struct finish_process *a, const struct finish_process *b)
{
    if (a->head.first.realtime != b->head.first.realtime)
        return a->head.first.realtime < b->head.first.realtime;
    return strcmp(a->name, b->name) < 0;
}

static bool less_who(const void *context, uint64_t a, uint64_t b)
{
    struct finish_process *const *process = context;
    int order = compare_who(process[a], process[b]);
    return order ? order < 0 : is_earlier(process[a], process[b]);
}

/* Like less_who(), but by the number alone: a child knows only the number of its parent. */
static bool less_pid(const void *context, uint64_t a, uint64_t b)
{
    struct finish_process *const *process = context;
    const struct spur_segment *x = &process[a]->head, *y = &process[b]->head;
    int boot = strcmp(x->boot_id, y->boot_id);
    if (boot)
        return boot < 0;
    if (x->pid_space != y->pid_space)
        return x->pid_space < y->pid_space;
    return x->pid != y->pid ? x->pid < y->pid : is_earlier(process[a], process[b]);
}

static bool less_start(const void *context, uint64_t a, uint64_t b)
{
    struct finish_process *const *process = context;
    return is_earlier(process[a], process[b]);
}

static bool less_name(const void *context, uint64_t a, uint64_t b)
{
    struct finish_process *const *process = context;
    return strcmp(process[a]->name, process[b]->name) < 0;
}

/* The places of all processes in the order of `less`, in agent memory of n_processes words. */
static uint64_t *ordered(const struct finish *f,
                         bool (*less)(const void *context, uint64_t a, uint64_t b))
{
    uint64_t *items = spur_mem_new((f->n_processes + 1) * sizeof *items);
    if (!items)
        return NULL;
    for (uint64_t i = 0; i < f->n_processes; i++)
        items[i] = i;
    finish_sort(items, f->n_processes, less, f->process);
    return items;
}

static void drop(const struct finish *f, uint64_t *items)
{
    spur_mem_free(items, (f->n_processes + 1) * sizeof *items);
}

int finish_find_execs(struct finish *f)
{
    uint64_t *by_who = ordered(f, less_who);
    if (!by_who)
        return -ENOMEM;
    for (uint64_t i = 0; i + 1 < f->n_processes; i++) {
        struct finish_process *p = f->process[by_who[i]];
        struct finish_process *next = f->process[by_who[i + 1]];
        if (p->head.kernel_start && compare_who(p, next) == 0) {
            next->creator = p;
            if (p->state != FINISH_ENDED)
                p->state = FINISH_EXECED;
        }
    }
    drop(f, by_who);
    return 0;
}

bool finish_names_sort(const struct finish *f, struct finish_names *names)
{
    *names = (struct finish_names){ordered(f, less_name), f->n_processes};
    return names->order;
}

struct finish_process *finish_names_find(const struct finish *f, const struct finish_names *names,
                                         const char *name, size_t length)
{
    uint64_t low = 0, high = names->n;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        struct finish_process *p = f->process[names->order[middle]];
        int sign = strncmp(p->name, name, length);
        if (sign == 0 && p->name[length] == '\0')
            return p;
        if (sign < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

void finish_names_free(struct finish_names *names)
{
    spur_mem_free(names->order, (names->n + 1) * sizeof *names->order);
}

struct newcomers {
    const struct finish *f;
    struct finish_names names;
    bool is_there;
};

static int see_newcomer(void *data, const char *name)
{
    struct newcomers *newcomers = data;
    newcomers->is_there |=
        finish_is_process_name(name) &&
        !finish_names_find(newcomers->f, &newcomers->names, name, strlen(name)) &&
        finish_may_record(newcomers->f, name);
    return 0;
}

bool finish_has_newcomers(const struct finish *f)
{
    char path[SPUR_FILE_PATH_BYTES];
    struct newcomers newcomers = {.f = f};
    if (!finish_names_sort(f, &newcomers.names))
        return false;
    (void)spur_file_list(finish_path(f, NULL, NULL, path), see_newcomer, &newcomers);
    finish_names_free(&newcomers.names);
    return newcomers.is_there || finish_hosts_have(f);
}

/* The nearest creator that has recorded something. */
static struct finish_process *find_named(const struct finish *f, const struct finish_names *names,
                                         const struct finish_process *p)
{
    for (const char *name = p->head.parent; *name; name += *name == ':') {
        size_t length = strcspn(name, ":");
        struct finish_process *creator = finish_names_find(f, names, name, length);
        if (creator && is_earlier(creator, p))
            return creator;
        name += length;
    }
    return NULL;
}

/*
 * The order by host and number. Of several images with the number of the parent of `p`, the last
 * image before `p` is searched.
 */
static bool is_before(const struct finish_process *a, const struct finish_process *p)
{
    int boot = strcmp(a->head.boot_id, p->head.boot_id);
    if (boot)
        return boot < 0;
    if (a->head.pid_space != p->head.pid_space)
        return a->head.pid_space < p->head.pid_space;
    if (a->head.pid != p->head.ppid)
        return a->head.pid < p->head.ppid;
    return is_earlier(a, p);
}

/*
 * The process that was the parent of `p` when `p` began to record: C libraries start programs
 * unseen.
 */
static struct finish_process *find_parent(const struct finish *f, const uint64_t *by_who,
                                          const struct finish_process *p)
{
    uint64_t low = 0, high = f->n_processes;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (is_before(f->process[by_who[middle]], p))
            low = middle + 1;
        else
            high = middle;
    }
    struct finish_process *parent = low ? f->process[by_who[low - 1]] : NULL;
    bool is_it = parent && parent->head.pid == p->head.ppid &&
                 parent->head.pid_space == p->head.pid_space &&
                 strcmp(parent->head.boot_id, p->head.boot_id) == 0;
    /* The number may belong to a process that is long gone. */
    bool is_over = is_it && parent->state == FINISH_ENDED &&
                   parent->head.last.realtime < p->head.first.realtime;
    return is_it && !is_over ? parent : NULL;
}

/*
 * Finds the creators, in this order: an earlier image of the same process, as known from
 * finish_find_execs(), then the parent, then the creator told to the process. A creator must have
 * started earlier: so there are no circles, whatever the files say.
 */
static int find_creators(struct finish *f)
{
    struct finish_names names;
    uint64_t *by_who = ordered(f, less_pid);
    int err = finish_names_sort(f, &names) && by_who ? 0 : -ENOMEM;
    for (uint64_t i = 0; i < f->n_processes && !err; i++) {
        struct finish_process *p = f->process[i];
        if (!p->creator)
            p->creator = find_parent(f, by_who, p);
        if (!p->creator)
            p->creator = find_named(f, &names, p);
    }
    finish_names_free(&names);
    drop(f, by_who);
    return err;
}

/* ---- numbers ---- */

static bool fits(const struct world *world, const struct finish_process *p)
{
    return world->size == p->head.size && strcmp(world->job, p->head.job) == 0 &&
           !world->rank[p->head.rank];
}

static bool is_sibling(const struct world *world, const struct finish_process *p)
{
    for (uint32_t i = 0; i < world->size; i++)
        if (world->rank[i])
            return world->rank[i]->head.ppid == p->head.ppid &&
                   strcmp(world->rank[i]->head.host, p->head.host) == 0;
    return false;
}

/* Jobs of a session that run at the same time are told apart by the starters of their ranks. */
static struct world *world_of(struct world *worlds, uint32_t *n, const struct finish_process *p)
{
    struct world *found = NULL;
    for (uint32_t i = 0; i < *n; i++)
        if (fits(&worlds[i], p) && (!found || is_sibling(&worlds[i], p)))
            found = &worlds[i];
    if (found || *n == WORLDS || p->head.size > RANKS_MAX)
        return found;
    found = &worlds[*n];
    found->size = p->head.size;
    found->job = p->head.job;
    found->rank = spur_mem_new(p->head.size * sizeof(struct finish_process *));
    *n += found->rank != NULL;
    return found->rank ? found : NULL;
}

/* A rank without any files still has its place in the lists of ranks. */
static int add_missing(struct finish *f, struct world *world)
{
    uint32_t missing = 0, is_spawned = 0;
    for (uint32_t i = 0; i < world->size; i++)
        is_spawned |= world->rank[i] ? world->rank[i]->head.is_spawned : 0;
    for (uint32_t i = 0; i < world->size && missing < MISSING_MAX; i++) {
        if (world->rank[i])
            continue;
        struct finish_process *p = finish_add(f);
        if (!p)
            return -ENOMEM;
        p->state = FINISH_MISSING;
        p->head.rank = (int32_t)i;
        p->head.size = world->size;
        p->head.is_spawned = is_spawned;
        snprintf(p->head.job, sizeof p->head.job, "%s", world->job);
        world->rank[i] = p;
        missing++;
    }
    return 0;
}

static int number_ranks(struct finish *f, struct world *worlds, uint32_t n)
{
    int err = 0;
    for (uint32_t w = 0; w < n && !err; w++) {
        err = add_missing(f, &worlds[w]);
        for (uint32_t i = 0; i < worlds[w].size && !err; i++)
            if (worlds[w].rank[i]) {
                worlds[w].rank[i]->number = f->n_mpi + i;
                worlds[w].rank[i]->mpi_base = f->n_mpi;
                worlds[w].rank[i]->job = w + 1;
            }
        f->n_mpi += worlds[w].size;
    }
    return err;
}

static int number(struct finish *f)
{
    uint64_t n = f->n_processes;
    uint64_t *by_start = ordered(f, less_start);
    struct world *worlds = spur_mem_new(WORLDS * sizeof *worlds);
    uint32_t n_worlds = 0;
    int err = by_start && worlds ? 0 : -ENOMEM;
    for (uint64_t i = 0; i < n && !err; i++) {
        struct finish_process *p = f->process[by_start[i]];
        struct world *world = p->head.rank < 0 ? NULL : world_of(worlds, &n_worlds, p);
        if (world)
            world->rank[p->head.rank] = p;
        else
            p->head.rank = -1;
    }
    if (!err)
        err = number_ranks(f, worlds, n_worlds);
    uint64_t next = f->n_mpi;
    for (uint64_t i = 0; i < n && !err; i++)
        if (f->process[by_start[i]]->head.rank < 0)
            f->process[by_start[i]]->number = next++;
    for (uint32_t w = 0; w < n_worlds; w++)
        spur_mem_free(worlds[w].rank, worlds[w].size * sizeof(struct finish_process *));
    spur_mem_free(worlds, WORLDS * sizeof *worlds);
    if (by_start)
        spur_mem_free(by_start, (n + 1) * sizeof *by_start);
    return err;
}

static bool less_number(const void *context, uint64_t a, uint64_t b)
{
    struct finish_process *const *process = context;
    return process[a]->number < process[b]->number;
}

static int sort_by_number(struct finish *f)
{
    uint64_t bytes = f->n_processes * sizeof(struct finish_process *);
    uint64_t *by_number = ordered(f, less_number);
    struct finish_process **sorted = spur_mem_new(bytes);
    int err = by_number && sorted ? 0 : -ENOMEM;
    for (uint64_t i = 0; i < f->n_processes && !err; i++)
        sorted[i] = f->process[by_number[i]];
    if (!err)
        memcpy(f->process, sorted, bytes);
    spur_mem_free(sorted, bytes);
    drop(f, by_number);
    return err;
}

int finish_order(struct finish *f)
{
    int err = find_creators(f);
    if (!err)
        err = number(f);
    if (!err)
        err = sort_by_number(f);
    return finish_blame(f, err, "out of memory");
}
