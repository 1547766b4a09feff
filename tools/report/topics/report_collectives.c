/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "format/names.h"
#include "tools/report/topics/report.h"

/* ---- events ---- */

uint32_t collectives_of(struct collectives *c, uint32_t comm, OTF2_CollectiveOp op, uint32_t region,
                        struct birth born)
{
    uint32_t index = map_index(&c->index_of, comm, (uint64_t)op << 32 | region, c->all.n);
    if (index == c->all.n)
        *LIST_ADD(&c->all) = (struct collective){
            .comm = comm, .op = op, .region = region, .culprit = NIL, .born = born};
    return index;
}

static void arrive(struct report *r, struct stream *s, const struct collective_end *end,
                   struct party party)
{
    struct collectives *c = &r->collectives;
    party.process = s->process;
    party.location = s->location;
    party.node = profile_top(s)->node;
    party.end = s->last;
    uint32_t region =
        end->kind == COLLECTIVE_NON_BLOCKING ? NIL : r->profile.nodes.at[party.node].region;
    uint32_t collective = collectives_of(c, end->comm, end->op, region, profile_born(s));
    struct collective *row = &c->all.at[collective];
    sizes_add(r, s, end->comm, SIZE_COLLECTIVE,
              end->sent > end->received ? end->sent : end->received);
    if (report_has(r, s)) {
        row->calls++;
        row->sent += end->sent;
        row->received += end->received;
        row->ticks += party.end - party.begin;
    }

    notes_want_whole(&r->notes, s->process);
    uint64_t order = (uint64_t)end->comm << 2 | end->kind;
    uint32_t count = map_find(&c->count_of, order, s->process);
    count = count == NIL ? 0 : count;
    uint64_t number = gaps_collective(r, s, count);
    if (number == GAPS_UNKNOWN) {
        c->unknown++;
        return;
    }
    map_set(&c->count_of, order, s->process, (uint32_t)(number + 1) & INT32_MAX);
    instances_arrive(r, s,
                     &(struct arrival){.order = order,
                                       .number = number,
                                       .comm = end->comm,
                                       .region = region,
                                       .root = end->root,
                                       .collective = collective,
                                       .op = end->op,
                                       .party = party});
}

void collectives_ended(struct report *r, struct stream *s, const struct collective_end *end)
{
    uint64_t begin = s->stack.n > 1 ? profile_top(s)->enter : s->last;
    if (begin < s->collective_begin)
        begin = s->collective_begin;
    arrive(r, s, end, (struct party){.arrived = begin, .begin = begin});
}

OTF2_CallbackCode collectives_on_begin(MERGED_EVENT)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    s->collective_begin = time;
    tracks_mark_event(r, s);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_end(MERGED_EVENT, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                uint32_t root, uint64_t sent, uint64_t received)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    struct collective_end end = {op,       defs_comm(&r->defs, comm), root, sent,
                                 received, COLLECTIVE_BLOCKING};
    collectives_ended(r, s, &end);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_complete(MERGED_EVENT, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                     uint32_t root, uint64_t sent, uint64_t received,
                                     uint64_t request)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    uint64_t begin = s->stack.n > 1 ? profile_top(s)->enter : time;
    struct collective_end end = {op,       defs_comm(&r->defs, comm), root, sent,
                                 received, COLLECTIVE_NON_BLOCKING};
    arrive(r, s, &end,
           (struct party){.arrived = posts_take(&r->messages.posts, s->process, request, begin),
                          .begin = begin});
    return OTF2_CALLBACK_SUCCESS;
}

void collectives_register(OTF2_GlobalEvtReaderCallbacks *c)
{
    READ(MpiCollectiveBegin, collectives_on_begin);
    READ(MpiCollectiveEnd, on_end);
    READ(NonBlockingCollectiveRequest, messages_on_posted);
    READ(NonBlockingCollectiveComplete, on_complete);
}

void collectives_close(struct report *r)
{
    r->collectives.incomplete = r->collectives.instances.index_of.n;
}

void collectives_finish(struct report *r)
{
    struct collectives *c = &r->collectives;
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
