/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The meaning of events for snapshots: an event opens something, closes something, or both. A known
 * event is a row of `meanings`; snapshots ignore all further events.
 */
#include <inttypes.h>
#include <stdio.h>

#include <otf2/OTF2_GlobalEvtReaderCallbacks.h>

#include "tools/base/complaint.h"
#include "tools/snapshots/snapshots.h"

/* An event with its location. */
struct now {
    struct trace *trace;
    struct location *at;
    enum event_type type;
    enum chain chain; /* chain of the event's record */
    const union cells *cells;
    OTF2_AttributeList *attributes;
};

static struct record *keep(const struct now *now)
{
    return record_add(now->at, now->chain, now->type, now->cells, now->attributes);
}

static void begin_item(const struct now *now)
{
    keep(now);
}

static void warn_unmatched(void)
{
    fputs(PROGRAM ": warning: no matching event found\n", stderr);
}

/* ---- regions, parameters, the mode, metrics ---- */

static void leave(const struct now *now)
{
    struct list *regions = &now->at->chains[CHAIN_REGIONS];
    const struct record *enter = regions->last;
    while (enter && enter->type != EVENT_Enter)
        enter = enter->in_chain.previous;
    if (!enter) {
        warn_unmatched();
        return;
    }
    if (enter->cells.Enter.region != now->cells->Leave.region)
        complaint_fail("location %" PRIu64 ": unbalanced region events", now->at->self);
    bool was_enter = false;
    while (!was_enter) { /* parameters end with their region */
        was_enter = regions->last == enter;
        record_remove(now->at, regions->last);
    }
}

static void replace_mode(const struct now *now)
{
    struct record *before = now->at->chains[CHAIN_MODE].first;
    if (before)
        record_remove(now->at, before);
    keep(now);
}

/*
 * The time stays the time of the first event: the files must be equal to the files of
 * otf2-snapshots.
 */
static void replace_metric(const struct now *now)
{
    union cells cells = *now->cells;
    for (struct record *r = now->at->chains[CHAIN_METRICS].first; r; r = r->in_chain.next)
        if (r->cells.Metric.metric == cells.Metric.metric) {
            cells.origEventTime = r->cells.origEventTime;
            record_remove(now->at, r);
            break;
        }
    record_add(now->at, now->chain, now->type, &cells, now->attributes);
}

/* ---- messages ---- */

/* A message, as seen by both ends. */
struct message {
    const struct location *sender;
    const struct location *receiver;
    uint32_t tag;
    OTF2_CommRef comm;
    uint64_t length;
};

static struct location *peer(const struct now *now, OTF2_CommRef self, uint32_t rank)
{
    const struct comm *comm = trace_comm(now->trace, self);
    return comm ? comm_member(now->trace, comm, rank, now->at) : NULL;
}

/* Sends and receives of both kinds begin with the same cells. */
static struct message sent_message(const struct now *now, struct location *at,
                                   const struct record *record)
{
    const union cells *cells = &record->cells;
    struct now there = *now;
    there.at = at;
    return (struct message){at, peer(&there, cells->MpiSend.communicator, cells->MpiSend.receiver),
                            cells->MpiSend.msgTag, cells->MpiSend.communicator,
                            cells->MpiSend.msgLength};
}

static struct message received_message(const struct now *now, struct location *at,
                                       const struct record *record)
{
    const union cells *cells = &record->cells;
    struct now there = *now;
    there.at = at;
    return (struct message){peer(&there, cells->MpiRecv.communicator, cells->MpiRecv.sender), at,
                            cells->MpiRecv.msgTag, cells->MpiRecv.communicator,
                            cells->MpiRecv.msgLength};
}

static bool is_same(const struct message *a, const struct message *b)
{
    return a->sender && a->receiver && a->sender == b->sender && a->receiver == b->receiver &&
           a->tag == b->tag && a->comm == b->comm && a->length == b->length;
}

static struct record *find_request(const struct location *location, uint64_t request)
{
    for (struct record *r = location->chains[CHAIN_REQUESTS].first; r; r = r->in_chain.next)
        if (r->cells.MpiIrecvRequest.requestID == request)
            return r;
    return NULL;
}

/* Both ends have seen the message: the message and the message's requests are removed. */
static void deliver(struct location *sender, struct record *send, struct location *receiver,
                    struct record *receive)
{
    if (send->partner)
        record_remove(sender, send->partner);
    record_remove(sender, send);
    struct record *request = receive->type == EVENT_MpiIrecv
                                 ? find_request(receiver, receive->cells.MpiIrecv.requestID)
                                 : NULL;
    if (request)
        record_remove(receiver, request);
    record_remove(receiver, receive);
}

/*
 * The send of a message is complete; for a non-blocking send, with the completion of the request.
 */
