/* SPDX-License-Identifier: BSD-3-Clause */
/* Questions about the definitions: who has this id, what is it called, which process is rank 3. */
#include "tools/base/defs.h"

#include <stdlib.h>
#include <string.h>

/* ---- for several threads ---- */

void defs_share(struct defs *d)
{
    *LIST_ADD(&d->regions) = (struct region){.id = OTF2_UNDEFINED_REGION,
                                             .name = OTF2_UNDEFINED_STRING,
                                             .file = OTF2_UNDEFINED_STRING};
    *LIST_ADD(&d->comms) = (struct comm){.id = OTF2_UNDEFINED_COMM,
                                         .name = OTF2_UNDEFINED_STRING,
                                         .group = NIL,
                                         .group_b = NIL};
    d->is_shared = true;
}

struct defs defs_borrow(const struct defs *d)
{
    struct defs copy = *d;
    copy.rank_in = (struct map){0};
    memset(&copy.is_ranked, 0, sizeof copy.is_ranked);
    return copy;
}

void defs_give_back(struct defs *copy)
{
    free(copy->rank_in.slots);
    free(copy->is_ranked.at);
}

void defs_unshare(struct defs *d)
{
    d->regions.n--;
    d->comms.n--;
    d->is_shared = false;
}

/* The last of a list stands for all that are not known. */
static uint32_t unknown(struct defs *d, size_t n)
{
    d->has_unknown = true;
    return (uint32_t)n - 1;
}

/* ---- indices ---- */

/* Each of `n` items of `bytes` begins with its id. */
static void list_ids(struct small_ids *ids, const void *items, size_t n, size_t bytes)
{
    for (size_t i = 0; i < 2 * n; i++)
        *LIST_ADD(ids) = NIL;
    for (size_t i = 0; i < n; i++) {
        uint64_t id;
        memcpy(&id, (const char *)items + i * bytes, sizeof id);
        if (id < ids->n)
            ids->at[id] = (uint32_t)i;
    }
}

void defs_list_ids(struct defs *d)
{
    list_ids(&d->region_ids, d->regions.at, d->regions.n, sizeof *d->regions.at);
    list_ids(&d->comm_ids, d->comms.at, d->comms.n, sizeof *d->comms.at);
    list_ids(&d->location_ids, d->locations.at, d->locations.n, sizeof *d->locations.at);
}

static uint32_t find(const struct defs *d, const struct small_ids *ids, uint32_t kind, uint64_t id)
{
    return id < ids->n && ids->at[id] != NIL ? ids->at[id] : map_find(&d->by_id, kind, id);
}

uint32_t defs_region(struct defs *d, uint64_t id)
{
    uint32_t index = find(d, &d->region_ids, DEFS_REGION, id);
    if (index == NIL && d->is_shared)
        return unknown(d, d->regions.n);
    if (index == NIL) {
        index = (uint32_t)d->regions.n;
        *LIST_ADD(&d->regions) = (struct region){.id = id,
                                                 .name = OTF2_UNDEFINED_STRING,
                                                 .description = OTF2_UNDEFINED_STRING,
                                                 .file = OTF2_UNDEFINED_STRING};
        map_set(&d->by_id, DEFS_REGION, id, index);
    }
    return index;
}

uint32_t defs_comm(struct defs *d, uint64_t id)
{
    uint32_t index = find(d, &d->comm_ids, DEFS_COMM, id);
    if (index == NIL && d->is_shared)
        return unknown(d, d->comms.n);
    if (index == NIL) {
        index = (uint32_t)d->comms.n;
        *LIST_ADD(&d->comms) =
            (struct comm){.id = id, .name = OTF2_UNDEFINED_STRING, .group = NIL, .group_b = NIL};
        map_set(&d->by_id, DEFS_COMM, id, index);
    }
    return index;
}

uint32_t defs_location(const struct defs *d, uint64_t id)
{
    return find(d, &d->location_ids, DEFS_LOCATION, id);
}

uint32_t defs_owner(const struct defs *d, uint32_t location)
{
    uint32_t process = d->locations.at[location].process;
    const struct process *p = &d->processes.at[process];
    return p->is_device && p->creator != NIL ? p->creator : process;
}

uint32_t defs_context(const struct defs *d, uint64_t id)
{
    return map_find(&d->by_id, DEFS_CONTEXT, id);
}

