/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages: a send and a receive with the same envelope belong together, in their order. */
#include "tools/base/event_callbacks.h"
#include "tools/export/export_pass.h"

/* ---- what is told ---- */

static bool has_half(const struct export *x, const struct half *half)
{
    return half->lane && pass_has(x, half->lane, half->time);
}

static void tell(struct export *x, const struct message *message)
{
    if (x->told->message && (has_half(x, &message->send) || has_half(x, &message->receive)))
        x->told->message(x, message);
}

/* A half of a message that otherwise looks like `like`. */
static void add(struct export *x, const struct message *like, const struct half *half,
                bool is_receive)
{
    struct messages *m = &x->messages;
    if (!x->wish.format->half && !x->wish.format->message)
        return;
    struct envelope e = envelope(like->comm, like->tag, like->sender, like->receiver);
    bool is_known = like->sender != NIL && like->receiver != NIL;
    bool is_whole = is_known && match_oldest(&m->match, e, !is_receive) != NIL;
    uint32_t index = is_whole ? match_take(&m->match, e) : match_new(&m->match);
    if (index == m->pool.n)
        (void)LIST_ADD(&m->pool);
    struct message *message = &m->pool.at[index];
    if (!is_whole) {
        *message = *like;
        message->id = ++m->n;
    }
    if (!is_receive)
        message->bytes = like->bytes; /* a receive may tell the length of its buffer */
    *(is_receive ? &message->receive : &message->send) = *half;
    if (x->told->half && has_half(x, half))
        x->told->half(x, message, is_receive);
    if (!is_whole && is_known) {
        match_wait(&m->match, e, index, is_receive);
        return;
    }
    tell(x, message);
    match_free(&m->match, index);
}

static void send(struct export *x, const struct lane *lane, struct message *message,
                 uint32_t receiver)
{
    struct half half = {lane, pass_call(lane), lane->now, lane->now};
    message->sender = lane->process;
    message->receiver = defs_peer(&x->defs, message->comm, lane->process, receiver);
    add(x, message, &half, false);
}

static void receive(struct export *x, const struct lane *lane, struct message *message,
                    uint32_t sender, uint64_t asked)
{
    struct half half = {lane, pass_call(lane), lane->now, asked};
    message->receiver = lane->process;
    message->sender = defs_peer(&x->defs, message->comm, lane->process, sender);
    add(x, message, &half, true);
}

/* ---- events ---- */

static OTF2_CallbackCode on_send(MERGED_EVENT, uint32_t receiver, OTF2_CommRef comm, uint32_t tag,
                                 uint64_t bytes)
{
    struct export *x = user;
    const struct lane *lane = pass_at(x, location, &time);
    struct message message = {.comm = defs_comm(&x->defs, comm), .tag = tag, .bytes = bytes};
    send(x, lane, &message, receiver);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_isend(MERGED_EVENT, uint32_t receiver, OTF2_CommRef comm, uint32_t tag,
                                  uint64_t bytes, uint64_t request)
{
    (void)request;
    return on_send(location, time, user, attributes, receiver, comm, tag, bytes);
}

static OTF2_CallbackCode on_recv(MERGED_EVENT, uint32_t sender, OTF2_CommRef comm, uint32_t tag,
                                 uint64_t bytes)
{
    struct export *x = user;
    const struct lane *lane = pass_at(x, location, &time);
    struct message message = {.comm = defs_comm(&x->defs, comm), .tag = tag, .bytes = bytes};
    receive(x, lane, &message, sender,
            lane->stack.n ? lane->stack.at[lane->stack.n - 1].enter : time);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_irecv_request(MERGED_EVENT, uint64_t request)
{
    struct export *x = user;
    posts_add(&x->messages.posts, pass_at(x, location, &time)->process, request, time);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_irecv(MERGED_EVENT, uint32_t sender, OTF2_CommRef comm, uint32_t tag,
                                  uint64_t bytes, uint64_t request)
{
    struct export *x = user;
    const struct lane *lane = pass_at(x, location, &time);
    struct message message = {.comm = defs_comm(&x->defs, comm), .tag = tag, .bytes = bytes};
    receive(x, lane, &message, sender,
            posts_take(&x->messages.posts, lane->process, request, time));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_cancelled(MERGED_EVENT, uint64_t request)
{
    struct export *x = user;
    const struct lane *lane = pass_at(x, location, &time);
    posts_take(&x->messages.posts, lane->process, request, time);
    if (x->told->point && pass_has(x, lane, time))
        x->told->point(x, lane, time, "MpiRequestCancelled");
    return OTF2_CALLBACK_SUCCESS;
}

void halves_register(OTF2_GlobalEvtReaderCallbacks *c)
{
    READ(MpiSend, on_send);
    READ(MpiIsend, on_isend);
    READ(MpiRecv, on_recv);
    READ(MpiIrecvRequest, on_irecv_request);
    READ(MpiIrecv, on_irecv);
    READ(MpiRequestCancelled, on_cancelled);
}

void halves_finish(struct export *x)
{
    const struct match *m = &x->messages.match;
    for (size_t i = 0; i < m->queues.n; i++)
        for (uint32_t at = m->queues.at[i].head; at != NIL; at = m->next.at[at])
            tell(x, &x->messages.pool.at[at]);
}
