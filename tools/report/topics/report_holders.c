/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/topics/report_holders.h"

#include <stdlib.h>
#include <string.h>

#include "tools/report/topics/report.h"

/* Shorter holds never keep a thread waiting for long: these holds are not compared with waits. */
static const double shortest_s = 1e-6;

/* ---- the local part ---- */

static struct held_now *find_held(struct stream *s, OTF2_Paradigm model, uint32_t id)
{
    for (size_t i = s->held.n; i-- > 0;)
        if (s->held.at[i].id == id && s->held.at[i].model == model)
            return &s->held.at[i];
    return NULL;
}

/*
 * A lock released by another thread stays in the list: if the list is full, the oldest entry gives
 * way.
 */
static void put_held(struct stream *s, struct held_now held)
{
    if (s->held.n == HELD_MOST)
        memmove(s->held.at, s->held.at + 1, (size_t)--s->held.n * sizeof held);
    *LIST_ADD(&s->held) = held;
}

void holders_begin(struct stream *s, OTF2_Paradigm model, uint32_t id)
{
    struct held_now *held = find_held(s, model, id);
    if (held)
        held->depth++;
    else
        put_held(s, (struct held_now){.since = s->last, .model = model, .id = id, .depth = 1});
}

static void spend(struct held_now *held, uint32_t node, uint64_t ticks)
{
    uint32_t i = 0;
    while (i < held->n && held->calls[i].node != node)
        i++;
    if (i == HELD_CALLS) { /* the call with the least gives way */
        i = 0;
        for (uint32_t k = 1; k < HELD_CALLS; k++)
            if (held->calls[k].ticks < held->calls[i].ticks)
                i = k;
        if (held->calls[i].ticks >= ticks)
            return;
        held->calls[i] = (struct held_call){node, 0};
    } else if (i == held->n) {
        held->calls[held->n++] = (struct held_call){node, 0};
    }
    held->calls[i].ticks += ticks;
}

void holders_begin_late(struct stream *s, OTF2_Paradigm model, uint32_t id, uint64_t since)
{
    holders_begin(s, model, id);
    struct held_now *held = find_held(s, model, id);
    if (!held || held->depth > 1)
        return;
    held->since = since;
    for (uint32_t i = s->latest.n > LATEST ? s->latest.n - LATEST : 0; i < s->latest.n; i++) {
        const struct latest_call *call = &s->latest.call[i % LATEST];
        if (call->enter >= since && call->caller <= since)
            spend(held, call->node, call->ticks);
    }
}

struct held_call holders_end(struct stream *s, OTF2_Paradigm model, uint32_t id)
{
    struct held_now *held = find_held(s, model, id);
    struct held_call most = {NIL, 0};
    if (!held || --held->depth)
        return most;
    for (uint32_t i = 0; i < held->n; i++)
        if (held->calls[i].ticks > most.ticks)
            most = held->calls[i];
    struct held_now *end = &s->held.at[--s->held.n];
    memmove(held, held + 1, (size_t)(end - held) * sizeof *held);
    return most;
}

void holders_returned(struct stream *s, const struct frame *frame)
{
    const struct frame *caller = profile_top(s);
    s->latest.call[s->latest.n++ % LATEST] =
        (struct latest_call){frame->enter, caller->enter, s->last - frame->enter - frame->off,
                             frame->node};
    for (size_t i = 0; i < s->held.n; i++)
        if (frame->enter >= s->held.at[i].since && caller->enter <= s->held.at[i].since)
            spend(&s->held.at[i], frame->node, s->last - frame->enter - frame->off);
}

/* ---- the shared part ---- */

static uint32_t holding_of(struct holders *h, uint32_t lock, const struct hold *hold)
{
    uint64_t who = (uint64_t)lock << 32 | hold->location;
    uint64_t where = (uint64_t)hold->region << 32 | hold->site;
    uint32_t index = map_index(&h->index_of, who, where, h->all.n);
    if (index != h->all.n)
        return index;
    *LIST_ADD(&h->all) = (struct lock_use){.lock = lock,
                                           .location = hold->location,
                                           .region = hold->region,
                                           .site = hold->site,
                                           .in_region = NIL,
                                           .in_site = NIL};
    return index;
}

static void add_call(struct lock_use *holding, const struct hold *hold)
{
    bool is_same = hold->in_region == holding->in_region && hold->in_site == holding->in_site;
    if (is_same) {
        holding->in += hold->in;
    } else if (hold->in > holding->in_longest) {
        holding->in_region = hold->in_region;
        holding->in_site = hold->in_site;
        holding->in = hold->in;
    }
    if (hold->in > holding->in_longest)
        holding->in_longest = hold->in;
}

/* Most locks are held for long once, or never. */
static void add_past(struct report *r, uint32_t lock, struct past past)
{
    struct holders *h = &r->locks.holders_of;
    struct lock *l = &r->locks.all.at[lock];
    if (!l->past.until) {
        l->past = past;
        return;
    }
    if (!l->pasts) {
        *LIST_ADD(&h->pasts) = (struct pasts){.next = 1, .n = 1, .at = {l->past}};
        l->pasts = (uint32_t)h->pasts.n;
    }
    struct pasts *pasts = &h->pasts.at[l->pasts - 1];
    pasts->at[pasts->next] = past;
    pasts->next = (pasts->next + 1) % PASTS_MOST;
    pasts->n += pasts->n < PASTS_MOST;
}

