/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "format/names.h"
#include "tools/report/topics/report.h"

/* Who has to wait for whom. */
enum rule { FOR_ALL, FOR_ROOT, ROOT_FOR_ALL, FOR_LOWER, FOR_NOBODY };

static enum rule rule_of(OTF2_CollectiveOp op)
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

/* ---- who waited ---- */

static struct share *share_of(struct collectives *c, uint32_t collective, uint32_t process)
{
    uint32_t index = map_find(&c->share_of, collective, process);
    if (index == NIL) {
        index = (uint32_t)c->shares.n;
        *LIST_ADD(&c->shares) = (struct share){.collective = collective, .process = process};
        map_set(&c->share_of, collective, process, index);
    }
    return &c->shares.at[index];
}

static void waits_for(struct report *r, uint32_t collective, const struct party *party,
                      const struct party *last)
{
    struct collectives *c = &r->collectives;
    uint64_t until = last->arrived < party->end ? last->arrived : party->end;
    if (party->process == last->process || until <= party->begin ||
        !r->is_selected[r->profile.nodes.at[party->node].location])
        return;
    uint64_t ticks = until - party->begin;
    struct collective *row = &c->all.at[collective];
    row->waited += ticks;
    place_add(&row->longest, party->begin, until, r->profile.nodes.at[party->node].location,
              r->profile.nodes.at[last->node].location);
    share_of(c, collective, party->process)->waited += ticks;
    share_of(c, collective, last->process)->caused += ticks;
    profile_wait(r, party->node, WAIT_COLLECTIVE, ticks);
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
    enum rule rule = rule_of(row->op);
    const struct party *root = root_of(i);
    const struct party *last = last_of(i, i->parties.n);
    row->instances++;
    if (rule == FOR_ROOT)
        last = root;
    if (rule == ROOT_FOR_ALL && root)
        waits_for(r, i->collective, root, last);
    if (rule == FOR_ALL || (rule == FOR_ROOT && root))
        for (size_t k = 0; k < i->parties.n; k++)
            waits_for(r, i->collective, &i->parties.at[k], last);
    if (rule != FOR_LOWER)
        return;
    qsort(i->parties.at, i->parties.n, sizeof i->parties.at[0], by_rank);
    last = &i->parties.at[0];
    for (size_t k = 0; k < i->parties.n; k++) {
        if (i->parties.at[k].arrived > last->arrived)
            last = &i->parties.at[k];
        waits_for(r, i->collective, &i->parties.at[k], last);
    }
}

/* ---- events ---- */

static uint32_t collective_of(struct report *r, uint32_t comm, OTF2_CollectiveOp op,
                              uint32_t region)
{
    struct collectives *c = &r->collectives;
    uint32_t index = map_find(&c->index_of, comm, (uint64_t)op << 32 | region);
    if (index == NIL) {
        index = (uint32_t)c->all.n;
        *LIST_ADD(&c->all) =
            (struct collective){.comm = comm, .op = op, .region = region, .culprit = NIL};
        map_set(&c->index_of, comm, (uint64_t)op << 32 | region, index);
    }
    return index;
}

static struct instance *instance_of(struct collectives *c, uint64_t order, uint64_t number,
                                    uint32_t collective)
{
    uint32_t index = map_find(&c->open_of, order, number);
    if (index != NIL)
        return &c->open.at[index];
    if (c->free.n) {
        index = c->free.at[--c->free.n];
    } else {
        index = (uint32_t)c->open.n;
        (void)LIST_ADD(&c->open);
    }
    struct instance *i = &c->open.at[index];
    i->collective = collective;
    i->root = NIL;
    i->parties.n = 0;
    i->key[0] = order;
    i->key[1] = number;
    map_set(&c->open_of, order, number, index);
    return i;
}

static void arrive(struct report *r, struct stream *s, const struct collective_end *end,
                   struct party party)
{
    struct collectives *c = &r->collectives;
    party.process = s->process;
    party.rank = defs_rank(&r->defs, end->comm, s->process);
    party.node = profile_top(s)->node;
    party.end = s->last;
    uint32_t region =
        end->kind == COLLECTIVE_NON_BLOCKING ? NIL : r->profile.nodes.at[party.node].region;
    uint32_t collective = collective_of(r, end->comm, end->op, region);
    struct collective *row = &c->all.at[collective];
    if (report_has(r, s)) {
        row->calls++;
        row->sent += end->sent;
        row->received += end->received;
        row->ticks += party.end - party.begin;
    }

