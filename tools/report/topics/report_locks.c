/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "tools/report/topics/report.h"

/* ---- the shared part: by the worker of the lock ---- */

#define NO_CALL UINT64_MAX

/* An event of a location with a lock. */
struct lock_event {
    uint64_t time;
    uint64_t call;     /* see struct frame */
    uint64_t enter;    /* of the call; NO_CALL: no call */
    uint64_t sequence; /* of the location's notes */
    uint32_t location;
    uint32_t process;
    uint32_t node; /* of the call; in a note, region and site replace the node */
    uint32_t region;
    uint32_t site;
    uint32_t id;
    OTF2_Paradigm model;
    bool is_release;
    bool has_released; /* the call, before */
    bool is_outside;   /* of the window */
    bool is_told;      /* no event: the location holds the lock since `time`, from `site` */
    uint64_t in;       /* a release: the longest call since the acquisition */
    uint32_t in_node;
    uint32_t in_region;
    uint32_t in_site;
};

/* `note`: the note that brought the event; NULL: all of the process is here. */
static uint32_t lock_of(struct report *r, const struct engine_note *note,
                        const struct lock_event *e)
{
    struct locks *l = &r->locks;
    uint64_t owner = (uint64_t)e->process << 8 | e->model;
    uint32_t index = map_find(&l->index_of, owner, e->id);
    if (index == NIL) {
        const struct node *call = note || e->is_told ? NULL : &r->profile.nodes.at[e->node];
        index = (uint32_t)l->all.n;
        *LIST_ADD(&l->all) = (struct lock){
            .process = e->process,
            .model = e->model,
            .id = e->id,
            .region = call ? call->region : e->region,
            .site = call ? call->site : e->site,
            .releaser = NIL,
            .born = {e->time, e->location},
            .sequence = e->sequence,
        };
        map_set(&l->index_of, owner, e->id, index);
    }
    return index;
}

/* Without a note, `node` is a node of the present worker. A note brings the region and the site. */
static void set_call(const struct report *r, const struct engine_note *note, uint32_t node,
                     uint32_t *region, uint32_t *site)
{
    if (note || node == NIL)
        return;
    *region = r->profile.nodes.at[node].region;
    *site = r->profile.nodes.at[node].site;
}

static void hold(const struct report *r, struct locks *l, const struct engine_note *note,
                 uint32_t lock, const struct lock_event *e)
{
    uint32_t index = map_find(&l->holder_of, lock, e->location);
    if (index != NIL) {
        l->holders.at[index].depth += !e->is_told && !l->holders.at[index].is_told;
        l->holders.at[index].is_told &= e->is_told;
        return;
    }
    if (l->free_holder) {
        index = l->free_holder - 1;
        l->free_holder = l->holders.at[index].next_free;
    } else {
        index = (uint32_t)l->holders.n;
        (void)LIST_ADD(&l->holders);
    }
    struct holder *holder = &l->holders.at[index];
    *holder = (struct holder){
        .is_told = e->is_told, .since = e->time, .depth = 1, .region = e->region, .site = e->site};
    if (!e->is_told)
        set_call(r, note, e->node, &holder->region, &holder->site);
    map_set(&l->holder_of, lock, e->location, index);
}

/* Only acquisitions that waited are recorded: the thread that releases the lock is unknown. */
static bool has_waited(const struct report *r, const struct lock_event *e)
{
    return e->model == OTF2_PARADIGM_PTHREAD && r->defs.processes.at[e->process].is_of_waits;
}

/* A location has waited for a lock; teams want to know. */
struct lock_wait {
    uint64_t ticks;
    uint32_t location;
    uint32_t process;
};

void locks_take_wait(struct report *r, const void *data)
{
    const struct lock_wait *w = data;
    r->profile.streams[w->location].in_locks += w->ticks;
}

static void tell_wait(struct report *r, const struct engine_note *note, const struct lock_wait *w)
{
    if (!note) {
        locks_take_wait(r, w);
        return;
    }
    struct engine_note told = *note;
    told.kind = NOTE_LOCK_WAIT;
    told.stage = 2;
    told.steps[1] = 1;
    notes_tell_process(r, w->process, told, w, sizeof *w);
}

static void tell_each(const struct report *r, uint32_t lock, const struct lock_event *e)
{
    if (r->listener)
        r->listener->thread_wait(r, &(struct single_thread_wait){
                                        .begin = e->enter,
                                        .end = e->time,
                                        .ticks = e->time - e->enter,
                                        .call = e->call,
                                        .location = e->location,
                                        .comm = NIL,
                                        .holder =
                                            has_waited(r, e) ? NIL : r->locks.all.at[lock].releaser,
                                        .lock = lock,
                                    });
}

