/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/compare/compare_rank.h"
#include "tools/base/event_callbacks.h"

/* ---- time ---- */

static bool is_in_mpi(const struct rank *k)
{
    return k->is_in_mpi.n && k->is_in_mpi.at[k->is_in_mpi.n - 1];
}

bool rank_counts(const struct rank *k)
{
    return k->has_begun && !k->has_ended && !is_in_mpi(k);
}

void rank_advance(struct rank *k, uint64_t time)
{
    uint64_t from = k->last > k->begin ? k->last : k->begin;
    uint64_t to = time < k->end ? time : k->end;
    if (rank_counts(k) && to > from)
        k->ideal += to - from;
    k->last = time > k->last ? time : k->last;
}

static void go_on(void *user, uint32_t rank, uint64_t ideal)
{
    struct pass *p = user;
    struct rank *k = &p->ranks.at[rank];
    k->ideal = ideal > k->ideal ? ideal : k->ideal;
    k->is_waiting = false;
    *LIST_ADD(&p->next) = rank;
}

/* An event that makes the rank depend on others, or others on it: NULL where that is of no use. */
static struct rank *party(void *user, uint64_t time)
{
    struct rank *k = user;
    rank_advance(k, time);
    counting_at(&k->counting, false);
    return k->has_begun && !k->has_ended && !k->pass->why_not ? k : NULL;
}

static OTF2_CallbackCode wait(struct rank *k)
{
    k->is_waiting = true;
    return OTF2_CALLBACK_INTERRUPT;
}

/* ---- regions ---- */