uint32_t defs_generator(const struct defs *d, uint64_t id)
{
    return map_find(&d->by_id, DEFS_GENERATOR, id);
}

uint32_t defs_class(const struct defs *d, uint64_t id)
{
    uint32_t class = map_find(&d->by_id, DEFS_CLASS, id);
    if (class == NIL || d->classes.at[class].instance_of == OTF2_UNDEFINED_METRIC)
        return class;
    class = map_find(&d->by_id, DEFS_CLASS, d->classes.at[class].instance_of);
    if (class != NIL && d->classes.at[class].instance_of != OTF2_UNDEFINED_METRIC)
        return NIL;
    return class;
}

uint32_t defs_member(const struct defs *d, uint64_t id)
{
    return map_find(&d->by_id, DEFS_MEMBER, id);
}

uint32_t defs_handle(const struct defs *d, uint64_t id)
{
    return map_find(&d->by_id, DEFS_HANDLE, id);
}

uint32_t defs_window_comm(struct defs *d, uint64_t id)
{
    uint32_t comm = map_find(&d->by_id, DEFS_WINDOW, id);
    return defs_comm(d, comm == NIL ? OTF2_UNDEFINED_COMM : comm);
}

/* ---- names ---- */

const char *defs_text(const struct defs *d, OTF2_StringRef id)
{
    uint32_t index = map_find(&d->by_id, DEFS_TEXT, id);
    return index == NIL ? "" : d->texts.at[index];
}

const char *defs_region_name(const struct defs *d, uint32_t region)
{
    static const char *const own[REGIONS_OWN] = {"(program)", "(idle)", "(blocked)",
                                                 "(not recorded)", "(short calls)"};
    if (region < REGIONS_OWN)
        return own[region];
    const struct region *r = &d->regions.at[region];
    const char *name = defs_text(d, r->name);
    return *name ? name : make_text("region %llu", (unsigned long long)r->id);
}

const char *defs_process_name(const struct defs *d, uint32_t process)
{
    const struct process *p = &d->processes.at[process];
    if (p->rank != NIL)
        return make_text("rank %u", p->rank);
    const char *name = defs_text(d, p->name);
    return *name ? name : make_text("process %llu", (unsigned long long)p->id);
}

const char *defs_comm_name(const struct defs *d, uint32_t comm)
{
    const struct comm *c = &d->comms.at[comm];
    const char *name = defs_text(d, c->name);
    return *name ? name : make_text("communicator %llu", (unsigned long long)c->id);
}

const char *defs_lock_name(const struct defs *d, uint32_t process, uint32_t lock)
{
    uint32_t name = map_find(&d->lock_names, process, lock);
    return name == NIL ? "" : defs_text(d, name);
}

const char *defs_handle_file(const struct defs *d, uint64_t handle)
{
    uint32_t index = defs_handle(d, handle);
    if (index == NIL)
        return make_text("handle %llu", (unsigned long long)handle);
    uint32_t file = map_find(&d->by_id, DEFS_FILE, d->handles.at[index].file);
    const char *name = file == NIL ? "" : defs_text(d, d->files.at[file]);
    if (!*name)
        name = defs_text(d, d->handles.at[index].name);
    return *name ? name : make_text("handle %llu", (unsigned long long)handle);
}

const char *defs_handle_layer(const struct defs *d, uint64_t handle)
{
    uint32_t index = defs_handle(d, handle);
    uint32_t name =
        index == NIL ? NIL : map_find(&d->by_id, DEFS_IO_PARADIGM, d->handles.at[index].paradigm);
    return name == NIL ? "" : defs_text(d, name);
}

bool defs_handle_is_parallel(const struct defs *d, uint64_t handle)
{
    uint32_t index = defs_handle(d, handle);
    return index != NIL &&
           map_find(&d->by_id, DEFS_IO_PARALLEL, d->handles.at[index].paradigm) != NIL;
}

bool defs_handle_appends(const struct defs *d, uint64_t handle)
{
    return map_find(&d->by_id, DEFS_IO_APPENDS, handle) != NIL;
}

double defs_seconds(const struct defs *d, uint64_t ticks)
{
    return (double)ticks / (double)d->clock.ticks_per_second;
}