static void end_hold(struct report *r, struct locks *l, uint32_t index, uint32_t at,
                     struct hold *whole)
{
    struct lock *lock = &l->all.at[index];
    const struct holder *holder = &l->holders.at[at];
    whole->since = holder->since;
    whole->region = holder->region;
    whole->site = holder->site;
    holders_add(r, index, whole);
    lock->released = whole->until;
    lock->releaser = whole->location;
    map_remove(&l->holder_of, index, whole->location);
    l->holders.at[at].next_free = l->free_holder;
    l->free_holder = at + 1;
}

/*
 * A location declared as the holder has released the lock without a record, before a further
 * location gets the lock.
 */
static void end_told(struct report *r, uint32_t index, const struct lock_event *e)
{
    struct locks *l = &r->locks;
    struct lock *lock = &l->all.at[index];
    const uint32_t location = lock->told - 1;
    if (!lock->told || location == e->location)
        return;
    lock->told = 0;
    const uint32_t at = map_find(&l->holder_of, index, location);
    if (at != NIL && l->holders.at[at].is_told)
        end_hold(r, l, index, at,
                 &(struct hold){
                     .until = e->time, .location = location, .in_region = NIL, .in_site = NIL});
}

static void take_told(struct report *r, const struct engine_note *note, const struct lock_event *e)
{
    struct locks *l = &r->locks;
    const uint32_t index = lock_of(r, note, e);
    hold(r, l, note, index, e);
    l->all.at[index].told = e->location + 1;
}

static void take_acquisition(struct report *r, const struct engine_note *note,
                             const struct lock_event *e)
{
    struct locks *l = &r->locks;
    uint32_t index = lock_of(r, note, e);
    end_told(r, index, e);
    hold(r, l, note, index, e);
    struct lock *lock = &l->all.at[index];
    if (!r->is_selected[e->location] || e->is_outside)
        return;
    lock->acquisitions++;
    if (e->enter == NO_CALL)
        return;
    if (e->has_released) {
        lock->conditions++;
    } else if ((lock->releaser != NIL && lock->releaser != e->location &&
                lock->released > e->enter) ||
               has_waited(r, e)) {
        uint64_t waited = e->time - e->enter;
        lock->contended++;
        lock->waited += waited;
        place_add(&lock->longest, e->enter, e->time, e->location,
                  lock->releaser == NIL ? e->location : lock->releaser);
        holders_wait(r, index, e->location, e->enter, e->time, !has_waited(r, e));
        tell_each(r, index, e);
        tell_wait(r, note, &(struct lock_wait){waited, e->location, e->process});
        profile_wait_at(r, e->location, e->node, WAIT_LOCK, waited);
    }
}

static void take_release(struct report *r, const struct engine_note *note,
                         const struct lock_event *e)
{
    struct locks *l = &r->locks;
    uint32_t index = lock_of(r, note, e);
    struct lock *lock = &l->all.at[index];
    uint32_t at = map_find(&l->holder_of, index, e->location);
    if (at == NIL || --l->holders.at[at].depth)
        return;
    uint64_t held = e->time - l->holders.at[at].since;
    struct hold whole = {.until = e->time,
                         .location = e->location,
                         .in_region = e->in_region,
                         .in_site = e->in_site,
                         .in = e->in};
    set_call(r, note, e->in ? e->in_node : NIL, &whole.in_region, &whole.in_site);
    end_hold(r, l, index, at, &whole);
    if (r->is_selected[e->location] && !e->is_outside) {
        lock->held += held;
        lock->holds++;
        if (held > lock->longest_held)
            lock->longest_held = held;
    }
}

static inline void take(struct report *r, const struct engine_note *note,
                        const struct lock_event *e)
{
    if (e->is_told)
        take_told(r, note, e);
    else if (e->is_release)
        take_release(r, note, e);
    else
        take_acquisition(r, note, e);
}

void locks_take(struct report *r, const struct engine_note *note, const void *data)
{
    take(r, note, data);
}

/* ---- the local part ---- */

static inline void tell(struct report *r, struct stream *s, OTF2_Paradigm model, uint32_t id,
                        bool is_release)
{
    struct frame *call = profile_top(s);
    struct lock_event e = {
        .time = s->last,
        .call = call->call,
        .enter = s->stack.n > 1 ? call->enter : NO_CALL,
        .location = s->location,
        .process = s->process,
        .node = call->node,
        .id = id,
        .model = model,
        .is_release = is_release,
        .is_outside = s->is_outside,
        .has_released = call->has_released,
    };
    if (is_release && s->stack.n > 1)
        call->has_released = true;
    if (!is_release && s->told.is_own && s->told.lock == id) {
        holders_begin_late(s, model, id, s->told.since);
        s->told.is_own = false;
    } else if (!is_release) {
        holders_begin(s, model, id);
    } else {
        struct held_call most = holders_end(s, model, id);
        e.in = most.ticks;
        e.in_node = most.node;
    }
    if (notes_are_whole(&r->notes, s->process)) {
        e.sequence = s->n_notes++;
        take(r, NULL, &e);
    } else {
        struct engine_note note = notes_new(r, s, NOTE_LOCK);
        const struct node *node = &r->profile.nodes.at[e.node];
        e.sequence = note.sequence;
        e.region = node->region;
        e.site = node->site;
        e.in_region = e.in ? r->profile.nodes.at[e.in_node].region : NIL;
        e.in_site = e.in ? r->profile.nodes.at[e.in_node].site : NIL;
        notes_tell_lock(r, s->process, (uint64_t)model << 32 | id, note, &e, sizeof e);
    }
}

