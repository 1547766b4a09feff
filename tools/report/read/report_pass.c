/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/read/report_pass.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/progress.h"
#include "tools/report/causes/causes_replay.h"
#include "tools/report/read/report_join.h"
#include "tools/report/topics/report.h"

enum { EVENTS_EACH = 1 << 18 }; /* fewer are read faster than a worker begins */

/* The state common to all workers, filled by the first worker. */
struct pass {
    struct report *r;
    const struct archive *archive;
    const OTF2_GlobalEvtReaderCallbacks *callbacks;
    uint32_t *worker_of;   /* by process: owner of the state of the process */
    uint32_t *location_of; /* by location: worker that reads the location */
    bool *is_split;        /* by process: its worker reads only part of its locations */
    uint32_t *order;       /* by location: place by id; decides between equal times */
    bool is_odd;
};

/* A worker. */
struct pass_worker {
    struct pass *pass;
    struct report report;
    struct archive archive;
    LIST(struct part) parts; /* the worker's own, and the joined parts of the workers behind */
    struct sizes sizes;      /* sum over all parts */
};

/* ---- distribution of locations to workers ---- */

/* The units to deal: a process with its devices, or one location of a process that may be split. */
struct units {
    uint64_t *sizes;
    size_t n;
    uint32_t *unit_of; /* by location */
};

/*
 * Whether a process may be split. Workers do not tell each other the MPI state of a process:
 * requests, and the order of collective operations. Nor do workers tell each other the numbers of
 * messages if messages are missing, or the wait in which a location was last seen.
 */
static bool may_split(const struct report *r, uint32_t process)
{
    return r->defs.processes.at[process].rank == NIL && !r->gaps.are_there &&
           r->defs.stands[STAND_OPEN] == NIL;
}

static struct units make_units(const struct report *r, bool splits)
{
    const struct defs *d = &r->defs;
    uint32_t *of_process = take_memory(d->processes.n * sizeof *of_process);
    struct units u = {.sizes = take_memory(d->locations.n * sizeof *u.sizes),
                      .unit_of = take_memory(d->locations.n * sizeof *u.unit_of)};
    for (size_t i = 0; i < d->locations.n; i++) {
        const uint32_t process = defs_owner(d, (uint32_t)i);
        bool is_single = splits && may_split(r, process);
        if (is_single || !of_process[process])
            of_process[process] = (uint32_t)++u.n;
        u.unit_of[i] = of_process[process] - 1;
        u.sizes[u.unit_of[i]] += d->locations.at[i].n_events + 1;
    }
    free(of_process);
    return u;
}

static void free_units(const struct units *u)
{
    free(u->sizes);
    free(u->unit_of);
}

/*
 * The worker for the unit of each location; returns the largest number of events that a worker has
 * to read.
 */
static uint64_t deal_units(const struct report *r, bool splits, unsigned workers, uint32_t *of)
{
    struct units u = make_units(r, splits);
    uint32_t *owner = take_memory(u.n * sizeof *owner);
    uint64_t most = engine_deal(u.sizes, u.n, workers, owner);
    for (size_t i = 0; i < r->defs.locations.n; i++)
        of[i] = owner[u.unit_of[i]];
    free(owner);
    free_units(&u);
    return most;
}

/*
 * Gives all locations of a process to one worker, unless the remaining workers then have too little
 * to read.
 */
static void deal(struct pass *p, unsigned workers)
{
    const struct defs *d = &p->r->defs;
    uint32_t *apart = take_memory(d->locations.n * sizeof *apart);
    p->worker_of = take_memory(d->processes.n * sizeof *p->worker_of);
    p->is_split = take_memory(d->processes.n * sizeof *p->is_split);
    p->location_of = take_memory(d->locations.n * sizeof *p->location_of);
    uint64_t whole = deal_units(p->r, false, workers, p->location_of);
    uint64_t single = deal_units(p->r, true, workers, apart);
    if (whole > single && whole - single > single / 32)
        memcpy(p->location_of, apart, d->locations.n * sizeof *apart);
    for (size_t i = d->locations.n; i-- > 0;)
        p->worker_of[d->locations.at[i].process] = p->location_of[i];
    for (size_t i = 0; i < d->locations.n; i++) {
        const uint32_t process = d->locations.at[i].process, owner = defs_owner(d, (uint32_t)i);
        p->is_split[process] |= p->location_of[i] != p->worker_of[process];
        p->is_split[owner] |= p->location_of[i] != p->worker_of[owner];
    }
    free(apart);
}

unsigned pass_workers(const struct report *r, const struct archive *a, unsigned asked_for)
{
    struct engine_how how = {.workers = asked_for};
    if (!asked_for) {
        struct units u = make_units(r, true);
        uint64_t worth = archive_events(a) / EVENTS_EACH + 1;
        uint64_t most = engine_processors();
        worth = worth < u.n ? worth : u.n;
        worth = worth < most ? worth : most;
        how.workers = worth ? (unsigned)worth : 1;
        free_units(&u);
    }
    return engine_workers(&how);
}

