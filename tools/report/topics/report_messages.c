/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/topics/report.h"

uint32_t messages_pair(struct messages *m, uint32_t sender, uint32_t receiver)
{
    uint32_t index = map_find(&m->pair_of, sender, receiver);
    if (index == NIL) {
        index = (uint32_t)m->pairs.n;
        *LIST_ADD(&m->pairs) = (struct pair){.sender = sender, .receiver = receiver};
        map_set(&m->pair_of, sender, receiver, index);
    }
    return index;
}

/* ---- halves ---- */

static uint32_t new_message(struct messages *m, struct message content)
{
    uint32_t index = match_new(&m->match);
    if (index == m->pool.n)
        (void)LIST_ADD(&m->pool);
    m->pool.at[index] = content;
    return index;
}

/* Its other half is not recorded. Of a send more may be asked. */
static void give_up(struct messages *m, uint32_t index, bool of_receives)
{
    struct message *message = &m->pool.at[index];
    *(of_receives ? &m->unsent : &m->unreceived) += 1;
    if (of_receives || message->is_returned)
        match_free(&m->match, index);
    else
        message->is_matched = true;
}

/*
 * Takes the other half, a receive or not, from those that wait. NIL: `*waits` says whether it may
 * still come. `before`: what is older has a clock that says it is no partner, 0: has not.
 */
static uint32_t take(struct messages *m, struct envelope e, bool of_receives, uint64_t number,
                     uint64_t before, bool *waits)
{
    *waits = true;
    for (;;) {
        uint32_t index = match_oldest(&m->match, e, of_receives);
        if (index == NIL)
            return NIL;
        const struct message *oldest = &m->pool.at[index];
        if (oldest->number > number) {
            *waits = false;
            return NIL;
        }
        match_take(&m->match, e);
        if (oldest->number == number && oldest->sent >= before)
            return index;
        give_up(m, index, of_receives);
    }
}

/* ---- waiting ---- */

/* The part of an interval that is not accounted for yet; it is now. */
static uint64_t account(struct stream *s, uint64_t begin, uint64_t end)
{
    if (begin < s->waited_until)
        begin = s->waited_until;
    if (end <= begin)
        return 0;
    s->waited_until = end;
    return end - begin;
}

/* When everything is known of a message: did its sender wait? */
static void settle(struct report *r, uint32_t index)
{
    struct messages *m = &r->messages;
    const struct message *message = &m->pool.at[index];
    if (!message->is_matched || !message->is_returned)
        return;
    if (message->posted > message->block_begin && message->posted < message->block_end) {
        struct stream *s = &r->profile.streams[message->stream];
        uint64_t waited = account(s, message->block_begin, message->posted);
        struct pair *pair = &m->pairs.at[message->pair];
        if (report_has(r, s)) {
            pair->late_receiver += waited;
            place_add(&pair->longest_receiver, message->posted - waited, message->posted,
                      s->location, r->defs.processes.at[pair->receiver].main);
        }
        if (waited)
            profile_wait(r, message->node, WAIT_RECEIVER, waited);
    }
    match_free(&m->match, index);
}

void messages_returned(struct report *r, struct stream *s)
{
    for (size_t i = 0; i < s->open_sends.n; i++) {
        struct message *message = &r->messages.pool.at[s->open_sends.at[i]];
        message->is_returned = true;
        message->block_end = s->last;
        settle(r, s->open_sends.at[i]);
    }
    s->open_sends.n = 0;
}

/* ---- events ---- */

struct half {
    uint32_t other; /* rank */
    uint32_t comm;  /* index */
    uint32_t tag;
    uint64_t bytes;
};

/* A receive that was read before the send: where records are missing, one clock says that it is of
 * another message.
 */
static uint32_t take_receive(struct report *r, const struct stream *s, struct envelope e,
                             uint32_t receiver, uint64_t number, bool *waits)
{
    struct messages *m = &r->messages;
    bool is_certain = r->gaps.are_there && gaps_have_one_clock(r, s->process, receiver);
    uint32_t index = take(m, e, true, number, is_certain ? s->last : 0, waits);
    if (index != NIL && m->pool.at[index].sent < s->last) {
        m->reversed++;
        m->has_clocks |= !gaps_have_one_clock(r, s->process, receiver);
    }
    return index;
}

/* A message is sent; its index is that of the pool, NIL when its receiver does not exist. */
static uint32_t send(struct report *r, struct stream *s, const struct half *half)
{
    struct messages *m = &r->messages;
    uint32_t receiver = defs_peer(&r->defs, half->comm, s->process, half->other);
    m->n_sends++;
    if (receiver == NIL) {
        m->nowhere++;
        return NIL;
    }
    struct envelope e = envelope(half->comm, half->tag, s->process, receiver);
    uint32_t pair = messages_pair(m, s->process, receiver);
    m->pairs.at[pair].n++;
    m->pairs.at[pair].bytes += half->bytes;
    bool waits = false;
    uint64_t number = gaps_message(r, s, e.what, e.who, 0);
    uint32_t index = number == GAPS_UNKNOWN ? NIL : take_receive(r, s, e, receiver, number, &waits);
    bool is_found = index != NIL;
    if (!is_found)
        index = new_message(m, (struct message){.sent = s->last, .number = number});
    if (!is_found && waits)
        match_wait(&m->match, e, index, false);
    else if (!is_found)
        *(number == GAPS_UNKNOWN ? &m->unknown : &m->unreceived) += 1;
    m->pool.at[index].is_matched = is_found || !waits;
    struct message *message = &m->pool.at[index];
    message->pair = pair;
    message->stream = s->location;
    return index;
}

