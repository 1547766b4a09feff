/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/finish_pack.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/archive_files.h"
#include "base/beneath.h"
#include "base/mem.h"
#include "base/raw_file.h"
#include "finish/events/finish_out.h"
#include "finish/state/finish_store.h"
#include "finish/state/finish_trouble.h"
#include "format/anchor.h"
#include "settings/config.h"
#include "writer/file.h"
#include "writer/pack_files.h"

static int unless(int err, int allowed)
{
    return err == -allowed ? 0 : err;
}

int finish_pack_begin(struct finish *f)
{
    int err = unless(spur_beneath_mkdir(f->place, 0700), EEXIST);
    return finish_blame(f, err, "%s", f->place);
}

/* ---- files to be removed ---- */

struct emptying {
    const char *folder;
};

static int remove_file(void *data, const char *name)
{
    const struct emptying *e = data;
    char path[SPUR_FILE_PATH_BYTES];
    size_t digits = strspn(name, "0123456789");
    if (!digits || (strcmp(name + digits, ".evt") != 0 && strcmp(name + digits, ".def") != 0))
        return 0; /* not a file of finishing */
    snprintf(path, sizeof path, "%s/%.64s", e->folder, name);
    return unless(spur_beneath_unlink(path), ENOENT);
}

/* Removes the folder `traces`, the files in the folder, and the file `beside` the folder. */
static int remove_files(const char *place, const char *beside)
{
    char folder[SPUR_FILE_PATH_BYTES], path[SPUR_FILE_PATH_BYTES];
    struct emptying emptying = {folder};
    snprintf(folder, sizeof folder, "%s/traces", place);
    snprintf(path, sizeof path, "%s/%s", place, beside);
    int err = unless(spur_beneath_unlink(path), ENOENT);
    if (!err && spur_file_is_there(folder)) {
        err = spur_file_list(folder, remove_file, &emptying);
        err = err ? err : spur_beneath_rmdir(folder);
    }
    return err;
}

int finish_pack_clear(const struct finish *f)
{
    return remove_files(f->dir, "traces.srm");
}

static int remove_store(void *data, const char *name)
{
    const struct emptying *e = data;
    char path[SPUR_FILE_PATH_BYTES];
    if (strncmp(name, FINISH_STORE, sizeof FINISH_STORE - 1) != 0)
        return 0;
    snprintf(path, sizeof path, "%s/%.64s", e->folder, name);
    return unless(spur_beneath_unlink(path), ENOENT);
}

int finish_pack_tidy(const struct finish *f)
{
    char plain[SPUR_FILE_PATH_BYTES], path[SPUR_FILE_PATH_BYTES];
    finish_path(f, NULL, FINISH_PLAIN, plain);
    int err = unless(spur_beneath_unlink(finish_path(f, NULL, FINISH_PLAIN "/traces.otf2", path)),
                     ENOENT);
    if (!err)
        err = remove_files(plain, "traces.def");
    if (!err)
        err = unless(spur_file_list(plain, remove_store, &(struct emptying){plain}), ENOENT);
    return err ? err : unless(spur_beneath_rmdir(plain), ENOENT);
}

/* ---- contents to be copied ---- */

struct packing {
    const struct finish *f;
    const struct finish_process **process; /* of each rank */
    char path[SPUR_FILE_PATH_BYTES];       /* of the source file read last, */
    int fd;                                /* opened for reading; -1: no open file */
};

/* NULL: the location has no file of that kind. */
static const struct finish_source *source_of(const struct otf2_pack_location *l, unsigned kind)
{
    const struct finish_thread *t = l->source;
    switch (otf2_contained_types[kind]) {
    case OTF2_FILETYPE_EVENTS:
        return &t->evt;
    case OTF2_FILETYPE_LOCAL_DEFS:
        return &t->def;
    default:
        return NULL;
    }
}

static void close_last(struct packing *packing)
{
    if (packing->fd >= 0)
        spur_file_close(packing->fd);
    packing->fd = -1;
}

/* Several locations of a process may lie in one file, therefore the last file stays open. */
static int open_source(struct packing *packing, const char *path)
{
    uint64_t size;
    if (packing->fd >= 0 && strcmp(path, packing->path) == 0)
        return packing->fd;
    close_last(packing);
    snprintf(packing->path, sizeof packing->path, "%s", path);
    packing->fd = spur_file_open(path, &size);
    return packing->fd;
}

