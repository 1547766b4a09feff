/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/unpack/pack_plan.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/base/archive.h"
#include "tools/base/fail.h"

/* A location that has files. */
struct packed {
    struct otf2_pack_location place;
    uint32_t process; /* NIL: its definition is missing */
};

struct packing {
    LIST(struct packed) locations;
    struct defs defs;
};

/* ---- the folder ---- */

/* Which kind of file it is, and whose; false: it is none of the archive. */
static bool is_of_archive(const char *name, uint64_t *id, unsigned *kind)
{
    char *end, again[32];
    errno = 0;
    *id = strtoull(name, &end, 10);
    snprintf(again, sizeof again, "%llu", (unsigned long long)*id);
    size_t digits = strlen(again);
    if (errno || strncmp(name, again, digits) != 0 || name[digits] != '.')
        return false;
    for (*kind = 0; *kind < OTF2_CONTAINED_KINDS; ++*kind)
        if (!strcmp(name + digits + 1, otf2_path_ending(otf2_contained_types[*kind])))
            return true;
    return false;
}

static bool add_file(struct pack_plan *plan, struct made *made, struct packing *work,
                     const char *folder, const char *name)
{
    struct stat info = {.st_mode = 0};
    uint64_t id = 0;
    unsigned kind = 0;
    char *path = make_text("%s/%s", folder, name);
    bool is_good = true;
    if (!is_of_archive(name, &id, &kind))
        is_good = remake_fault(made, "%s: is no file of the archive: move it elsewhere", path);
    else if (stat(path, &info))
        is_good = remake_cannot(made, "read", path);
    else if (!S_ISREG(info.st_mode) || !info.st_size)
        is_good = remake_fault(made, "%s: %s", path,
                               S_ISREG(info.st_mode) ? "is empty, so the archive is damaged"
                                                     : "is no file");
    if (is_good) {
        struct packed *new = LIST_ADD(&work->locations);
        new->place.id = id;
        new->place.bytes[kind] = (uint64_t)info.st_size;
        plan->mode &= info.st_mode;
    }
    free(path);
    return is_good;
}

static int is_no_dot(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static bool add_folder(struct pack_plan *plan, struct made *made, struct packing *work,
                       const char *folder)
{
    struct dirent **names = NULL;
    struct stat info;
    if (!lstat(folder, &info) && S_ISLNK(info.st_mode))
        return remake_fault(made, "%s: is a symbolic link: pack the archive that it leads to",
                            folder);
    int n = scandir(folder, &names, is_no_dot, alphasort);
    bool is_good = n >= 0 || remake_cannot(made, "read", folder);
    for (int i = 0; i < n; i++) {
        if (is_good)
            is_good = add_file(plan, made, work, folder, names[i]->d_name);
        free(names[i]);
    }
    free(names);
    if (is_good && !n)
        is_good = remake_fault(made, "%s: there is nothing to pack", folder);
    return is_good;
}

/* ---- ranks ---- */

static int by_id(const void *a, const void *b)
{
    const struct packed *x = a, *y = b;
    ORDER(x->place.id, y->place.id);
    return 0;
}

static int by_rank(const void *a, const void *b)
{
    const struct packed *x = a, *y = b;
    ORDER(x->place.rank, y->place.rank);
    return by_id(a, b);
}

/* The files of a location become one entry. */
static void join_files(struct packing *work)
{
    size_t n = 0;
    LIST_SORT(&work->locations, by_id);
    for (size_t i = 0; i < work->locations.n; i++) {
        struct packed *l = &work->locations.at[i];
        struct packed *last = n ? &work->locations.at[n - 1] : NULL;
        if (!last || last->place.id != l->place.id) {
            work->locations.at[n++] = *l;
            continue;
        }
        for (unsigned kind = 0; kind < OTF2_CONTAINED_KINDS; kind++)
            last->place.bytes[kind] += l->place.bytes[kind];
    }
    work->locations.n = n;
}

/* A process is a rank; they are numbered in the order of their first locations. */
static uint32_t number_ranks(struct packing *work)
{
    uint32_t ranks = 0;
    uint32_t *rank = take_memory((work->defs.processes.n + 1) * sizeof *rank); /* + 1 */
    for (size_t i = 0; i < work->locations.n; i++) {
        struct packed *l = &work->locations.at[i];
        uint32_t at = defs_location(&work->defs, l->place.id);
        l->process = at == NIL ? NIL : work->defs.locations.at[at].process;
        uint32_t *own = &rank[l->process == NIL ? work->defs.processes.n : l->process];
        if (!*own)
            *own = ++ranks;
        l->place.rank = *own - 1;
    }
    LIST_SORT(&work->locations, by_rank);
    free(rank);
    return ranks;
}

/* Of each rank: its host, or the number behind all hosts. */
static uint32_t *find_hosts(const struct packing *work, uint32_t ranks)
{
    uint32_t *hosts = take_memory(ranks * sizeof *hosts);
    for (size_t i = 0; i < work->locations.n; i++) {
        const struct packed *l = &work->locations.at[i];
        uint32_t host = l->process == NIL ? NIL : work->defs.processes.at[l->process].host;
        hosts[l->place.rank] = host == NIL ? (uint32_t)work->defs.nodes.n : host;
    }
    return hosts;
}

bool pack_plan_make(struct pack_plan *plan, struct made *made, const char *anchor,
                    const char *folder, unsigned n_files)
{
    static struct packing work;
    struct archive archive;
    struct otf2_pack *p = &plan->pack;
    plan->mode = 0666;
    if (!add_folder(plan, made, &work, folder))
        return false;
    archive_open(&archive, anchor, &work.defs);
    join_files(&work);
    p->ranks = number_ranks(&work);
    uint32_t *hosts = find_hosts(&work, p->ranks);
    int err = otf2_pack_share(p, n_files, hosts, (uint32_t)work.defs.nodes.n + 1);
    free(hosts);
    p->n = work.locations.n;
    p->locations = take_memory(p->n * sizeof *p->locations);
    for (size_t i = 0; i < work.locations.n; i++)
        p->locations[i] = work.locations.at[i].place;
    free(work.locations.at);
    archive_close(&archive);
    return (!err && !otf2_pack_plan(p)) || remake_fault(made, "no memory for the containers");
}

void pack_plan_free(struct pack_plan *plan)
{
    free(plan->pack.locations);
    otf2_pack_fini(&plan->pack);
}