struct place_by_id {
    uint64_t id;
    uint32_t location;
};

static int by_id(const void *a, const void *b)
{
    const struct place_by_id *x = a;
    const struct place_by_id *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static void put_in_order(struct pass *p)
{
    const struct defs *d = &p->r->defs;
    struct place_by_id *all = take_memory(d->locations.n * sizeof *all);
    p->order = take_memory(d->locations.n * sizeof *p->order);
    for (uint32_t i = 0; i < d->locations.n; i++)
        all[i] = (struct place_by_id){d->locations.at[i].id, i};
    if (d->locations.n)
        qsort(all, d->locations.n, sizeof *all, by_id);
    for (uint32_t i = 0; i < d->locations.n; i++)
        p->order[all[i].location] = i;
    free(all);
}

/* ---- a worker ---- */

static void *begin(void *context, struct engine *engine)
{
    struct pass *p = context;
    struct pass_worker *w = take_memory(sizeof *w);
    w->pass = p;
    w->report.path = p->r->path;
    w->report.defs = defs_borrow(&p->r->defs);
    w->report.is_selected = p->r->is_selected;
    w->report.is_part = p->r->is_part;
    w->report.has_window = p->r->has_window;
    w->report.from = p->r->from;
    w->report.to = p->r->to;
    w->report.gaps.are_there = p->r->gaps.are_there;
    w->report.gaps.has_all_messages = p->r->gaps.has_all_messages;
    w->report.tracks.budget = p->r->tracks.budget;
    w->report.tracks.is_over = p->r->tracks.is_over;
    w->report.tracks.has_ranks = p->r->tracks.has_ranks;
    w->report.tracks.has_roles = p->r->tracks.has_roles;
    w->report.notes = (struct notes){.engine = engine,
                                     .worker_of = p->worker_of,
                                     .location_of = p->location_of,
                                     .is_split = p->is_split,
                                     .order = p->order};
    profile_init(&w->report);
    archive_open_part(&w->archive, p->archive, &w->report.defs, p->location_of, engine->rank);
    archive_begin(&w->archive, p->callbacks, &w->report);
    return w;
}

static bool read_on(void *state, uint64_t most, uint64_t *n)
{
    struct pass_worker *w = state;
    *n = archive_step(&w->archive, most);
    return *n == most && !w->archive.trouble && !w->report.defs.has_unknown &&
           !w->report.notes.wants_whole;
}

static uint64_t reached(const void *state)
{
    const struct pass_worker *w = state;
    const struct stream *s = w->report.profile.last_stream;
    return s ? s->last : 0;
}

static void take(void *state, const struct engine_note *note, const void *data)
{
    struct pass_worker *w = state;
    notes_take(&w->report, note, data);
}

/* The events, or the notes of a stage, are all there. */
static void end(void *state, unsigned stage)
{
    struct pass_worker *w = state;
    struct report *r = &w->report;
    if (stage == 0) {
        archive_end(&w->archive);
        archive_close(&w->archive);
        r->trouble = w->archive.trouble;
        r->n_events = w->archive.n_events;
        r->notes.is_at_end = true;
        metrics_finish(r);
        memory_sites_finish(r);
        profile_close(r);
        stands_close(r);
    } else if (stage == 1) {
        matching_finish(r);
        collectives_close(r);
        holders_close(r);
    }
}

static void meet(void *state)
{
    struct pass_worker *w = state;
    matching_account(&w->report);
    replay_run(&w->report);
}

/* The part's rows of sizes have the same meaning on all workers: one row serves all. */
static void sum_sizes(struct pass_worker *w, struct part *part)
{
    sizes_join(&w->sizes, part->sizes.at, part->sizes.n);
    part->sizes.n = 0;
}

static void take_own(struct pass_worker *w)
{
    if (w->parts.n)
        return;
    part_take(LIST_ADD(&w->parts), &w->report);
    sum_sizes(w, &w->parts.at[0]);
}

/* The first part gets the sums. */
static void take_sums(struct pass_worker *w)
{
    struct part *own = &w->parts.at[0];
    free(own->sizes.at);
    memcpy(&own->sizes, &w->sizes.all, sizeof own->sizes);
    memset(&w->sizes.all, 0, sizeof w->sizes.all);
}

static void give(void *state, struct engine_bytes *bytes)
{
    struct pass_worker *w = state;
    take_own(w);
    take_sums(w);
    for (size_t i = 0; i < w->parts.n; i++)
        part_pack(&w->parts.at[i], engine_is_shared(w->report.notes.engine), bytes);
}

static void join(void *state, const void *bytes, size_t n)
{
    struct pass_worker *w = state;
    bool is_shared = engine_is_shared(w->report.notes.engine);
    take_own(w);
    for (size_t at = 0; at < n;) {
        struct part *part = LIST_ADD(&w->parts);
        at += part_unpack(part, is_shared, (const char *)bytes + at);
        sum_sizes(w, part);
    }
}

static void forget_streams(struct report *r)
{
    for (size_t i = 0; i < r->defs.locations.n; i++) {
        free(r->profile.streams[i].stack.at);
        free(r->profile.streams[i].open_sends.at);
        free(r->profile.streams[i].teams.at);
        free(r->profile.streams[i].seats.at);
        free(r->profile.streams[i].forks.at);
        free(r->profile.streams[i].sizes.at);
        free(r->profile.streams[i].held.at);
        free(r->profile.streams[i].touched.at);
    }
    free(r->profile.streams);
    free(r->profile.shorts);
}

static void free_all(void *const all[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(all[i]);
}

static void forget_messages(struct report *r)
{
    void *const all[] = {
        r->messages.pair_of.slots,
        r->messages.matching.pool.at,
        r->messages.matching.match.next.at,
        r->messages.matching.match.queues.at,
        r->messages.matching.match.queue_of.slots,
        r->messages.matching.held.at,
        r->messages.request_of.slots,
        r->messages.posts.index_of.slots,
        r->sizes.index_of.slots,
        r->sizes.request_of.slots,
        r->messages.posts.times.at,
        r->messages.posts.free.at,
        r->messages.sent.at,
        r->messages.free.at,
    };
    for (size_t i = 0; i < r->messages.matching.held.n; i++)
        free(r->messages.matching.held.at[i].messages.at);
    free_all(all, sizeof all / sizeof all[0]);
}

/* Frees the memory that part_take() has not taken. */
static void forget(struct report *r)
{
    void *const all[] = {
        r->profile.child_of.slots,
        r->profile.wait_of.slots,
        r->profile.away_of.slots,
        r->profile.chain.at,
        r->profile.before.at,
        r->profile.flush_of.at,
        r->collectives.index_of.slots,
        r->collectives.share_of.slots,
        r->collectives.count_of.slots,
        r->collectives.instances.index_of.slots,
        r->teams.crews.at,
        r->teams.current.slots,
        r->teams.region_of.slots,
        r->locks.index_of.slots,
        r->locks.holder_of.slots,
        r->files.index_of.slots,
        r->files.open_of.slots,
        r->files.open.at,
        r->accesses.index_of.slots,
        r->storms.index_of.slots,
        r->accesses.positions.at,
        r->accesses.position_of.slots,
        r->memory_sites.index_of.slots,
        r->memory_sites.path_of.slots,
        r->metrics.index_of.slots,
        r->metrics.value_of.slots,
        r->metrics.values.at,
        r->gaps.count_of.slots,
        r->gaps.counts.at,
    };
    holders_free(r);
    devices_forget(&r->devices);
    free_all(all, sizeof all / sizeof all[0]);
    forget_messages(r);
    forget_streams(r);
}

static void finish(void *state)
{
    struct pass_worker *w = state;
    struct pass *p = w->pass;
    if (!w->report.notes.engine->rank) {
        take_own(w);
        take_sums(w);
        for (size_t i = 0; i < w->parts.n; i++) {
            part_see_tracks(&w->parts.at[i]);
            p->is_odd |= w->parts.at[i].numbers.is_odd;
        }
        if (!p->is_odd)
            join_parts(p->r, w->parts.at, w->parts.n, &w->report.notes);
    }
    for (size_t i = 0; i < w->parts.n; i++)
        part_free(&w->parts.at[i]);
    free(w->parts.at);
    free(w->sizes.index_of.slots);
    forget(&w->report);
    defs_give_back(&w->report.defs);
    free(w);
}

bool pass_run(struct report *r, const struct archive *a,
              const OTF2_GlobalEvtReaderCallbacks *callbacks, const struct engine_how *how)
{
    static const struct engine_analysis analysis = {
        .n_stages = 2,
        .begin = begin,
        .read = read_on,
        .reached = reached,
        .take = take,
        .end = end,
        .meet = meet,
        .give = give,
        .join = join,
        .finish = finish,
    };
    struct pass p = {.r = r, .archive = a, .callbacks = callbacks};
    deal(&p, engine_workers(how));
    put_in_order(&p);
    defs_share(&r->defs);
    progress_begin(a->has_progress ? archive_events(a) : 0);
    engine_run(&analysis, &p, how);
    progress_end();
    defs_unshare(&r->defs);
    free(p.worker_of);
    free(p.is_split);
    free(p.location_of);
    free(p.order);
    return !p.is_odd;
}