static int read_source(const struct otf2_pack *p, const struct otf2_pack_location *l, unsigned kind,
                       uint64_t at, void *to, size_t bytes, char *culprit)
{
    struct packing *packing = p->user;
    const struct finish *f = packing->f;
    const struct finish_source *source = source_of(l, kind);
    char path[SPUR_FILE_PATH_BYTES];
    finish_source_path(f, packing->process[l->rank], l->source,
                       otf2_path_ending(otf2_contained_types[kind]), source, path);
    snprintf(culprit, OTF2_PATH_BYTES, "%.*s", OTF2_PATH_BYTES - 1, path);
    int fd = open_source(packing, path);
    if (fd < 0)
        return fd;
    int64_t n = spur_file_read(fd, finish_source_at(source) + at, to, bytes);
    return n < 0 ? (int)n : (uint64_t)n < bytes ? -EIO : 0;
}

/* ---- the plan ---- */

/* A process with threads is a rank. */
static void list_ranks(const struct finish *f, struct otf2_pack *p, uint32_t *host)
{
    const struct finish_process **of_rank = ((struct packing *)p->user)->process;
    for (uint64_t i = 0; i < f->n_processes; i++) {
        const struct finish_process *process = f->process[i];
        for (uint64_t t = 0; t < process->n_threads; t++) {
            struct otf2_pack_location *l = &p->locations[p->n++];
            l->source = &process->threads[t];
            l->id = finish_location_id(process, l->source);
            l->rank = p->ranks;
            for (unsigned kind = 0; kind < OTF2_CONTAINED_KINDS; kind++)
                l->bytes[kind] = source_of(l, kind) ? source_of(l, kind)->bytes : 0;
        }
        if (process->n_threads) {
            of_rank[p->ranks] = process;
            host[p->ranks++] = process->node;
        }
    }
}

static int make_plan(struct finish *f, struct otf2_pack *p, uint32_t *host)
{
    uint32_t n_files = f->container == SPUR_CONTAINER_HOSTS ? 0 : f->container;
    list_ranks(f, p, host);
    int err = finish_blame(f, otf2_pack_share(p, n_files, host, f->n_hosts + 1), "out of memory");
    return err ? err : finish_blame(f, otf2_pack_plan(p), "out of memory");
}

/* ---- the work ---- */

/* A worker of the copying, with a writer and sources of its own. */
struct copier {
    struct otf2_pack pack; /* the plan of all workers; reads by `from` */
    struct packing from;
    struct otf2_pack_pen pen;
    uint32_t rank; /* where the copying stopped */
    int err;
};

struct copying {
    struct copier *copiers;
    unsigned n;
};

/* Every n-th rank, so the large ranks are spread over the workers. */
static void copy_ranks(void *context, unsigned worker)
{
    const struct copying *copying = context;
    struct copier *c = &copying->copiers[worker];
    c->rank = worker;
    c->err = otf2_pack_begin(&c->pen, &c->pack);
    while (!c->err && c->rank < c->pack.ranks) {
        c->err = otf2_pack_rank(&c->pen, c->rank);
        if (!c->err)
            c->rank += copying->n;
    }
    otf2_pack_end(&c->pen);
    close_last(&c->from);
}

/* A worker is worth starting for several ranks, or for as many MiB. */
static unsigned copiers_for(const struct finish *f, const struct otf2_pack *p)
{
    enum { MIB_SHIFT = 20 };
    const struct spur_finish_crew *crew = &f->options.crew;
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < p->n; i++)
        for (unsigned kind = 0; kind < OTF2_CONTAINED_KINDS; kind++)
            bytes += p->locations[i].bytes[kind];
    uint64_t most = bytes >> MIB_SHIFT > p->ranks ? bytes >> MIB_SHIFT : p->ranks;
    most = crew->least ? most / crew->least : 0;
    most = most < p->ranks ? most : p->ranks;
    most = most < crew->n ? most : crew->n;
    return most ? (unsigned)most : 1;
}

