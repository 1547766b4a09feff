/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_part.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/progress.h"
#include "tools/engine/engine.h"
#include "tools/view/view_lane.h"
#include "tools/view/view_places.h"
#include "tools/view/view_wire.h"

enum {
    EVENTS_OF_WORKER = 1000000, /* at least; fewer cost more than a worker saves */
    SUMS_MAX = 500000,
    PAIRS_MAX = 200000,
    POINTS_MAX = 1 << 20,
};

void view_part_init(struct view_part *p, struct view *v, struct defs *defs)
{
    uint32_t buckets = (v->shape.n + v->shape.stride - 1) / v->shape.stride;
    *p = (struct view_part){.view = v, .defs = defs, .first = UINT64_MAX};
    p->n_regions = v->n_waits;
    p->n_comms = v->n_comms;
    p->path_program = view_paths_root(&p->paths, REGION_PROGRAM, PATH_CALL);
    p->path_idle = view_paths_root(&p->paths, REGION_IDLE, PATH_CALL);
    p->path_off = view_paths_root(&p->paths, REGION_OFF, PATH_CALL);
    p->path_rest = view_paths_root(&p->paths, NIL, PATH_CALL);
    view_exact_init(&p->exact, v);
    view_pyramid_init(&p->pyramid, v);
    view_tally_init(&p->sums, buckets, SUMS_MAX, (uint32_t)v->rows.n, p->path_rest);
    view_tally_init(&p->pairs, buckets, PAIRS_MAX, (uint32_t)v->defs.processes.n, NIL);
    p->sums.paths = &p->paths;
    view_counters_init(&p->counters, v);
}

void view_part_free(struct view_part *p)
{
    free(p->odd_regions.at);
    free(p->odd_comms.at);
    view_pyramid_free(&p->pyramid);
    view_tally_free(&p->sums);
    view_tally_free(&p->pairs);
    free(p->paths.all.at);
    free(p->paths.child_of.slots);
    free(p->paths.of_context.at);
    free(p->paths.call_of.slots);
    free(p->exact.calls.at);
    free(p->exact.collectives.at);
    free(p->exact.samples.at);
    free(p->exact.idle.at);
    free(p->exact.halves.at);
    free(p->exact.messages.at);
    free(p->exact.channels.at);
    free(p->exact.changed.at);
    free(p->exact.met.at);
    free(p->exact.channel_of[0].slots);
    free(p->exact.channel_of[1].slots);
    view_counters_free(&p->counters);
}

/* ---- joining ---- */

/*
 * Ids that events name and no definition has are numbered in order of occurrence. The ids are kept
 * for joining with further parts.
 */
static void note_odd(struct view_part *p)
{
    for (size_t i = p->n_regions + p->odd_regions.n; i < p->defs->regions.n; i++)
        *LIST_ADD(&p->odd_regions) = p->defs->regions.at[i].id;
    for (size_t i = p->n_comms + p->odd_comms.n; i < p->defs->comms.n; i++)
        *LIST_ADD(&p->odd_comms) = p->defs->comms.at[i].id;
}

/* The region of `other` as a region of part `p`. */
static uint32_t translated(const struct view_part *p, const struct view_part *other,
                           uint32_t region)
{
    if (region == NIL || region < p->n_regions)
        return region;
    return defs_region(p->defs, other->odd_regions.at[region - p->n_regions]);
}

static uint32_t translated_comm(const struct view_part *p, const struct view_part *other,
                                uint32_t comm)
{
    return comm < p->n_comms ? comm : defs_comm(p->defs, other->odd_comms.at[comm - p->n_comms]);
}

static void join_paths(struct view_part *p, const struct view_part *other, uint32_t *numbers)
{
    for (uint32_t i = 0; i < other->paths.all.n; i++) {
        const struct view_path *path = &other->paths.all.at[i];
        uint32_t region = translated(p, other, path->region);
        numbers[i] = path->parent == NIL
                         ? view_paths_root(&p->paths, region, (enum path_kind)path->kind)
                         : view_paths_child(&p->paths, numbers[path->parent], region,
                                            (enum path_kind)path->kind);
    }
}

static void join_cells(const struct view_part *p, const struct view_part *other)
{
    size_t n = other->odd_regions.n ? view_pyramid_cells(&p->view->shape) : 0;
    for (uint32_t i = other->first_row; i < other->end_row; i++)
        for (size_t k = 0; k < n; k++) {
            uint32_t *region = &p->view->rows.at[i].cells[k].region;
            *region = translated(p, other, *region);
        }
}