    uint64_t order = (uint64_t)end->comm << 2 | end->kind;
    uint32_t count = map_find(&c->count_of, order, s->process);
    count = count == NIL ? 0 : count;
    uint64_t number = gaps_collective(r, s, count);
    if (number == GAPS_UNKNOWN) {
        c->unknown++;
        return;
    }
    map_set(&c->count_of, order, s->process, (uint32_t)(number + 1) & INT32_MAX);
    struct instance *i = instance_of(c, order, number, collective);
    if (end->root < OTF2_COLLECTIVE_ROOT_THIS_GROUP)
        i->root = end->root;
    *LIST_ADD(&i->parties) = party;
    if (i->parties.n < defs_comm_size(&r->defs, end->comm))
        return;
    judge(r, i);
    *LIST_ADD(&c->free) = (uint32_t)(i - c->open.at);
    map_remove(&c->open_of, i->key[0], i->key[1]);
}

void collectives_ended(struct report *r, struct stream *s, const struct collective_end *end)
{
    uint64_t begin = s->stack.n > 1 ? profile_top(s)->enter : s->last;
    if (begin < s->collective_begin)
        begin = s->collective_begin;
    arrive(r, s, end, (struct party){.arrived = begin, .begin = begin});
}

static OTF2_CallbackCode on_begin(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                  OTF2_AttributeList *attributes)
{
    struct stream *s = profile_at(user, location, &time);
    (void)attributes;
    s->collective_begin = time;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_end(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                OTF2_AttributeList *attributes, OTF2_CollectiveOp op,
                                OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    struct collective_end end = {op,       defs_comm(&r->defs, comm), root, sent,
                                 received, COLLECTIVE_BLOCKING};
    (void)attributes;
    collectives_ended(r, s, &end);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_request(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                    OTF2_AttributeList *attributes, uint64_t request)
{
    struct report *r = user;
    const struct stream *s = profile_at(r, location, &time);
    (void)attributes;
    posts_add(&r->messages.posts, s->process, request, time);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_complete(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                     OTF2_AttributeList *attributes, OTF2_CollectiveOp op,
                                     OTF2_CommRef comm, uint32_t root, uint64_t sent,
                                     uint64_t received, uint64_t request)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    uint64_t begin = s->stack.n > 1 ? profile_top(s)->enter : time;
    struct collective_end end = {op,       defs_comm(&r->defs, comm), root, sent,
                                 received, COLLECTIVE_NON_BLOCKING};
    (void)attributes;
    arrive(r, s, &end,
           (struct party){.arrived = posts_take(&r->messages.posts, s->process, request, begin),
                          .begin = begin});
    return OTF2_CALLBACK_SUCCESS;
}

#define READ(Name, function) OTF2_GlobalEvtReaderCallbacks_Set##Name##Callback(c, function)

void collectives_register(OTF2_GlobalEvtReaderCallbacks *c)
{
    READ(MpiCollectiveBegin, on_begin);
    READ(MpiCollectiveEnd, on_end);
    READ(NonBlockingCollectiveRequest, on_request);
    READ(NonBlockingCollectiveComplete, on_complete);
}

void collectives_finish(struct report *r)
{
    struct collectives *c = &r->collectives;
    c->incomplete = c->open_of.n;
    for (uint32_t i = 0; i < c->shares.n; i++) {
        const struct share *share = &c->shares.at[i];
        uint32_t *culprit = &c->all.at[share->collective].culprit;
        if (share->caused && (*culprit == NIL || share->caused > c->shares.at[*culprit].caused))
            *culprit = i;
    }
}

/* MPI_Ibarrier */
static const char *non_blocking_name(const char *kind)
{
    char *name = make_text("MPI_I%s", kind);
    for (char *c = name + strlen("MPI_I"); *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return name;
}

const char *collective_name(const struct report *r, const struct collective *c)
{
    const char *kind = otf2_enum_name(OTF2_ENUM_CollectiveOp, c->op);
    kind = kind ? kind : "?";
    if (c->region == NIL)
        return non_blocking_name(kind);
    return c->region < REGIONS_OWN ? kind : defs_region_name(&r->defs, c->region);
}
