/* SPDX-License-Identifier: BSD-3-Clause */
/* The locations and processes of an archive, made of its definitions. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "format/paths.h"
#include "tools/check/check.h"

enum {
    MOST_OPEN = 400, /* more files are not kept open */
    WINDOWS_BYTES = 64 << 20,
    WINDOW_MIN = 8 << 10,
    WINDOW_MAX = 256 << 10
};

/* Whether there are descriptors to keep the files of all locations open. */
static bool may_stay_open(const struct check *c)
{
    struct rlimit limit;
    return c->n_locations <= MOST_OPEN && !getrlimit(RLIMIT_NOFILE, &limit) &&
           c->n_locations <= limit.rlim_cur / 2;
}

struct chunks_options chunks_how(const struct check *c, bool is_timed)
{
    size_t n = c->n_locations ? c->n_locations : 1;
    size_t window = WINDOWS_BYTES / n;
    return (struct chunks_options){.chunk_bytes = is_timed ? c->anchor.event_chunk_bytes
                                                           : c->anchor.def_chunk_bytes,
                                   .window_bytes = window < WINDOW_MIN   ? WINDOW_MIN
                                                   : window > WINDOW_MAX ? WINDOW_MAX
                                                                         : window,
                                   .is_timed = is_timed,
                                   .is_packed = c->anchor.compression == OTF2_COMPRESSION_ZLIB,
                                   .stays_open = may_stay_open(c)};
}

bool location_open(const struct check *c, struct chunks *f, OTF2_FileType type, uint64_t location,
                   char name[FILE_NAME_BYTES], bool *is_missing)
{
    struct chunks_options how = chunks_how(c, type != OTF2_FILETYPE_LOCAL_DEFS);
    (void)snprintf(name, FILE_NAME_BYTES, "%s/%" PRIu64 ".%s", c->name, location,
                   otf2_path_ending(type));
    /* Only the files of events are read together. */
    how.stays_open = how.stays_open || type == OTF2_FILETYPE_SNAPSHOTS;
    return containers_find(c, type, location, &how.pieces, is_missing) &&
           chunks_open(f, c->verdict, c->dir, name, &how, is_missing);
}

static int by_id(const void *x, const void *y)
{
    uint64_t a = ((const struct location *)x)->id;
    uint64_t b = ((const struct location *)y)->id;
    return (a > b) - (a < b);
}

struct location *location_find(const struct check *c, uint64_t id)
{
    struct location wanted = {.id = id};
    return c->n_locations ? bsearch(&wanted, c->locations, c->n_locations, sizeof wanted, by_id)
                          : NULL;
}

static void add_locations(struct check *c)
{
    size_t bytes = (c->spaces[OTF2_REF_Location].n + 1) * sizeof *c->locations;
    c->locations = memset(there(aligned_alloc(APART_BYTES, bytes)), 0, bytes);
    for (size_t i = 0; i < c->n_all; i++) {
        const struct otf2_def_Location *def = c->all[i].data;
        if (c->all[i].record != OTF2_DEF_Location || def->self == OTF2_UNDEFINED_LOCATION ||
            defined_as(c, OTF2_REF_Location, def->self, OTF2_DEF_Location) != def)
            continue;
        struct location *at = &c->locations[c->n_locations++];
        at->id = def->self;
        at->def = def;
        at->is_stream = def->locationType == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM;
        at->rank = NO_RANK;
        at->file.fd = -1;
        at->process = table_intern(&c->processes, (struct key){.a = def->locationGroup});
        at->process->rank = NO_RANK;
        at->process->n_locations++;
    }
    qsort(c->locations, c->n_locations, sizeof *c->locations, by_id);
}

/* A member of MPI's world speaks for its process, unless the process has several. */
static void add_ranks(struct check *c)
{
    const struct otf2_def_Group *world = NULL;
    for (size_t i = 0; i < c->n_all && !world; i++) {
        const struct otf2_def_Group *group = c->all[i].data;
        if (c->all[i].record == OTF2_DEF_Group && group->paradigm == OTF2_PARADIGM_MPI &&
            gives_ranks(group))
            world = group;
    }
    for (uint32_t i = 0; world && i < world->numberOfMembers; i++) {
        bool is_process = is_of_processes(world);
        struct location *at = is_process ? NULL : location_find(c, world->members[i]);
        struct process *process =
            is_process ? table_find(&c->processes, (struct key){.a = world->members[i]})
            : at       ? at->process
                       : NULL;
        if (at)
            at->rank = i;
        if (process && process->rank == NO_RANK)
            process->rank = i;
    }
    for (size_t i = 0; i < c->n_locations; i++)
        if (c->locations[i].rank == NO_RANK)
            c->locations[i].rank = c->locations[i].process->rank;
}

static void number(struct check *c)
{
    struct node **nodes = table_sorted(&c->processes);
    c->by_index = take_memory(c->processes.n * sizeof(struct process *));
    for (size_t i = 0; i < c->processes.n; i++) {
        c->by_index[i] = (void *)nodes[i];
        c->by_index[i]->index = (uint32_t)i;
    }
    for (size_t i = 0; i < c->n_locations; i++)
        c->locations[i].index = (uint32_t)i;
    free(nodes);
}

void locations_prepare(struct check *c)
{
    c->processes.node_bytes = sizeof(struct process);
    add_locations(c);
    add_ranks(c);
    number(c);
}

static void free_maps(struct location *at)
{
    for (unsigned i = 0; i < OTF2_MAPPING_MAX; i++) {
        if (!at->maps[i])
            continue;
        free(at->maps[i]->to);
        free(at->maps[i]->pairs);
        free(at->maps[i]);
    }
}

void locations_free(struct check *c)
{
    for (size_t i = 0; i < c->n_locations; i++) {
        struct location *at = &c->locations[i];
        chunks_close(&at->file);
        free_maps(at);
        free(at->points);
        free(at->frames);
        free(at->blocking);
        free(at->metrics);
        table_fini(&at->memory.blocks);
        free(at->teams);
        free(at->forks);
    }
    free(c->locations);
    free(c->by_index);
    table_fini(&c->processes);
}