static void join_comms(const struct view_part *p, struct view_part *other)
{
    for (size_t i = 0; i < other->exact.halves.n; i++) {
        uint32_t *comm = &other->exact.halves.at[i].envelope.comm;
        *comm = translated_comm(p, other, *comm);
    }
    for (size_t i = 0; i < other->exact.collectives.n; i++) {
        uint32_t *comm = &other->exact.collectives.at[i].comm;
        *comm = translated_comm(p, other, *comm);
    }
    for (size_t i = 0; i < other->exact.channels.n; i++) {
        uint32_t *comm = &other->exact.channels.at[i].envelope.comm;
        *comm = translated_comm(p, other, *comm);
    }
}

void view_part_join(struct view_part *p, struct view_part *other)
{
    size_t room = 0;
    join_cells(p, other);
    join_comms(p, other);
    uint32_t *numbers = list_grow(NULL, &room, other->paths.all.n, sizeof *numbers);
    join_paths(p, other, numbers);
    view_tally_join(&p->sums, &other->sums, numbers);
    view_tally_join(&p->pairs, &other->pairs, NULL);
    view_exact_join(&p->exact, &other->exact, numbers);
    view_counters_join(&p->counters, &other->counters);
    p->first = other->first < p->first ? other->first : p->first;
    p->last = other->last > p->last ? other->last : p->last;
    p->n_events += other->n_events;
    p->end_row = other->end_row;
    if (!p->trouble)
        p->trouble = other->trouble;
    note_odd(p);
    free(numbers);
}

/* ---- the end ---- */

static int by_bucket(const void *x, const void *y)
{
    const struct tally_record *p = x;
    const struct tally_record *q = y;
    ORDER(p->bucket, q->bucket);
    ORDER(p->a, q->a);
    return (p->b > q->b) - (p->b < q->b);
}

void view_part_reduce(struct view_part *p, size_t sums, size_t pairs, size_t points)
{
    const struct view *v = p->view;
    view_tally_finish(&p->sums, sums);
    p->is_cut |= view_tally_cut(&p->sums, sums, (uint32_t)v->rows.n);
    view_tally_finish(&p->pairs, pairs);
    p->are_pairs_cut |= view_tally_cut(&p->pairs, pairs, (uint32_t)v->defs.processes.n);
    LIST_SORT(&p->pairs.all, by_bucket);
    view_counters_finish(&p->counters, points);
}

void view_part_finish(struct view_part *p)
{
    view_exact_match(&p->exact);
    view_exact_sort(&p->exact);
    view_part_reduce(p, SUMS_MAX, PAIRS_MAX, POINTS_MAX);
}

/* ---- reading ---- */

static bool on_progress(void *user, uint64_t n)
{
    const struct view_lane *l = user;
    struct view_part *p = l->part;
    struct view *v = p->view;
    uint64_t done = atomic_fetch_add_explicit(&v->n_done, n, memory_order_relaxed);
    p->n_untold += n;
    if (p->is_first && p->n_untold >= PROGRESS_STEP) {
        progress_show(engine_count(done + n));
        p->n_untold = 0;
    }
    if (v->places)
        view_places_add(v->places, l, n);
    return true;
}

static void read_row(struct view_part *p, struct archive *archive,
                     const OTF2_EvtReaderCallbacks *callbacks, uint32_t number)
{
    struct view_lane lane;
    struct view_row *row = &p->view->rows.at[number];
    const struct location *location = &p->defs->locations.at[row->location];
    view_lane_begin(&lane, p, number);
    const char *doubt = archive_definitions(archive, location);
    const char *trouble = archive_location(archive, location, callbacks, 0, on_progress, &lane);
    if (doubt)
        trouble = doubt;
    view_lane_finish(&lane);
    view_lane_free(&lane);
    if (trouble && !p->trouble)
        p->trouble = trouble;
}

/* ---- workers ---- */

/*
 * A worker's rows follow each other, so that joined parts find paths in the order of a single
 * worker.
 */
struct worker {
    struct view *view;
    struct engine *engine;
    struct view_part *part;
    struct archive archive;
};

/* The first row of a worker. All rows of a process go to the same worker. */
static uint32_t first_row(const struct view *v, unsigned rank, unsigned size)
{
    const struct defs *d = &v->defs;
    uint64_t all = 0;
    uint64_t sum = 0;
    uint32_t row = 0;
    for (size_t i = 0; i < v->rows.n; i++)
        all += 1 + d->locations.at[v->rows.at[i].location].n_events;
    while (row < v->rows.n && sum < all / size * rank)
        sum += 1 + d->locations.at[v->rows.at[row++].location].n_events;
    while (row && row < v->rows.n && rank < size &&
           d->locations.at[v->rows.at[row].location].process ==
               d->locations.at[v->rows.at[row - 1].location].process)
        row++;
    return rank < size ? row : (uint32_t)v->rows.n;
}

static void clear_row(struct view_row *row, size_t n_cells)
{
    free(row->cells);
    row->cells = take_memory(n_cells * sizeof *row->cells);
    for (size_t k = 0; k < n_cells; k++)
        row->cells[k].region = NIL;
    row->has_events = false;
    row->n_events = 0;
    row->marks.n = 0;
}

