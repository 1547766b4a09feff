/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/topics/report.h"
#include "tools/report/topics/report_messages.h"

static void count(struct report *r, struct stream *s, uint32_t window, uint32_t remote,
                  uint64_t bytes)
{
    uint32_t comm = defs_window_comm(&r->defs, window);
    sizes_add(r, s, comm, SIZE_ONE_SIDED, bytes);
    uint32_t target = defs_peer(&r->defs, comm, s->process, remote);
    if (target == NIL) {
        r->messages.nowhere++;
        return;
    }
    uint32_t pair = messages_pair(&r->messages, s->process, target, profile_born(s));
    r->messages.pairs.at[pair].rma += !s->is_outside;
    r->messages.pairs.at[pair].rma_bytes += s->is_outside ? 0 : bytes;
}

/* A copy of a device is no message. */
static OTF2_CallbackCode access(struct report *r, struct stream *s, OTF2_RmaWinRef window,
                                uint32_t remote, uint64_t bytes, bool is_put)
{
    struct device_event event;
    if (s->watch.what != WATCH_STREAM) {
        count(r, s, window, remote, bytes);
        return OTF2_CALLBACK_SUCCESS;
    }
    uint32_t peer = defs_peer(&r->defs, defs_window_comm(&r->defs, window), s->process, remote);
    if (watch_copy(&s->watch, &r->defs, is_put, peer, bytes, &event))
        notes_tell_device(r, s, event);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_put(MERGED_EVENT, OTF2_RmaWinRef window, uint32_t remote,
                                uint64_t bytes, uint64_t id)
{
    (void)id;
    return access(user, profile_at(user, location, &time), window, remote, bytes, true);
}

static OTF2_CallbackCode on_get(MERGED_EVENT, OTF2_RmaWinRef window, uint32_t remote,
                                uint64_t bytes, uint64_t id)
{
    (void)id;
    return access(user, profile_at(user, location, &time), window, remote, bytes, false);
}

static OTF2_CallbackCode on_atomic(MERGED_EVENT, OTF2_RmaWinRef window, uint32_t remote,
                                   OTF2_RmaAtomicType type, uint64_t sent, uint64_t received,
                                   uint64_t id)
{
    (void)type, (void)id;
    count(user, profile_at(user, location, &time), window, remote, sent + received);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_end(MERGED_EVENT, OTF2_CollectiveOp op, OTF2_RmaSyncLevel level,
                                OTF2_RmaWinRef window, uint32_t root, uint64_t sent,
                                uint64_t received)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    struct collective_end end = {op,       defs_window_comm(&r->defs, window),
                                 root,     sent,
                                 received, COLLECTIVE_RMA};
    (void)level;
    collectives_ended(r, s, &end);
    return OTF2_CALLBACK_SUCCESS;
}

void rma_register(OTF2_GlobalEvtReaderCallbacks *c)
{
    READ(RmaPut, on_put);
    READ(RmaGet, on_get);
    READ(RmaAtomic, on_atomic);
    READ(RmaCollectiveBegin, collectives_on_begin);
    READ(RmaCollectiveEnd, on_end);
}
