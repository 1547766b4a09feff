/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages: a send and a receive with the same envelope belong together, in their order. */
#include "tools/export/export_pass.h"

/* ---- requests ---- */

static void post(struct messages *m, uint32_t process, uint64_t request, uint64_t time)
{
    uint32_t index = map_find(&m->posted_of, process, request);
    if (index == NIL && m->free_posts.n) {
        index = m->free_posts.at[--m->free_posts.n];
    } else if (index == NIL) {
        index = (uint32_t)m->posts.n;
        (void)LIST_ADD(&m->posts);
    }
    m->posts.at[index] = time;
    map_set(&m->posted_of, process, request, index);
}

static uint64_t posted(struct messages *m, uint32_t process, uint64_t request, uint64_t otherwise)
{
    uint32_t index = map_find(&m->posted_of, process, request);
    if (index == NIL)
        return otherwise;
    map_remove(&m->posted_of, process, request);
    *LIST_ADD(&m->free_posts) = index;
    return m->posts.at[index];
}

/* ---- queues of halves ---- */

static uint32_t new_message(struct messages *m)
{
    uint32_t index = m->free;
    if (index) {
        index--;
        m->free = m->pool.at[index].next;
    } else {
        index = (uint32_t)m->pool.n;
        (void)LIST_ADD(&m->pool);
    }
    m->pool.at[index] = (struct message){.id = ++m->n, .next = NIL};
    return index;
}

static void free_message(struct messages *m, uint32_t index)
{
    m->pool.at[index] = (struct message){.next = m->free};
    m->free = index + 1;
}

static uint64_t what_of(const struct message *message)
{
    return (uint64_t)message->comm << 32 | message->tag;
}

static uint64_t who_of(const struct message *message)
{
    return (uint64_t)message->sender << 32 | message->receiver;
}

static void append(struct messages *m, uint32_t index, bool is_receive)
{
    const struct message *message = &m->pool.at[index];
    uint32_t at = map_find(&m->queue_of, what_of(message), who_of(message));
    if (at != NIL) {
        struct queue *queue = &m->queues.at[at];
        m->pool.at[queue->tail].next = index;
        queue->tail = index;
        return;
    }
    at = m->free_queue;
    if (at) {
        at--;
        m->free_queue = m->queues.at[at].next_free;
    } else {
        at = (uint32_t)m->queues.n;
        (void)LIST_ADD(&m->queues);
    }
    m->queues.at[at] = (struct queue){index, index, is_receive, 0};
    map_set(&m->queue_of, what_of(message), who_of(message), at);
}

/* Takes the oldest that has the other half only. NIL: none. */
static uint32_t take(struct messages *m, const struct message *like, bool is_receive)
{
    uint32_t at = map_find(&m->queue_of, what_of(like), who_of(like));
    if (at == NIL || m->queues.at[at].of_receives == is_receive)
        return NIL;
    struct queue *queue = &m->queues.at[at];
    uint32_t index = queue->head;
    queue->head = m->pool.at[index].next;
    if (queue->head == NIL) {
        map_remove(&m->queue_of, what_of(like), who_of(like));
        *queue = (struct queue){.head = NIL, .next_free = m->free_queue};
        m->free_queue = at + 1;
    }
    return index;
}

/* ---- what is told ---- */

static bool has_half(const struct export *x, const struct half *half)
{
    return half->lane && pass_has(x, half->lane, half->time);
}

static void tell(struct export *x, const struct message *message)
{
    if (x->wish.format->message && (has_half(x, &message->send) || has_half(x, &message->receive)))
        x->wish.format->message(x, message);
}

/* A half of a message that otherwise looks like `like`. */
static void add(struct export *x, const struct message *like, const struct half *half,
                bool is_receive)
{
    struct messages *m = &x->messages;
    bool is_known = like->sender != NIL && like->receiver != NIL;
    uint32_t index = is_known ? take(m, like, is_receive) : NIL;
    bool is_whole = index != NIL;
    if (!is_whole) {
        index = new_message(m);
        struct message *message = &m->pool.at[index];
        uint64_t id = message->id;
        *message = *like;
        message->id = id;
        message->next = NIL;
    }
    struct message *message = &m->pool.at[index];
    *(is_receive ? &message->receive : &message->send) = *half;
    if (x->wish.format->half && has_half(x, half))
        x->wish.format->half(x, message, is_receive);
    if (!is_whole && is_known) {
        append(m, index, is_receive);
        return;
    }
    tell(x, message);
    free_message(m, index);
}