/*
 * The first worker of a process uses the definitions of the whole process; further workers have
 * read their own definitions.
 */
static struct defs *open_archive(struct worker *w, bool is_own)
{
    struct view *v = w->view;
    struct defs *defs = &v->defs;
    if (is_own) {
        w->archive = v->archive;
        v->archive.reader = NULL;
    }
    if (!w->archive.reader) {
        struct defs *read = take_memory(sizeof *read);
        archive_open(&w->archive, v->path, read);
        if (read->locations.n != defs->locations.n || read->regions.n != v->n_waits)
            fail("%s: has changed: is it being written?", v->path);
        defs = is_own ? defs : read;
        w->archive.defs = defs;
    }
    archive_select(&w->archive);
    return defs;
}

static void *begin_work(void *context, struct engine *engine)
{
    struct view *v = context;
    struct worker *w = take_memory(sizeof *w);
    size_t n_cells = view_pyramid_cells(&v->shape);
    w->view = v;
    w->engine = engine;
    w->part = take_memory(sizeof *w->part);
    view_part_init(w->part, v, open_archive(w, !engine->thread));
    w->part->first_row = first_row(v, engine->rank, engine->size);
    w->part->end_row = first_row(v, engine->rank + 1, engine->size);
    w->part->is_first = !engine->thread;
    view_tally_share(&w->part->sums, engine->size);
    view_tally_share(&w->part->pairs, engine->size);
    for (uint32_t row = w->part->first_row; row < w->part->end_row; row++)
        clear_row(&v->rows.at[row], n_cells);
    return w;
}

static bool read_rows(void *state, uint64_t most, uint64_t *n)
{
    struct worker *w = state;
    OTF2_EvtReaderCallbacks *callbacks = view_events();
    (void)most;
    if (w->part->is_first)
        engine_count_begin();
    for (uint32_t row = w->part->first_row; row < w->part->end_row; row++)
        read_row(w->part, &w->archive, callbacks, row);
    if (w->part->is_first)
        engine_count_end(atomic_load_explicit(&w->view->n_done, memory_order_relaxed),
                         progress_show);
    note_odd(w->part);
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    archive_close(&w->archive);
    *n = w->part->n_events;
    return false;
}

static uint64_t reached(const void *state)
{
    (void)state;
    return UINT64_MAX; /* rows are read in sequence, without notes */
}

/* A thread gives the address of the thread's part; a rank gives bytes. */
static void give_part(void *state, struct engine_bytes *bytes)
{
    struct worker *w = state;
    if (!engine_is_shared(w->engine)) {
        view_wire_put(w->part, bytes);
        return;
    }
    engine_add(bytes, &w->part, sizeof(void *));
    w->part = NULL;
}

static void join_part(void *state, const void *bytes, size_t n)
{
    struct worker *w = state;
    struct view_part *other;
    (void)n;
    if (engine_is_shared(w->engine)) {
        memcpy(&other, bytes, sizeof(void *));
    } else {
        other = take_memory(sizeof *other);
        view_wire_get(other, w->view, bytes);
    }
    view_part_join(w->part, other);
    view_part_free(other);
    free(other);
}

static void finish_work(void *state)
{
    struct worker *w = state;
    if (w->part && !w->engine->thread) {
        w->view->part = w->part;
    } else if (w->part) { /* the part was sent to another rank as bytes */
        view_part_free(w->part);
        free(w->part);
    }
    free(w);
}

/* ---- the pass ---- */

/* The values that decide the next steps are the same on all ranks. */
static void tell_ranks(struct view_part *p)
{
    p->first = engine_told(p->first);
    p->last = engine_told(p->last);
    p->n_events = engine_told(p->n_events);
    p->exact.is_over = engine_told(p->exact.is_over);
}

/* A worker reads definitions of its own: the worker must be worth the cost. */
static unsigned workers_of_use(const struct view *v)
{
    unsigned most = engine_workers(&(struct engine_how){0});
    uint64_t n = 1 + v->n_events / EVENTS_OF_WORKER;
    return n < most ? (unsigned)n : most;
}

struct view_part *view_pass(struct view *v)
{
    static const struct engine_analysis analysis = {.begin = begin_work,
                                                    .read = read_rows,
                                                    .reached = reached,
                                                    .give = give_part,
                                                    .join = join_part,
                                                    .finish = finish_work};
    struct engine_how how = {.workers = v->wish.threads ? v->wish.threads : workers_of_use(v),
                             .goes_on = true};
    v->n_done = 0;
    if (v->places)
        view_places_begin(v->places);
    progress_begin(v->n_events);
    engine_run(&analysis, v, &how);
    progress_end();
    tell_ranks(v->part);
    return v->part;
}