void holders_add(struct report *r, uint32_t lock, const struct hold *hold)
{
    struct holders *h = &r->locks.holders_of;
    if (defs_seconds(&r->defs, hold->until - hold->since) < shortest_s)
        return;
    uint32_t index = holding_of(h, lock, hold);
    h->all.at[index].held += hold->until - hold->since;
    if (hold->in)
        add_call(&h->all.at[index], hold);
    add_past(r, lock, (struct past){hold->since, hold->until, index});
}

/*
 * The part of a wait explained by a hold; returns the end of the remaining wait. Holds come in the
 * order of their ends, the last hold first. While several readers hold a lock together, each moment
 * counts for the reader that keeps the lock longest.
 */
static uint64_t block(struct lock_use *use, const struct past *past, uint64_t enter, uint64_t time)
{
    uint64_t from = past->since > enter ? past->since : enter;
    uint64_t to = past->until < time ? past->until : time;
    if (to <= from)
        return time;
    use->blocked += to - from;
    return from;
}

void holders_wait(struct report *r, uint32_t lock, uint32_t location, uint64_t enter, uint64_t time,
                  bool is_known)
{
    struct holders *h = &r->locks.holders_of;
    struct lock *l = &r->locks.all.at[lock];
    uint32_t waiter = map_index(&h->waiter_of, lock, location, l->waiters);
    l->waiters += waiter == l->waiters;
    if (is_known)
        l->divided += time - enter;
    if (!is_known)
        return;
    const struct pasts *pasts = l->pasts ? &h->pasts.at[l->pasts - 1] : NULL;
    const uint32_t n = pasts ? pasts->n : l->past.until != 0;
    for (uint32_t i = 1; i <= n && time > enter; i++) {
        const struct past *past =
            pasts ? &pasts->at[(pasts->next + PASTS_MOST - i) % PASTS_MOST] : &l->past;
        if (h->all.at[past->holding].location != location)
            time = block(&h->all.at[past->holding], past, enter, time);
    }
}

/* ---- the holders' location or place ---- */

/* If the holders are not a single location, they may share a place of the program. */
static void add_places(struct report *r, struct lock_holder *places)
{
    const struct holders *h = &r->locks.holders_of;
    struct map index_of = {0};
    struct lock_holder *all = take_memory((h->all.n + 1) * sizeof *all);
    size_t n = 0;
    for (size_t i = 0; i < h->all.n; i++) {
        const struct lock_use *holding = &h->all.at[i];
        uint64_t where = (uint64_t)holding->region << 32 | holding->site;
        if (!holding->blocked || (holding->site == NIL && holding->region < REGIONS_OWN))
            continue;
        uint32_t index = map_index(&index_of, holding->lock, where, n);
        struct lock_holder *place = &all[index];
        n += index == n;
        if (!place->blocked)
            *place = (struct lock_holder){.location = NIL,
                                          .region = holding->region,
                                          .site = holding->site,
                                          .in_region = NIL,
                                          .in_site = NIL};
        place->held += holding->held;
        place->blocked += holding->blocked;
        if (place->blocked > places[holding->lock].blocked)
            places[holding->lock] = *place;
    }
    free(index_of.slots);
    free(all);
}

void holders_close(struct report *r)
{
    const struct holders *h = &r->locks.holders_of;
    struct lock_holder *places = take_memory((r->locks.all.n + 1) * sizeof *places);
    for (size_t i = 0; i < h->all.n; i++) {
        const struct lock_use *holding = &h->all.at[i];
        struct lock *lock = &r->locks.all.at[holding->lock];
        if (holding->blocked > lock->holder.blocked)
            lock->holder =
                (struct lock_holder){holding->location, holding->region,  holding->site,
                                     holding->held,     holding->blocked, holding->in_region,
                                     holding->in_site,  holding->in};
    }
    add_places(r, places);
    for (size_t i = 0; i < r->locks.all.n; i++) {
        struct lock *lock = &r->locks.all.at[i];
        if (2 * lock->holder.blocked < lock->waited)
            lock->holder =
                2 * places[i].blocked < lock->waited ? (struct lock_holder){0} : places[i];
    }
    free(places);
}

const char *holders_name(const struct report *r, const struct lock *lock)
{
    const struct lock_holder *holder = &lock->holder;
    if (!holder->blocked || holder->location == NIL)
        return "";
    return stands_name(r, holder->location, lock->longest.location - 1);
}

const char *holders_call(const struct report *r, const struct lock_holder *holder)
{
    if (holder->location == NIL || 2 * holder->in < holder->held || !holder->in)
        return "";
    const char *at = holder->in_site == NIL
                         ? ""
                         : make_text(" at %s", defs_site_name(&r->defs, holder->in_site));
    return make_text("%s%s", defs_region_name(&r->defs, holder->in_region), at);
}

void holders_free(struct report *r)
{
    struct holders *h = &r->locks.holders_of;
    free(h->all.at);
    free(h->index_of.slots);
    free(h->pasts.at);
    free(h->waiter_of.slots);
    *h = (struct holders){0};
}