/* The error of the lowest rank: a single worker would have met this error first. */
static int blame_first(struct finish *f, const struct copying *copying)
{
    const struct copier *first = NULL;
    for (unsigned i = 0; i < copying->n; i++) {
        const struct copier *c = &copying->copiers[i];
        if (c->err && (!first || c->rank < first->rank))
            first = c;
    }
    if (!first)
        return 0;
    return finish_blame(f, first->err, "%s",
                        first->pen.culprit[0] ? first->pen.culprit : "out of memory");
}

static int copy_all(struct finish *f, const struct otf2_pack *p)
{
    struct copying copying = {.n = copiers_for(f, p)};
    uint64_t bytes = copying.n * sizeof *copying.copiers;
    copying.copiers = spur_mem_new(bytes);
    if (!copying.copiers)
        return finish_blame(f, -ENOMEM, "out of memory");
    for (unsigned i = 0; i < copying.n; i++) {
        struct copier *c = &copying.copiers[i];
        c->from = *(const struct packing *)p->user;
        c->pack = *p;
        c->pack.user = &c->from;
    }
    if (copying.n > 1)
        f->options.crew.run(copying.n, copy_ranks, &copying);
    else
        copy_ranks(&copying, 0);
    int err = blame_first(f, &copying);
    spur_mem_free(copying.copiers, bytes);
    return err;
}

static int copy(struct finish *f, const struct otf2_pack *p)
{
    char folder[SPUR_FILE_PATH_BYTES], culprit[OTF2_PATH_BYTES] = "";
    snprintf(folder, sizeof folder, "%s/traces", f->dir);
    int err = finish_blame(f, spur_archive_files.make_dir(folder), "%s", folder);
    err = err ? err : copy_all(f, p);
    return err ? err : finish_blame(f, otf2_pack_complete(p, culprit), "%s", culprit);
}

/* When the file has moved, the plain archive is no longer an archive, and the archive in DIR is. */
static int move_anchor(struct finish *f)
{
    /* Without any location there are no containers either. */
    const uint8_t substrate = f->n_threads ? OTF2_SUBSTRATE_SION : OTF2_SUBSTRATE_POSIX;
    char from[SPUR_FILE_PATH_BYTES], to[SPUR_FILE_PATH_BYTES];
    uint64_t size;
    snprintf(from, sizeof from, "%s/traces.def", f->place);
    snprintf(to, sizeof to, "%s/traces.def", f->dir);
    int err = finish_blame(f, spur_beneath_rename(from, to), "%s", to);
    snprintf(from, sizeof from, "%s/traces.otf2", f->place);
    snprintf(to, sizeof to, "%s/traces.otf2", f->dir);
    int fd = err ? err : spur_file_edit(from, &size);
    if (!err && fd < 0)
        err = finish_blame(f, fd, "%s", from);
    if (!err) {
        err = spur_file_write(fd, OTF2_ANCHOR_SUBSTRATE_AT, &substrate, sizeof substrate);
        spur_file_close(fd);
        err = finish_blame(f, err, "%s", from);
    }
    return err ? err : finish_blame(f, spur_beneath_rename(from, to), "%s", to);
}

static int pack(struct finish *f, struct otf2_pack *p, uint32_t *host)
{
    int err = f->n_threads ? make_plan(f, p, host) : 0;
    if (!err && f->n_threads)
        err = copy(f, p);
    return err ? err : move_anchor(f);
}

int finish_pack(struct finish *f)
{
    struct packing packing = {.f = f, .fd = -1};
    struct otf2_pack p = {.files = &spur_archive_files,
                          .from = {f->place, "traces"},
                          .to = {f->dir, "traces"},
                          .read = read_source,
                          .user = &packing,
                          .align = otf2_file_align(f->dir)};
    uint64_t room = f->n_threads * sizeof *p.locations;
    uint64_t hosts = f->n_processes * sizeof(uint32_t);
    uint64_t ranks = f->n_processes * sizeof(struct finish_process *);
    uint32_t *host = spur_mem_new(hosts);
    packing.process = spur_mem_new(ranks);
    p.locations = spur_mem_new(room);
    int err = host && packing.process && p.locations ? 0 : -ENOMEM;
    (void)finish_blame(f, err, "out of memory");
    if (!err)
        err = pack(f, &p, host);
    if (err) /* the disk may be full */
        (void)finish_pack_clear(f);
    otf2_pack_fini(&p);
    spur_mem_free(p.locations, room);
    spur_mem_free((void *)packing.process, ranks);
    spur_mem_free(host, hosts);
    return err;
}