void defs_need_time(double from_s, double length_s)
{
    if (length_s > 0.0 && from_s > length_s)
        fail("--time: the trace lasts %.9g s, so it has nothing from %.9g s on", length_s, from_s);
}

/* ---- ranks ---- */

uint32_t defs_ranked(const struct defs *d, const struct group *ranks, uint64_t id)
{
    if (ranks->type == OTF2_GROUP_TYPE_COMM_LOCATION_GROUPS)
        return map_find(&d->by_id, DEFS_PROCESS, id);
    uint32_t location = defs_location(d, id);
    return location == NIL ? NIL : d->locations.at[location].process;
}

/* The process of a member of a group of ranks. */
static uint32_t member(const struct defs *d, const struct group *group, uint32_t rank)
{
    if (rank >= group->n)
        return NIL;
    uint64_t id = group->members[rank];
    if (group->type == OTF2_GROUP_TYPE_COMM_GROUP) {
        if (group->ranks == NIL)
            return id < d->processes.n ? (uint32_t)id : NIL;
        group = &d->groups.at[group->ranks];
        if (id >= group->n)
            return NIL;
        id = group->members[id];
    }
    return defs_ranked(d, group, id);
}

void defs_find_groups(struct defs *d)
{
    for (size_t i = 0; i < d->comms.n; i++) {
        struct comm *c = &d->comms.at[i];
        c->group = map_find(&d->by_id, DEFS_GROUP, c->group);
        c->group_b = c->is_inter ? map_find(&d->by_id, DEFS_GROUP, c->group_b) : NIL;
    }
    for (size_t i = 0; i < d->groups.n; i++) {
        struct group *group = &d->groups.at[i];
        group->ranks = map_find(&d->by_id, DEFS_LOCATIONS, group->paradigm);
        group->ranks = group->ranks == NIL ? d->world : group->ranks;
    }
}

/* The rank of a process in a group. */
static uint32_t rank_in(struct defs *d, uint32_t group, uint32_t process)
{
    const struct group *g = &d->groups.at[group];
    while (d->is_ranked.n <= group)
        *LIST_ADD(&d->is_ranked) = false;
    if (!d->is_ranked.at[group]) {
        d->is_ranked.at[group] = true;
        for (uint32_t i = g->n; i-- > 0;) {
            uint32_t who = member(d, g, i);
            if (who != NIL)
                map_set(&d->rank_in, group, who, i);
        }
    }
    return map_find(&d->rank_in, group, process);
}

uint32_t defs_peer(struct defs *d, uint32_t comm, uint32_t process, uint32_t rank)
{
    const struct comm *c = &d->comms.at[comm];
    uint32_t group = c->group;
    if (group == NIL)
        return rank < d->processes.n ? rank : NIL;
    if (d->groups.at[group].type == OTF2_GROUP_TYPE_COMM_SELF)
        return rank == 0 ? process : NIL;
    uint32_t other = c->group_b;
    if (other != NIL && rank_in(d, group, process) != NIL)
        group = other;
    return member(d, &d->groups.at[group], rank);
}

uint32_t defs_rank(struct defs *d, uint32_t comm, uint32_t process)
{
    const struct comm *c = &d->comms.at[comm];
    uint32_t group = c->group;
    if (group == NIL)
        return process;
    if (d->groups.at[group].type == OTF2_GROUP_TYPE_COMM_SELF)
        return 0;
    uint32_t rank = rank_in(d, group, process);
    uint32_t other = c->group_b;
    if (rank == NIL && other != NIL)
        rank = rank_in(d, other, process);
    return rank;
}

bool defs_handle_is_collective(struct defs *d, uint64_t handle)
{
    uint32_t index = defs_handle(d, handle);
    return index != NIL && d->handles.at[index].comm != OTF2_UNDEFINED_COMM &&
           defs_comm_size(d, defs_comm(d, d->handles.at[index].comm)) > 1;
}

uint32_t defs_comm_size(struct defs *d, uint32_t comm)
{
    const struct comm *c = &d->comms.at[comm];
    uint32_t group = c->group;
    if (group == NIL)
        return (uint32_t)d->processes.n;
    if (d->groups.at[group].type == OTF2_GROUP_TYPE_COMM_SELF)
        return 1;
    uint32_t other = c->group_b;
    return d->groups.at[group].n + (other == NIL ? 0 : d->groups.at[other].n);
}