void locks_told(struct report *r, struct stream *s, uint32_t parameter, uint64_t value,
                const OTF2_AttributeList *attributes)
{
    enum { PROCESS_SHIFT = 32 };
    const uint64_t process = r->defs.locations.at[s->location].id >> PROCESS_SHIFT;
    if (parameter == r->defs.held_lock && parameter != NIL)
        s->told.lock = value;
    else if (parameter == r->defs.held_since && parameter != NIL)
        s->told.since = value;
    if (parameter != r->defs.held_by || parameter == NIL)
        return;
    struct lock_event e = {
        .time = s->told.since,
        .location = defs_location(&r->defs, process << PROCESS_SHIFT | value),
        .process = s->process,
        .node = profile_top(s)->node,
        .region = r->profile.nodes.at[profile_top(s)->node].region,
        .site = defs_site_in(&r->defs, attributes),
        .id = (uint32_t)s->told.lock,
        .model = OTF2_PARADIGM_PTHREAD,
        .is_told = true,
    };
    if (e.location == NIL)
        return;
    s->told.is_own = e.location == s->location;
    if (notes_are_whole(&r->notes, s->process)) {
        e.sequence = s->n_notes++;
        take(r, NULL, &e);
    } else {
        struct engine_note note = notes_new(r, s, NOTE_LOCK);
        e.sequence = note.sequence;
        notes_tell_lock(r, s->process, (uint64_t)e.model << 32 | e.id, note, &e, sizeof e);
    }
}

/* ---- the end ---- */

/* A lock without records has a row of its own. */
static struct lock *counted_lock(struct report *r, struct map *index_of,
                                 const struct counted_lock *counted)
{
    const uint32_t n = (uint32_t)r->locks.all.n;
    const uint32_t index = map_index(index_of, counted->process, counted->id, n);
    if (index == n)
        *LIST_ADD(&r->locks.all) = (struct lock){.process = counted->process,
                                                 .model = OTF2_PARADIGM_PTHREAD,
                                                 .id = counted->id,
                                                 .region = NIL,
                                                 .site = NIL,
                                                 .releaser = NIL};
    return &r->locks.all.at[index];
}

void locks_count(struct report *r)
{
    struct map index_of = {0};
    for (size_t i = 0; i < r->locks.all.n; i++)
        if (r->locks.all.at[i].model == OTF2_PARADIGM_PTHREAD)
            map_set(&index_of, r->locks.all.at[i].process, r->locks.all.at[i].id, (uint32_t)i);
    for (size_t i = 0; i < r->defs.counted.n; i++) {
        const struct counted_lock *counted = &r->defs.counted.at[i];
        struct lock *lock = counted_lock(r, &index_of, counted);
        lock->counted = counted->acquisitions;
        lock->signals = counted->signals;
        lock->counters = counted->threads;
        lock->kind = counted->kind;
    }
    free(index_of.slots);
}

static OTF2_CallbackCode on_acquire(MERGED_EVENT, OTF2_Paradigm model, uint32_t id, uint32_t order)
{
    (void)order;
    tell(user, profile_at(user, location, &time), model, id, false);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_release(MERGED_EVENT, OTF2_Paradigm model, uint32_t id, uint32_t order)
{
    (void)order;
    tell(user, profile_at(user, location, &time), model, id, true);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_old_acquire(MERGED_EVENT, uint32_t id, uint32_t order)
{
    return on_acquire(location, time, user, attributes, OTF2_PARADIGM_OPENMP, id, order);
}

static OTF2_CallbackCode on_old_release(MERGED_EVENT, uint32_t id, uint32_t order)
{
    return on_release(location, time, user, attributes, OTF2_PARADIGM_OPENMP, id, order);
}

void locks_register(OTF2_GlobalEvtReaderCallbacks *c)
{
    READ(ThreadAcquireLock, on_acquire);
    READ(ThreadReleaseLock, on_release);
    READ(OmpAcquireLock, on_old_acquire);
    READ(OmpReleaseLock, on_old_release);
}