static void send(struct export *x, const struct lane *lane, struct message *message,
                 uint32_t receiver)
{
    struct half half = {lane, pass_call(lane), lane->last, lane->last};
    message->sender = lane->process;
    message->receiver = defs_peer(&x->defs, message->comm, lane->process, receiver);
    add(x, message, &half, false);
}

static void receive(struct export *x, const struct lane *lane, struct message *message,
                    uint32_t sender, uint64_t asked)
{
    struct half half = {lane, pass_call(lane), lane->last, asked};
    message->receiver = lane->process;
    message->sender = defs_peer(&x->defs, message->comm, lane->process, sender);
    add(x, message, &half, true);
}

/* ---- events ---- */

static OTF2_CallbackCode on_send(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                 OTF2_AttributeList *attributes, uint32_t receiver,
                                 OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
    struct export *x = user;
    const struct lane *lane = pass_at(x, location, &time);
    struct message message = {.comm = defs_comm(&x->defs, comm), .tag = tag, .bytes = bytes};
    (void)attributes;
    send(x, lane, &message, receiver);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_isend(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                  OTF2_AttributeList *attributes, uint32_t receiver,
                                  OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t request)
{
    (void)request;
    return on_send(location, time, user, attributes, receiver, comm, tag, bytes);
}

static OTF2_CallbackCode on_recv(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                 OTF2_AttributeList *attributes, uint32_t sender, OTF2_CommRef comm,
                                 uint32_t tag, uint64_t bytes)
{
    struct export *x = user;
    const struct lane *lane = pass_at(x, location, &time);
    struct message message = {.comm = defs_comm(&x->defs, comm), .tag = tag, .bytes = bytes};
    (void)attributes;
    receive(x, lane, &message, sender,
            lane->stack.n ? lane->stack.at[lane->stack.n - 1].enter : time);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_irecv_request(OTF2_LocationRef location, OTF2_TimeStamp time,
                                          void *user, OTF2_AttributeList *attributes,
                                          uint64_t request)
{
    struct export *x = user;
    (void)attributes;
    post(&x->messages, pass_at(x, location, &time)->process, request, time);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_irecv(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                  OTF2_AttributeList *attributes, uint32_t sender,
                                  OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t request)
{
    struct export *x = user;
    const struct lane *lane = pass_at(x, location, &time);
    struct message message = {.comm = defs_comm(&x->defs, comm), .tag = tag, .bytes = bytes};
    (void)attributes;
    receive(x, lane, &message, sender, posted(&x->messages, lane->process, request, time));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_cancelled(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                      OTF2_AttributeList *attributes, uint64_t request)
{
    struct export *x = user;
    const struct lane *lane = pass_at(x, location, &time);
    (void)attributes;
    posted(&x->messages, lane->process, request, time);
    if (x->wish.format->point && pass_has(x, lane, time))
        x->wish.format->point(x, lane, time, "MpiRequestCancelled");
    return OTF2_CALLBACK_SUCCESS;
}

#define READ(Name, function) OTF2_GlobalEvtReaderCallbacks_Set##Name##Callback(c, function)

void messages_register(OTF2_GlobalEvtReaderCallbacks *c)
{
    READ(MpiSend, on_send);
    READ(MpiIsend, on_isend);
    READ(MpiRecv, on_recv);
    READ(MpiIrecvRequest, on_irecv_request);
    READ(MpiIrecv, on_irecv);
    READ(MpiRequestCancelled, on_cancelled);
}

void messages_finish(struct export *x)
{
    struct messages *m = &x->messages;
    for (size_t i = 0; i < m->queues.n; i++)
        for (uint32_t at = m->queues.at[i].head; at != NIL; at = m->pool.at[at].next)
            tell(x, &m->pool.at[at]);
}