static OTF2_CallbackCode enter(struct rank *k, uint64_t time, uint32_t index)
{
    const struct region *region = &k->pass->r->defs.regions.at[index];
    bool did_count = rank_counts(k);
    rank_advance(k, time);
    *LIST_ADD(&k->is_in_mpi) = index >= REGIONS_OWN && region->paradigm == OTF2_PARADIGM_MPI;
    if (k->is_framed && region->meaning == REGION_MPI_END && time == k->end) {
        k->counting.is_unknown |= did_count && !k->counting.has_just_read;
        k->has_ended = true;
    }
    counting_at(&k->counting, did_count != rank_counts(k));
    return k->has_ended ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode leave(struct rank *k, uint64_t time, uint32_t index)
{
    const struct region *region = &k->pass->r->defs.regions.at[index];
    bool did_count = rank_counts(k);
    rank_advance(k, time);
    if (k->is_in_mpi.n)
        k->is_in_mpi.n--;
    if (region->meaning == REGION_MPI_BEGIN && time == k->begin)
        k->has_begun = true;
    counting_at(&k->counting, did_count != rank_counts(k));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_enter(LOCAL_EVENT, OTF2_RegionRef region)
{
    struct rank *k = user;
    return enter(k, time, defs_region(&k->pass->r->defs, region));
}

static OTF2_CallbackCode on_leave(LOCAL_EVENT, OTF2_RegionRef region)
{
    struct rank *k = user;
    return leave(k, time, defs_region(&k->pass->r->defs, region));
}

static OTF2_CallbackCode on_context_enter(LOCAL_EVENT, OTF2_CallingContextRef context,
                                          uint32_t distance)
{
    struct rank *k = user;
    uint32_t index = defs_context(&k->pass->r->defs, context);
    (void)distance;
    uint32_t region = index == NIL ? REGION_PROGRAM : k->pass->r->defs.contexts.at[index].region;
    return enter(k, time, region);
}

static OTF2_CallbackCode on_context_leave(LOCAL_EVENT, OTF2_CallingContextRef context)
{
    struct rank *k = user;
    uint32_t index = defs_context(&k->pass->r->defs, context);
    uint32_t region = index == NIL ? REGION_PROGRAM : k->pass->r->defs.contexts.at[index].region;
    return leave(k, time, region);
}

/* ---- messages ---- */

static void send(struct rank *k, uint32_t receiver, OTF2_CommRef id, uint32_t tag)
{
    struct pass *p = k->pass;
    uint32_t comm = defs_comm(&p->r->defs, id);
    uint32_t to = defs_peer(&p->r->defs, comm, k->process, receiver);
    if (to != NIL)
        deps_send(&p->deps, envelope(comm, tag, k->process, to), k->ideal, go_on, p);
}

static OTF2_CallbackCode receive(struct rank *k, uint32_t sender, OTF2_CommRef id, uint32_t tag)
{
    struct pass *p = k->pass;
    uint32_t comm = defs_comm(&p->r->defs, id);
    uint32_t from = defs_peer(&p->r->defs, comm, k->process, sender);
    uint64_t until;
    if (from == NIL)
        return OTF2_CALLBACK_SUCCESS;
    if (!deps_receive(&p->deps, envelope(comm, tag, from, k->process), k->index, &until))
        return wait(k);
    k->ideal = until > k->ideal ? until : k->ideal;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_send(LOCAL_EVENT, uint32_t receiver, OTF2_CommRef comm, uint32_t tag,
                                 uint64_t bytes)
{
    struct rank *k = party(user, time);
    (void)bytes;
    if (k)
        send(k, receiver, comm, tag);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_isend(LOCAL_EVENT, uint32_t receiver, OTF2_CommRef comm, uint32_t tag,
                                  uint64_t bytes, uint64_t request)
{
    (void)request;
    return on_send(location, time, position, user, attributes, receiver, comm, tag, bytes);
}

static OTF2_CallbackCode on_receive(LOCAL_EVENT, uint32_t sender, OTF2_CommRef comm, uint32_t tag,
                                    uint64_t bytes)
{
    struct rank *k = party(user, time);
    (void)bytes;
    return k ? receive(k, sender, comm, tag) : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_irecv(LOCAL_EVENT, uint32_t sender, OTF2_CommRef comm, uint32_t tag,
                                  uint64_t bytes, uint64_t request)
{
    (void)request;
    return on_receive(location, time, position, user, attributes, sender, comm, tag, bytes);
}

/* ---- collective operations ---- */

/* A part that began then; why nobody knows what it needs, NULL: it is known. */
static OTF2_CallbackCode meet(struct rank *k, const struct collective_end *end, uint64_t begin)
{
    struct pass *p = k->pass;
    struct defs *d = &p->r->defs;
    struct deps_part part = {.order = (uint64_t)end->comm << 2 | end->kind,
                             .begin = begin,
                             .rank = k->index,
                             .process = k->process,
                             .member = defs_rank(d, end->comm, k->process),
                             .size = defs_comm_size(d, end->comm),
                             .root = end->root,
                             .rule = instance_rule(end->op)};
    uint64_t until;
    if (d->comms.at[end->comm].is_inter || part.member >= part.size) {
        p->why_not = "collective operations between two groups of ranks";
        return OTF2_CALLBACK_SUCCESS;
    }
    if (!deps_meet(&p->deps, &part, &until, go_on, p))
        return wait(k);
    k->ideal = until > k->ideal ? until : k->ideal;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_collective(LOCAL_EVENT, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                       uint32_t root, uint64_t sent, uint64_t received)
{
    struct rank *k = party(user, time);
    if (!k)
        return OTF2_CALLBACK_SUCCESS;
    struct collective_end end = {op,       defs_comm(&k->pass->r->defs, comm),
                                 root,     sent,
                                 received, COLLECTIVE_BLOCKING};
    return meet(k, &end, k->ideal);
}

static OTF2_CallbackCode on_rma_collective(LOCAL_EVENT, OTF2_CollectiveOp op,
                                           OTF2_RmaSyncLevel level, OTF2_RmaWinRef window,
                                           uint32_t root, uint64_t sent, uint64_t received)
{
    struct rank *k = party(user, time);
    (void)level;
    if (!k)
        return OTF2_CALLBACK_SUCCESS;
    struct collective_end end = {op,       defs_window_comm(&k->pass->r->defs, window),
                                 root,     sent,
                                 received, COLLECTIVE_RMA};
    return meet(k, &end, k->ideal);
}

/* A non-blocking operation: what it is, is known when it completes, behind what others need. */
static OTF2_CallbackCode on_request(LOCAL_EVENT, uint64_t request)
{
    struct rank *k = party(user, time);
    if (k)
        posts_add(&k->pass->deps.posts, k->process, request, k->ideal);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_complete(LOCAL_EVENT, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                     uint32_t root, uint64_t sent, uint64_t received,
                                     uint64_t request)
{
    struct rank *k = party(user, time);
    if (!k)
        return OTF2_CALLBACK_SUCCESS;
    struct collective_end end = {op,       defs_comm(&k->pass->r->defs, comm),
                                 root,     sent,
                                 received, COLLECTIVE_NON_BLOCKING};
    return meet(k, &end, posts_take(&k->pass->deps.posts, k->process, request, k->ideal));
}

/* Whose end depends on others in a way that the records do not tell. */
static OTF2_CallbackCode one_sided(struct rank *k)
{
    if (k)
        k->pass->why_not = "one-sided operations that do not end in a fence";
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group_sync(LOCAL_EVENT, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window,
                                       OTF2_GroupRef group)
{
    (void)level, (void)window, (void)group;
    return one_sided(party(user, time));
}

static OTF2_CallbackCode on_lock(LOCAL_EVENT, OTF2_RmaWinRef window, uint32_t remote, uint64_t id,
                                 OTF2_LockType type)
{
    (void)window, (void)remote, (void)id, (void)type;
    return one_sided(party(user, time));
}

static OTF2_CallbackCode on_wait_change(LOCAL_EVENT, OTF2_RmaWinRef window)
{
    (void)window;
    return one_sided(party(user, time));
}

/* ---- counters ---- */

static OTF2_CallbackCode on_metric(LOCAL_EVENT, OTF2_MetricRef metric, uint8_t n,
                                   const OTF2_Type *types, const OTF2_MetricValue *values)
{
    struct rank *k = user;
    uint32_t class = defs_class(&k->pass->r->defs, metric);
    if (class != NIL)
        counting_take(&k->counting, &k->pass->counters, k->pass->r, class, n, types, values,
                      rank_counts(k));
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_EvtReaderCallbacks *rank_callbacks(void)
{
    OTF2_EvtReaderCallbacks *c = there(OTF2_EvtReaderCallbacks_New());
    READ_LOCAL(Enter, on_enter);
    READ_LOCAL(Leave, on_leave);
    READ_LOCAL(CallingContextEnter, on_context_enter);
    READ_LOCAL(CallingContextLeave, on_context_leave);
    READ_LOCAL(MpiSend, on_send);
    READ_LOCAL(MpiIsend, on_isend);
    READ_LOCAL(MpiRecv, on_receive);
    READ_LOCAL(MpiIrecv, on_irecv);
    READ_LOCAL(MpiCollectiveEnd, on_collective);
    READ_LOCAL(NonBlockingCollectiveRequest, on_request);
    READ_LOCAL(NonBlockingCollectiveComplete, on_complete);
    READ_LOCAL(RmaCollectiveEnd, on_rma_collective);
    READ_LOCAL(RmaGroupSync, on_group_sync);
    READ_LOCAL(RmaAcquireLock, on_lock);
    READ_LOCAL(RmaRequestLock, on_lock);
    READ_LOCAL(RmaTryLock, on_lock);
    READ_LOCAL(RmaWaitChange, on_wait_change);
    READ_LOCAL(Metric, on_metric);
    return c;
}