static void complete_send(const struct now *now, struct record *send)
{
    struct message message = sent_message(now, now->at, send);
    struct location *receiver =
        trace_location(now->trace,
                       message.receiver ? message.receiver->self : OTF2_UNDEFINED_LOCATION);
    if (!receiver)
        return;
    for (struct record *r = receiver->chains[CHAIN_RECEIVES].first; r; r = r->in_chain.next) {
        struct message other = received_message(now, receiver, r);
        if (is_same(&message, &other)) {
            deliver(now->at, send, receiver, r);
            return;
        }
    }
}

static void send(const struct now *now)
{
    complete_send(now, keep(now));
}

static void receive(const struct now *now)
{
    struct record *receive = keep(now);
    struct message message = received_message(now, now->at, receive);
    struct location *sender =
        trace_location(now->trace, message.sender ? message.sender->self : OTF2_UNDEFINED_LOCATION);
    if (!sender)
        return;
    for (struct record *s = sender->chains[CHAIN_SENDS].first; s; s = s->in_chain.next) {
        struct message other = sent_message(now, sender, s);
        if ((s->type == EVENT_MpiSend || s->partner) && is_same(&message, &other)) {
            deliver(sender, s, now->at, receive);
            return;
        }
    }
}

static struct record *find_send(const struct location *location, uint64_t request)
{
    for (struct record *r = location->chains[CHAIN_SENDS].first; r; r = r->in_chain.next)
        if (r->type == EVENT_MpiIsend && !r->partner && r->cells.MpiIsend.requestID == request)
            return r;
    return NULL;
}

static void end_send(const struct now *now)
{
    struct record *completion = keep(now);
    struct record *send = find_send(now->at, now->cells->MpiIsendComplete.requestID);
    if (!send)
        return;
    send->partner = completion;
    completion->partner = send;
    complete_send(now, send);
}

static void cancel(const struct now *now)
{
    uint64_t id = now->cells->MpiRequestCancelled.requestID;
    struct record *request = find_request(now->at, id);
    if (!request)
        request = find_send(now->at, id);
    if (request)
        record_remove(now->at, request);
    else
        warn_unmatched();
}

/* ---- collective operations ---- */

/* When all members have ended their earliest operation, the operation is over. */
static void finish_collective(const struct trace *trace, struct comm *comm, struct location *of)
{
    uint64_t members = comm->group->type == OTF2_GROUP_TYPE_COMM_SELF ? 1 : comm->group->count;
    for (uint64_t rank = 0; rank < members; rank++) {
        struct location *member = comm_member(trace, comm, (uint32_t)rank, of);
        struct record *end = member ? member->chains[CHAIN_ENDS].first : NULL;
        while (end && end->cells.MpiCollectiveEnd.communicator != comm->self)
            end = end->in_chain.next;
        if (!end)
            continue;
        if (end->partner)
            record_remove(member, end->partner);
        record_remove(member, end);
        if (comm->ended && --comm->ended[rank] == 0)
            comm->ranks_ended--;
    }
}

static void end_collective(const struct now *now)
{
    struct record *end = keep(now);
    struct record *begin = now->at->chains[CHAIN_BEGINS].last;
    while (begin && begin->partner)
        begin = begin->in_chain.previous;
    if (begin) {
        begin->partner = end;
        end->partner = begin;
    }
    struct comm *comm = trace_comm(now->trace, now->cells->MpiCollectiveEnd.communicator);
    uint64_t rank;
    if (!comm || !comm->group)
        return;
    if (comm->group->type == OTF2_GROUP_TYPE_COMM_SELF) {
        finish_collective(now->trace, comm, now->at);
        return;
    }
    if (!comm_rank(comm, now->at, &rank))
        return;
    if (comm->ended[rank]++ == 0 && ++comm->ranks_ended == comm->group->count)
        finish_collective(now->trace, comm, now->at);
}

/* ---- OpenMP ---- */

static void close_latest(const struct now *now, struct record *record)
{
    if (record)
        record_remove(now->at, record);
    else
        warn_unmatched();
}

static void join(const struct now *now)
{
    close_latest(now, now->at->chains[CHAIN_FORKS].last);
}

static void release_lock(const struct now *now)
{
    struct record *lock = now->at->chains[CHAIN_LOCKS].last;
    while (lock && lock->cells.OmpAcquireLock.lockID != now->cells->OmpReleaseLock.lockID)
        lock = lock->in_chain.previous;
    close_latest(now, lock);
}

static void end_task(const struct now *now)
{
    static const enum chain chains[] = {CHAIN_TASKS, CHAIN_SWITCHES};
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
        struct record *task = now->at->chains[chains[i]].last;
        /* Both begin with the same cell. */
        while (task && task->cells.OmpTaskCreate.taskID != now->cells->OmpTaskComplete.taskID)
            task = task->in_chain.previous;
        close_latest(now, task);
    }
}

