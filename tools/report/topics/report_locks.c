/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/topics/report.h"

static uint32_t lock_of(struct report *r, const struct stream *s, OTF2_Paradigm model, uint32_t id)
{
    struct locks *l = &r->locks;
    uint64_t owner = (uint64_t)s->process << 8 | model;
    uint32_t index = map_find(&l->index_of, owner, id);
    if (index == NIL) {
        index = (uint32_t)l->all.n;
        *LIST_ADD(&l->all) = (struct lock){
            .process = s->process,
            .model = model,
            .id = id,
            .region = r->profile.nodes.at[profile_top(s)->node].region,
            .site = r->profile.nodes.at[profile_top(s)->node].site,
            .releaser = NIL,
            .born = profile_born(s),
        };
        map_set(&l->index_of, owner, id, index);
    }
    return index;
}

static void hold(struct locks *l, uint32_t lock, const struct stream *s)
{
    uint32_t index = map_find(&l->holder_of, lock, s->location);
    if (index != NIL) {
        l->holders.at[index].depth++;
        return;
    }
    if (l->free_holder) {
        index = l->free_holder - 1;
        l->free_holder = l->holders.at[index].next_free;
    } else {
        index = (uint32_t)l->holders.n;
        (void)LIST_ADD(&l->holders);
    }
    l->holders.at[index] = (struct holder){s->last, 1, 0};
    map_set(&l->holder_of, lock, s->location, index);
}

static void acquire(struct report *r, uint64_t location, uint64_t time, OTF2_Paradigm model,
                    uint32_t id)
{
    struct stream *s = profile_at(r, location, &time);
    struct locks *l = &r->locks;
    uint32_t index = lock_of(r, s, model, id);
    struct lock *lock = &l->all.at[index];
    const struct frame *call = profile_top(s);
    hold(l, index, s);
    if (report_has(r, s))
        lock->acquisitions++;
    if (s->stack.n <= 1 || !report_has(r, s))
        return;
    if (call->has_released) {
        lock->conditions++;
    } else if (lock->releaser != NIL && lock->releaser != s->location &&
               lock->released > call->enter) {
        uint64_t waited = time - call->enter;
        lock->contended++;
        lock->waited += waited;
        place_add(&lock->longest, call->enter, time, s->location, lock->releaser);
        s->in_locks += waited;
        profile_wait(r, call->node, WAIT_LOCK, waited);
    }
}

static void release(struct report *r, uint64_t location, uint64_t time, OTF2_Paradigm model,
                    uint32_t id)
{
    struct stream *s = profile_at(r, location, &time);
    struct locks *l = &r->locks;
    uint32_t index = lock_of(r, s, model, id);
    struct lock *lock = &l->all.at[index];
    if (s->stack.n > 1)
        profile_top(s)->has_released = true;
    uint32_t at = map_find(&l->holder_of, index, s->location);
    if (at == NIL || --l->holders.at[at].depth)
        return;
    uint64_t held = time - l->holders.at[at].since;
    if (report_has(r, s)) {
        lock->held += held;
        if (held > lock->longest_held)
            lock->longest_held = held;
    }
    lock->released = time;
    lock->releaser = s->location;
    map_remove(&l->holder_of, index, s->location);
    l->holders.at[at].next_free = l->free_holder;
    l->free_holder = at + 1;
}

static OTF2_CallbackCode on_acquire(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                    OTF2_AttributeList *attributes, OTF2_Paradigm model,
                                    uint32_t id, uint32_t order)
{
    (void)attributes, (void)order;
    acquire(user, location, time, model, id);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_release(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                    OTF2_AttributeList *attributes, OTF2_Paradigm model,
                                    uint32_t id, uint32_t order)
{
    (void)attributes, (void)order;
    release(user, location, time, model, id);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_old_acquire(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                        OTF2_AttributeList *attributes, uint32_t id, uint32_t order)
{
    return on_acquire(location, time, user, attributes, OTF2_PARADIGM_OPENMP, id, order);
}

static OTF2_CallbackCode on_old_release(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                        OTF2_AttributeList *attributes, uint32_t id, uint32_t order)
{
    return on_release(location, time, user, attributes, OTF2_PARADIGM_OPENMP, id, order);
}

#define READ(Name, function) OTF2_GlobalEvtReaderCallbacks_Set##Name##Callback(c, function)

void locks_register(OTF2_GlobalEvtReaderCallbacks *c)
{
    READ(ThreadAcquireLock, on_acquire);
    READ(ThreadReleaseLock, on_release);
    READ(OmpAcquireLock, on_old_acquire);
    READ(OmpReleaseLock, on_old_release);
}
