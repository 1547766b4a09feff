/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/read/report_pass.h"

#include <stdlib.h>

#include "tools/base/progress.h"
#include "tools/report/read/report_join.h"
#include "tools/report/topics/report.h"

enum { EVENTS_EACH = 1 << 18 }; /* fewer are read faster than a worker begins */

/* What all workers see, and the first one fills. */
struct pass {
    struct report *r;
    const struct archive *archive;
    const OTF2_GlobalEvtReaderCallbacks *callbacks;
    uint32_t *worker_of;   /* by process */
    uint32_t *location_of; /* by location: the worker */
    uint32_t *order;       /* by location: its place by id, which decides between equal times */
    bool is_odd;
};

/* A worker. */
struct pass_worker {
    struct pass *pass;
    struct report report;
    struct archive archive;
    LIST(struct part) parts; /* of the others, on the first one */
};

unsigned pass_workers(const struct archive *a, unsigned asked_for)
{
    struct engine_how how = {.workers = asked_for};
    uint64_t worth = archive_events(a) / EVENTS_EACH + 1;
    worth = worth < a->defs->processes.n ? worth : a->defs->processes.n;
    unsigned n = asked_for ? asked_for : engine_processors();
    how.workers = !asked_for && worth < n ? (unsigned)worth : n;
    how.workers = how.workers ? how.workers : 1;
    return engine_workers(&how);
}

/* ---- who reads what ---- */

/* What a process has to itself is known to its worker alone, so this gets all its locations. */
static void deal(struct pass *p, unsigned workers)
{
    const struct defs *d = &p->r->defs;
    uint64_t *sizes = take_memory(d->processes.n * sizeof *sizes);
    p->worker_of = take_memory(d->processes.n * sizeof *p->worker_of);
    p->location_of = take_memory(d->locations.n * sizeof *p->location_of);
    for (size_t i = 0; i < d->locations.n; i++)
        sizes[d->locations.at[i].process] += d->locations.at[i].n_events + 1;
    engine_deal(sizes, d->processes.n, workers, p->worker_of);
    for (size_t i = 0; i < d->locations.n; i++)
        p->location_of[i] = p->worker_of[d->locations.at[i].process];
    free(sizes);
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
    w->report.gaps.are_there = p->r->gaps.are_there;
    w->report.gaps.has_all_messages = p->r->gaps.has_all_messages;
    w->report.tracks.budget = p->r->tracks.budget;
    w->report.tracks.is_over = p->r->tracks.is_over;
    w->report.notes =
        (struct notes){.engine = engine, .worker_of = p->worker_of, .order = p->order};
    profile_init(&w->report);
    archive_open_part(&w->archive, p->archive, &w->report.defs, p->location_of, engine->rank);
    archive_begin(&w->archive, p->callbacks, &w->report);
    return w;
}

static bool read_on(void *state, uint64_t most, uint64_t *n)
{
    struct pass_worker *w = state;
    *n = archive_step(&w->archive, most);
    return *n == most && !w->archive.trouble && !w->report.defs.has_unknown;
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
        profile_close(r);
        stands_close(r);
    } else if (stage == 1) {
        matching_finish(r);
        collectives_close(r);
    }
}

static void give(void *state, struct engine_bytes *bytes)
{
    struct pass_worker *w = state;
    struct part part = {0};
    part_take(&part, &w->report);
    part_pack(&part, bytes);
    part_free(&part);
}

static void join(void *state, const void *bytes, size_t n)
{
    struct pass_worker *w = state;
    part_unpack(LIST_ADD(&w->parts), bytes, n);
}

/* What part_take() has not taken. */
static void forget(struct report *r)
{
    void *const all[] = {
        r->profile.child_of.slots,
        r->profile.wait_of.slots,
        r->profile.away_of.slots,
        r->profile.chain.at,
        r->profile.before.at,
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
        r->collectives.index_of.slots,
        r->collectives.share_of.slots,
        r->collectives.count_of.slots,
        r->collectives.instances.index_of.slots,
        r->teams.current.slots,
        r->teams.region_of.slots,
        r->locks.index_of.slots,
        r->locks.holder_of.slots,
        r->files.index_of.slots,
        r->files.open_of.slots,
        r->metrics.index_of.slots,
        r->metrics.value_of.slots,
        r->metrics.values.at,
        r->gaps.count_of.slots,
        r->gaps.counts.at,
    };
    for (size_t i = 0; i < r->messages.matching.held.n; i++)
        free(r->messages.matching.held.at[i].messages.at);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]);
    for (size_t i = 0; i < r->defs.locations.n; i++) {
        free(r->profile.streams[i].stack.at);
        free(r->profile.streams[i].open_sends.at);
        free(r->profile.streams[i].sizes.at);
        free(r->profile.streams[i].touched.at);
    }
    free(r->profile.streams);
}

static void finish(void *state)
{
    struct pass_worker *w = state;
    struct pass *p = w->pass;
    if (!w->report.notes.engine->rank) {
        struct part own = {0};
        part_take(&own, &w->report);
        (void)LIST_ADD(&w->parts);
        for (size_t i = w->parts.n - 1; i > 0; i--)
            w->parts.at[i] = w->parts.at[i - 1];
        w->parts.at[0] = own;
        for (size_t i = 0; i < w->parts.n; i++)
            p->is_odd |= w->parts.at[i].numbers.is_odd;
        if (!p->is_odd)
            join_parts(p->r, w->parts.at, w->parts.n, p->order, p->worker_of);
        for (size_t i = 0; i < w->parts.n; i++)
            part_free(&w->parts.at[i]);
        free(w->parts.at);
    }
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
    free(p.location_of);
    free(p.order);
    return !p.is_odd;
}