/* ---- the table ---- */

static const struct {
    void (*apply)(const struct now *now);
    enum chain chain;
} meanings[EVENTS + 1] = {
    [EVENT_Enter] = {begin_item, CHAIN_REGIONS},
    [EVENT_Leave] = {leave, CHAIN_REGIONS},
    [EVENT_ParameterString] = {begin_item, CHAIN_REGIONS},
    [EVENT_ParameterInt] = {begin_item, CHAIN_REGIONS},
    [EVENT_ParameterUnsignedInt] = {begin_item, CHAIN_REGIONS},
    [EVENT_MeasurementOnOff] = {replace_mode, CHAIN_MODE},
    [EVENT_Metric] = {replace_metric, CHAIN_METRICS},
    [EVENT_MpiSend] = {send, CHAIN_SENDS},
    [EVENT_MpiIsend] = {begin_item, CHAIN_SENDS},
    [EVENT_MpiIsendComplete] = {end_send, CHAIN_COMPLETIONS},
    [EVENT_MpiIrecvRequest] = {begin_item, CHAIN_REQUESTS},
    [EVENT_MpiRecv] = {receive, CHAIN_RECEIVES},
    [EVENT_MpiIrecv] = {receive, CHAIN_RECEIVES},
    [EVENT_MpiRequestCancelled] = {cancel, CHAIN_REQUESTS},
    [EVENT_MpiCollectiveBegin] = {begin_item, CHAIN_BEGINS},
    [EVENT_MpiCollectiveEnd] = {end_collective, CHAIN_ENDS},
    [EVENT_OmpFork] = {begin_item, CHAIN_FORKS},
    [EVENT_OmpJoin] = {join, CHAIN_FORKS},
    [EVENT_OmpAcquireLock] = {begin_item, CHAIN_LOCKS},
    [EVENT_OmpReleaseLock] = {release_lock, CHAIN_LOCKS},
    [EVENT_OmpTaskCreate] = {begin_item, CHAIN_TASKS},
    [EVENT_OmpTaskSwitch] = {begin_item, CHAIN_SWITCHES},
    [EVENT_OmpTaskComplete] = {end_task, CHAIN_TASKS},
};

bool event_has_meaning(enum event_type type)
{
    return meanings[type].apply;
}

void event_apply(struct trace *trace, struct location *location, enum event_type type,
                 const union cells *cells, OTF2_AttributeList *attributes)
{
    if (!meanings[type].apply)
        return;
    const struct now now = {trace, location, type, meanings[type].chain, cells, attributes};
    meanings[type].apply(&now);
}

/* ---- callbacks ---- */

#include <otf2/otf2_tables_begin.h>
#define PARAMETER(Row, kind, name) , otf2_t_##kind name
#define STORE(Row, kind, name) cells.Row.name = name;
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    static OTF2_CallbackCode on_##Name(OTF2_LocationRef location, OTF2_TimeStamp at, void *data,   \
                                       OTF2_AttributeList *attributes OTF2_SEQ(PARAMETER, Name,    \
                                                                               __VA_ARGS__))       \
    {                                                                                              \
        union cells cells = {.origEventTime = at};                                                 \
        OTF2_SEQ(STORE, Name, __VA_ARGS__)                                                         \
        handle_event(data, location, EVENT_##Name, &cells, attributes);                            \
        return OTF2_CALLBACK_SUCCESS;                                                              \
    }                                                                                              \
    static void set_##Name(OTF2_GlobalEvtReaderCallbacks *callbacks)                               \
    {                                                                                              \
        OTF2_GlobalEvtReaderCallbacks_Set##Name##Callback(callbacks, on_##Name);                   \
    }
#include <otf2/otf2_events.def>
#undef EVENT
#include <otf2/otf2_tables_end.h>

static void (*const setters[EVENTS])(OTF2_GlobalEvtReaderCallbacks *) = {
#define EVENT(Name, ...) set_##Name,
#include <otf2/otf2_events.def>
#undef EVENT
};

static OTF2_CallbackCode on_unknown(OTF2_LocationRef location, OTF2_TimeStamp at, void *data,
                                    OTF2_AttributeList *attributes)
{
    const union cells cells = {.origEventTime = at};
    handle_event(data, location, EVENTS, &cells, attributes);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_GlobalEvtReaderCallbacks *event_callbacks(void)
{
    OTF2_GlobalEvtReaderCallbacks *callbacks = there(OTF2_GlobalEvtReaderCallbacks_New());
    for (size_t i = 0; i < EVENTS; i++)
        setters[i](callbacks);
    OTF2_GlobalEvtReaderCallbacks_SetUnknownCallback(callbacks, on_unknown);
    return callbacks;
}
