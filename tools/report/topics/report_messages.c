/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "tools/report/topics/report.h"

uint32_t messages_pair(struct messages *m, uint32_t sender, uint32_t receiver, struct birth born)
{
    uint32_t index = map_index(&m->pair_of, sender, receiver, m->pairs.n);
    if (index == m->pairs.n)
        *LIST_ADD(&m->pairs) = (struct pair){.sender = sender, .receiver = receiver, .born = born};
    return index;
}

void messages_polled(const struct report *r, struct stream *s, const struct frame *frame)
{
    static const char *const asking[] = {"MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status"};
    const char *name = defs_region_name(&r->defs, r->profile.nodes.at[frame->node].region);
    for (size_t i = 0; i < sizeof asking / sizeof asking[0]; i++)
        if (!strncmp(name, asking[i], strlen(asking[i])))
            s->probed = (struct probed){frame->enter, s->last, frame->node};
}

void messages_returned(struct report *r, struct stream *s)
{
    for (size_t i = 0; i < s->open_sends.n; i++)
        matching_return(r, s,
                        &(struct half_returned){.begin = MATCHING_IN_CALL,
                                                .end = s->last,
                                                .location = s->location,
                                                .handle = s->open_sends.at[i]});
    s->open_sends.n = 0;
}

/* ---- events ---- */

struct half {
    uint32_t other; /* rank */
    uint32_t comm;  /* index */
    uint32_t tag;
    uint64_t bytes;
};

/* A message is sent. False: its receiver does not exist. */
static bool send(struct report *r, struct stream *s, const struct half *half, enum send_mode mode,
                 uint32_t *handle)
{
    struct messages *m = &r->messages;
    tracks_mark_event(r, s);
    uint32_t receiver = defs_peer(&r->defs, half->comm, s->process, half->other);
    m->n_sends += !s->is_outside;
    if (receiver == NIL) {
        m->nowhere++;
        return false;
    }
    uint32_t pair = messages_pair(m, s->process, receiver, profile_born(s));
    m->pairs.at[pair].n += !s->is_outside;
    m->pairs.at[pair].bytes += s->is_outside ? 0 : half->bytes;
    struct half_sent sent = {.e = envelope(half->comm, half->tag, s->process, receiver),
                             .location = s->location,
                             .node = profile_top(s)->node,
                             .mode = mode};
    sent.number = gaps_message(r, s, sent.e.what, sent.e.who, 0);
    m->unknown += sent.number == GAPS_UNKNOWN;
    *handle = matching_send(r, s, &sent);
    return true;
}

static void receive(struct report *r, struct stream *s, const struct half *half, uint64_t posted)
{
    struct messages *m = &r->messages;
    uint32_t sender = defs_peer(&r->defs, half->comm, s->process, half->other);
    m->n_receives += !s->is_outside;
    sizes_received(r, s, half->comm, half->bytes);
    if (sender == NIL) {
        m->nowhere++;
        return;
    }
    struct half_received received = {.e = envelope(half->comm, half->tag, sender, s->process),
                                     .posted = posted,
                                     .enter =
                                         s->stack.n > 1 ? profile_top(s)->enter : MATCHING_NO_CALL,
                                     .location = s->location,
                                     .node = profile_top(s)->node,
                                     .probed = s->probed};
    s->probed = (struct probed){0};
    received.number = gaps_message(r, s, received.e.what, received.e.who, 1);
    if (received.number == GAPS_UNKNOWN)
        m->unknown++;
    else
        matching_receive(r, s, &received);
}

static OTF2_CallbackCode on_send(MERGED_EVENT, uint32_t receiver, OTF2_CommRef comm, uint32_t tag,
                                 uint64_t bytes)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    struct half half = {receiver, defs_comm(&r->defs, comm), tag, bytes};
    uint32_t handle;
    sizes_add(r, s, half.comm, SIZE_MESSAGE, bytes);
    if (s->stack.n <= 1)
        (void)send(r, s, &half, SEND_AT_ONCE, &handle);
    else if (send(r, s, &half, SEND_IN_CALL, &handle))
        *LIST_ADD(&s->open_sends) = handle;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_isend(MERGED_EVENT, uint32_t receiver, OTF2_CommRef comm, uint32_t tag,
                                  uint64_t bytes, uint64_t request)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    struct half half = {receiver, defs_comm(&r->defs, comm), tag, bytes};
    uint32_t handle;
    sizes_requested(r, s, request, sizes_add(r, s, half.comm, SIZE_MESSAGE, bytes));
    notes_want_whole(&r->notes, s->process);
    if (send(r, s, &half, SEND_BY_REQUEST, &handle))
        map_set(&r->messages.request_of, s->process, request, handle);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_isend_complete(MERGED_EVENT, uint64_t request)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    uint32_t handle = map_find(&r->messages.request_of, s->process, request);
    notes_want_whole(&r->notes, s->process);
    sizes_completed(r, s, request);
    if (handle == NIL)
        return OTF2_CALLBACK_SUCCESS;
    map_remove(&r->messages.request_of, s->process, request);
    matching_return(r, s,
                    &(struct half_returned){
                        .begin = s->stack.n > 1 ? profile_top(s)->enter : time,
                        .end = time,
                        .location = s->location,
                        .node = profile_top(s)->node,
                        .handle = handle,
                    });
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_recv(MERGED_EVENT, uint32_t sender, OTF2_CommRef comm, uint32_t tag,
                                 uint64_t bytes)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    struct half half = {sender, defs_comm(&r->defs, comm), tag, bytes};
    receive(r, s, &half, s->stack.n > 1 ? profile_top(s)->enter : time);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode messages_on_posted(MERGED_EVENT, uint64_t request)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    tracks_mark_event(r, s);
    notes_want_whole(&r->notes, s->process);
    posts_add(&r->messages.posts, s->process, request, time);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_irecv(MERGED_EVENT, uint32_t sender, OTF2_CommRef comm, uint32_t tag,
                                  uint64_t bytes, uint64_t request)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    struct half half = {sender, defs_comm(&r->defs, comm), tag, bytes};
    notes_want_whole(&r->notes, s->process);
    receive(r, s, &half, posts_take(&r->messages.posts, s->process, request, time));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_cancelled(MERGED_EVENT, uint64_t request)
{
    struct report *r = user;
    const struct stream *s = profile_at(r, location, &time);
    notes_want_whole(&r->notes, s->process);
    posts_take(&r->messages.posts, s->process, request, time);
    map_remove(&r->messages.request_of, s->process, request);
    sizes_cancelled(r, s, request);
    return OTF2_CALLBACK_SUCCESS;
}

void messages_register(OTF2_GlobalEvtReaderCallbacks *c)
{
    READ(MpiSend, on_send);
    READ(MpiIsend, on_isend);
    READ(MpiIsendComplete, on_isend_complete);
    READ(MpiRecv, on_recv);
    READ(MpiIrecvRequest, messages_on_posted);
    READ(MpiIrecv, on_irecv);
    READ(MpiRequestCancelled, on_cancelled);
}
