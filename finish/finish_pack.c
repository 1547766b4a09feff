/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/finish_pack.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/archive_files.h"
#include "base/beneath.h"
#include "base/mem.h"
#include "base/raw_file.h"
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

/* ---- what goes ---- */

struct emptying {
    const char *folder;
};

static int remove_file(void *data, const char *name)
{
    const struct emptying *e = data;
    char path[SPUR_FILE_PATH_BYTES];
    size_t digits = strspn(name, "0123456789");
    if (!digits || (strcmp(name + digits, ".evt") != 0 && strcmp(name + digits, ".def") != 0))
        return 0; /* none that was made here */
    snprintf(path, sizeof path, "%s/%.64s", e->folder, name);
    return unless(spur_beneath_unlink(path), ENOENT);
}

/* The folder, its files, and one beside it. */
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

int finish_pack_tidy(const struct finish *f)
{
    char plain[SPUR_FILE_PATH_BYTES], path[SPUR_FILE_PATH_BYTES];
    finish_path(f, NULL, FINISH_PLAIN, plain);
    int err = unless(spur_beneath_unlink(finish_path(f, NULL, FINISH_PLAIN "/traces.otf2", path)),
                     ENOENT);
    if (!err)
        err = remove_files(plain, "traces.def");
    return err ? err : unless(spur_beneath_rmdir(plain), ENOENT);
}

/* ---- the plan ---- */

static int measure(struct finish *f, struct otf2_pack_location *l)
{
    char path[SPUR_FILE_PATH_BYTES];
    for (unsigned kind = 0; kind < OTF2_CONTAINED_KINDS; kind++) {
        if (otf2_contained_types[kind] == OTF2_FILETYPE_SNAPSHOTS)
            continue;
        snprintf(path, sizeof path, "%s/traces/%llu.%s", f->place, (unsigned long long)l->id,
                 otf2_path_ending(otf2_contained_types[kind]));
        int fd = spur_file_open(path, &l->bytes[kind]);
        if (fd < 0)
            return finish_blame(f, fd, "%s", path);
        spur_file_close(fd);
    }
    return 0;
}

/* A process that has threads is a rank. */
static int list_ranks(struct finish *f, struct otf2_pack *p, uint32_t *host)
{
    int err = 0;
    for (uint64_t i = 0; i < f->n_processes && !err; i++) {
        const struct finish_process *process = f->process[i];
        for (uint64_t t = 0; t < process->n_threads && !err; t++) {
            struct otf2_pack_location *l = &p->locations[p->n++];
            l->id = finish_location_id(process, &process->threads[t]);
            l->rank = p->ranks;
            err = measure(f, l);
        }
        if (process->n_threads)
            host[p->ranks++] = process->node;
    }
    return err;
}

static int make_plan(struct finish *f, struct otf2_pack *p, uint32_t *host)
{
    uint32_t n_files = f->container == SPUR_CONTAINER_HOSTS ? 0 : f->container;
    int err = list_ranks(f, p, host);
    if (!err)
        err = finish_blame(f, otf2_pack_share(p, n_files, host, f->n_hosts + 1), "out of memory");
    return err ? err : finish_blame(f, otf2_pack_plan(p), "out of memory");
}

/* ---- the work ---- */

static int copy(struct finish *f, const struct otf2_pack *p)
{
    char folder[SPUR_FILE_PATH_BYTES], culprit[OTF2_PATH_BYTES] = "";
    struct otf2_pack_pen *pen = spur_mem_new(sizeof *pen);
    snprintf(folder, sizeof folder, "%s/traces", f->dir);
    int err = finish_blame(f, pen ? otf2_pack_begin(pen, p) : -ENOMEM, "out of memory");
    if (!err)
        err = finish_blame(f, spur_archive_files.make_dir(folder), "%s", folder);
    for (uint32_t rank = 0; rank < p->ranks && !err; rank++)
        err = finish_blame(f, otf2_pack_rank(pen, rank), "%s", pen->culprit);
    if (!err)
        err = finish_blame(f, otf2_pack_complete(p, culprit), "%s", culprit);
    if (pen)
        otf2_pack_end(pen);
    spur_mem_free(pen, sizeof *pen);
    return err;
}

/* The plain archive is none any more, and that in DIR is one when the file has moved. */
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

int finish_pack(struct finish *f)
{
    struct otf2_pack p = {.files = &spur_archive_files,
                          .from = {f->place, "traces"},
                          .to = {f->dir, "traces"},
                          .align = otf2_file_align(f->dir)};
    uint64_t room = f->n_threads * sizeof *p.locations;
    uint64_t hosts = f->n_processes * sizeof(uint32_t);
    uint32_t *host = spur_mem_new(hosts);
    p.locations = spur_mem_new(room);
    int err = host && p.locations ? 0 : -ENOMEM;
    (void)finish_blame(f, err, "out of memory");
    if (!err && f->n_threads)
        err = make_plan(f, &p, host);
    if (!err && f->n_threads)
        err = copy(f, &p);
    if (!err)
        err = move_anchor(f);
    if (err) /* the disk may be full */
        (void)finish_pack_clear(f);
    otf2_pack_fini(&p);
    spur_mem_free(p.locations, room);
    spur_mem_free(host, hosts);
    return err;
}