static void receive(struct report *r, struct stream *s, const struct half *half, uint64_t posted)
{
    struct messages *m = &r->messages;
    uint32_t sender = defs_peer(&r->defs, half->comm, s->process, half->other);
    m->n_receives++;
    if (sender == NIL) {
        m->nowhere++;
        return;
    }
    struct envelope e = envelope(half->comm, half->tag, sender, s->process);
    bool waits = false;
    uint64_t number = gaps_message(r, s, e.what, e.who, 1);
    if (number == GAPS_UNKNOWN) {
        m->unknown++;
        return;
    }
    uint32_t index = take(m, e, false, number, 0, &waits);
    if (index == NIL && !waits)
        m->unsent++;
    if (index == NIL && waits)
        match_wait(
            &m->match, e,
            new_message(m, (struct message){.sent = s->last, .posted = posted, .number = number}),
            true);
    if (index == NIL)
        return;
    struct message *message = &m->pool.at[index];
    message->is_matched = true;
    message->posted = posted;
    if (s->stack.n > 1) {
        uint64_t waited = account(s, profile_top(s)->enter, message->sent);
        struct pair *pair = &m->pairs.at[message->pair];
        if (report_has(r, s)) {
            pair->late_sender += waited;
            place_add(&pair->longest_sender, message->sent - waited, message->sent, s->location,
                      message->stream);
        }
        if (waited)
            profile_wait(r, profile_top(s)->node, WAIT_SENDER, waited);
    }
    settle(r, index);
}

static OTF2_CallbackCode on_send(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                 OTF2_AttributeList *attributes, uint32_t receiver,
                                 OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    struct half half = {receiver, defs_comm(&r->defs, comm), tag, bytes};
    uint32_t index = send(r, s, &half);
    (void)attributes;
    if (index == NIL)
        return OTF2_CALLBACK_SUCCESS;
    struct message *message = &r->messages.pool.at[index];
    message->block_begin = time;
    message->block_end = time;
    message->node = profile_top(s)->node;
    if (s->stack.n > 1) {
        *LIST_ADD(&s->open_sends) = index;
    } else {
        message->is_returned = true;
        settle(r, index);
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_isend(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                  OTF2_AttributeList *attributes, uint32_t receiver,
                                  OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t request)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    struct half half = {receiver, defs_comm(&r->defs, comm), tag, bytes};
    uint32_t index = send(r, s, &half);
    (void)attributes;
    if (index != NIL)
        map_set(&r->messages.request_of, s->process, request, index);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_isend_complete(OTF2_LocationRef location, OTF2_TimeStamp time,
                                           void *user, OTF2_AttributeList *attributes,
                                           uint64_t request)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    uint32_t index = map_find(&r->messages.request_of, s->process, request);
    (void)attributes;
    if (index == NIL)
        return OTF2_CALLBACK_SUCCESS;
    map_remove(&r->messages.request_of, s->process, request);
    struct message *message = &r->messages.pool.at[index];
    message->is_returned = true;
    message->block_begin = s->stack.n > 1 ? profile_top(s)->enter : time;
    message->block_end = time;
    message->node = profile_top(s)->node;
    message->stream = s->location;
    settle(r, index);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_recv(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                 OTF2_AttributeList *attributes, uint32_t sender, OTF2_CommRef comm,
                                 uint32_t tag, uint64_t bytes)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    struct half half = {sender, defs_comm(&r->defs, comm), tag, bytes};
    (void)attributes;
    receive(r, s, &half, s->stack.n > 1 ? profile_top(s)->enter : time);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_irecv_request(OTF2_LocationRef location, OTF2_TimeStamp time,
                                          void *user, OTF2_AttributeList *attributes,
                                          uint64_t request)
{
    struct report *r = user;
    const struct stream *s = profile_at(r, location, &time);
    (void)attributes;
    posts_add(&r->messages.posts, s->process, request, time);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_irecv(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                  OTF2_AttributeList *attributes, uint32_t sender,
                                  OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t request)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    struct half half = {sender, defs_comm(&r->defs, comm), tag, bytes};
    (void)attributes;
    receive(r, s, &half, posts_take(&r->messages.posts, s->process, request, time));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_cancelled(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                      OTF2_AttributeList *attributes, uint64_t request)
{
    struct report *r = user;
    const struct stream *s = profile_at(r, location, &time);
    (void)attributes;
    posts_take(&r->messages.posts, s->process, request, time);
    map_remove(&r->messages.request_of, s->process, request);
    return OTF2_CALLBACK_SUCCESS;
}

#define READ(Name, function) OTF2_GlobalEvtReaderCallbacks_Set##Name##Callback(c, function)

void messages_register(OTF2_GlobalEvtReaderCallbacks *c)
{
    READ(MpiSend, on_send);
    READ(MpiIsend, on_isend);
    READ(MpiIsendComplete, on_isend_complete);
    READ(MpiRecv, on_recv);
    READ(MpiIrecvRequest, on_irecv_request);
    READ(MpiIrecv, on_irecv);
    READ(MpiRequestCancelled, on_cancelled);
}

void messages_finish(struct report *r)
{
    struct messages *m = &r->messages;
    for (size_t i = 0; i < m->match.queues.n; i++) {
        const struct match_queue *queue = &m->match.queues.at[i];
        for (uint32_t at = queue->head; at != NIL; at = m->match.next.at[at])
            *(queue->of_receives ? &m->unsent : &m->unreceived) += 1;
    }
}
