/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/topics/report_instances.h"

#include <stdlib.h>
#include <string.h>

#include "tools/report/topics/report.h"

enum instance_rule instance_rule(OTF2_CollectiveOp op)
{
    static const uint8_t rules[] = {
        [OTF2_COLLECTIVE_OP_BCAST] = FOR_ROOT,
        [OTF2_COLLECTIVE_OP_SCATTER] = FOR_ROOT,
        [OTF2_COLLECTIVE_OP_SCATTERV] = FOR_ROOT,
        [OTF2_COLLECTIVE_OP_GATHER] = ROOT_FOR_ALL,
        [OTF2_COLLECTIVE_OP_GATHERV] = ROOT_FOR_ALL,
        [OTF2_COLLECTIVE_OP_REDUCE] = ROOT_FOR_ALL,
        [OTF2_COLLECTIVE_OP_SCAN] = FOR_LOWER,
        [OTF2_COLLECTIVE_OP_EXSCAN] = FOR_LOWER,
        [OTF2_COLLECTIVE_OP_DESTROY_HANDLE] = FOR_NOBODY,
        [OTF2_COLLECTIVE_OP_DEALLOCATE] = FOR_NOBODY,
    };
    return op < sizeof rules ? rules[op] : FOR_ALL;
}

/* Neighbours are waited for, which no definition tells of all topologies. */
static bool is_of_neighbours(const struct report *r, const struct collective *row)
{
    const char prefix[] = "MPI_Neighbor_";
    return row->region >= REGIONS_OWN && row->region != NIL &&
           !strncmp(defs_region_name(&r->defs, row->region), prefix, sizeof prefix - 1);
}

/* ---- who waited ---- */

static struct share *share_of(struct collectives *c, uint32_t collective, uint32_t process)
{
    uint32_t index = map_index(&c->share_of, collective, process, c->shares.n);
    if (index == c->shares.n)
        *LIST_ADD(&c->shares) = (struct share){.collective = collective, .process = process};
    return &c->shares.at[index];
}

static void waits_for(struct report *r, uint32_t collective, const struct party *party,
                      const struct party *last)
{
    struct collectives *c = &r->collectives;
    uint64_t until = last->arrived < party->end ? last->arrived : party->end;
    if (party->process == last->process || until <= party->begin)
        return;
    tracks_wait(r, (struct track_wait){party->begin, until, party->location, last->location,
                                       party->node, 0});
    if (!r->is_selected[party->location])
        return;
    uint64_t ticks = until - party->begin;
    struct collective *row = &c->all.at[collective];
    row->waited += ticks;
    place_add(&row->longest, party->begin, until, party->location, last->location);
    share_of(c, collective, party->process)->waited += ticks;
    share_of(c, collective, last->process)->caused += ticks;
    profile_wait_at(r, party->location, party->node, WAIT_COLLECTIVE, ticks);
    if (r->listener)
        r->listener->wait(r, &(struct single_wait){party->begin, until, party->location,
                                                   party->node, last->process, WAIT_COLLECTIVE});
}

static int by_rank(const void *a, const void *b)
{
    const struct party *x = a;
    const struct party *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* The one that came last of those in front of `end`. */
static const struct party *last_of(const struct instance *i, size_t end)
{
    const struct party *last = &i->parties.at[0];
    for (size_t k = 1; k < end; k++)
        if (i->parties.at[k].arrived > last->arrived)
            last = &i->parties.at[k];
    return last;
}

static const struct party *root_of(const struct instance *i)
{
    for (size_t k = 0; k < i->parties.n; k++)
        if (i->parties.at[k].rank == i->root)
            return &i->parties.at[k];
    return NULL;
}

static void judge(struct report *r, struct instance *i)
{
    struct collective *row = &r->collectives.all.at[i->collective];
    enum instance_rule rule = is_of_neighbours(r, row) ? FOR_NOBODY : instance_rule(row->op);
    const struct party *root = root_of(i);
    const struct party *last = last_of(i, i->parties.n);
    row->instances += !r->has_window || (last->end > r->from && last->arrived < r->to);
    if (rule == FOR_ROOT)
        last = root;
    if (rule == ROOT_FOR_ALL && root)
        waits_for(r, i->collective, root, last);
    if (rule == FOR_ALL || (rule == FOR_ROOT && root))
        for (size_t k = 0; k < i->parties.n; k++)
            waits_for(r, i->collective, &i->parties.at[k], last);
    if (rule != FOR_LOWER)
        return;
    LIST_SORT(&i->parties, by_rank);
    last = &i->parties.at[0];
    for (size_t k = 0; k < i->parties.n; k++) {
        if (i->parties.at[k].arrived > last->arrived)
            last = &i->parties.at[k];
        waits_for(r, i->collective, &i->parties.at[k], last);
    }
}

/* ---- who is there ---- */

static struct instance *instance_of(struct instances *c, uint64_t order, uint64_t number,
                                    uint32_t collective)
{
    uint32_t index = map_find(&c->index_of, order, number);
    if (index != NIL)
        return &c->all.at[index];
    if (c->free.n) {
        index = c->free.at[--c->free.n];
    } else {
        index = (uint32_t)c->all.n;
        (void)LIST_ADD(&c->all);
    }
    struct instance *i = &c->all.at[index];
    i->collective = collective;
    i->root = NIL;
    i->parties.n = 0;
    i->key[0] = order;
    i->key[1] = number;
    map_set(&c->index_of, order, number, index);
    return i;
}

static void take(struct report *r, const struct arrival *arrival, uint32_t collective)
{
    struct instances *all = &r->collectives.instances;
    struct instance *i = instance_of(all, arrival->order, arrival->number, collective);
    if (arrival->root < OTF2_COLLECTIVE_ROOT_THIS_GROUP)
        i->root = arrival->root;
    struct party *party = LIST_ADD(&i->parties);
    *party = arrival->party;
    party->rank = defs_rank(&r->defs, arrival->comm, party->process);
    if (i->parties.n < defs_comm_size(&r->defs, arrival->comm))
        return;
    judge(r, i);
    *LIST_ADD(&all->free) = (uint32_t)(i - all->all.at);
    map_remove(&all->index_of, i->key[0], i->key[1]);
}

void instances_arrive(struct report *r, struct stream *s, const struct arrival *arrival)
{
    if (notes_are_direct(&r->notes))
        take(r, arrival, arrival->collective);
    else
        notes_tell_comm(r, arrival->comm, notes_new(r, s, NOTE_ARRIVAL), arrival, sizeof *arrival);
}

void instances_take(struct report *r, const struct engine_note *note, const void *data)
{
    const struct arrival *a = data;
    take(r, a,
         collectives_of(&r->collectives, a->comm, a->op, a->region,
                        (struct birth){note->time, a->party.location}));
}
