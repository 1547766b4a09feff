/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_part.h"

#include <stdlib.h>
#include <unistd.h>

#include "tools/view/view_archive.h"
#include "tools/view/view_lane.h"
#include "tools/view/view_places.h"

enum {
    PROGRESS_FROM = 4 << 20,
    SUMS_MAX = 500000,
    PAIRS_MAX = 200000,
    POINTS_MAX = 1 << 20,
};

void view_part_init(struct view_part *p, struct view *v, struct defs *defs)
{
    uint32_t buckets = (v->shape.n + v->shape.stride - 1) / v->shape.stride;
    *p = (struct view_part){.view = v, .defs = defs, .first = UINT64_MAX};
    p->n_regions = defs->regions.n;
    p->path_program = view_paths_root(&p->paths, REGION_PROGRAM, PATH_CALL);
    p->path_idle = view_paths_root(&p->paths, REGION_IDLE, PATH_CALL);
    p->path_off = view_paths_root(&p->paths, REGION_OFF, PATH_CALL);
    p->path_rest = view_paths_root(&p->paths, NIL, PATH_CALL);
    view_exact_init(&p->exact, v);
    view_pyramid_init(&p->pyramid, v);
    view_tally_init(&p->sums, buckets, (uint32_t)v->rows.n, p->path_rest);
    view_tally_init(&p->pairs, buckets, (uint32_t)v->defs.processes.n, NIL);
    view_counters_init(&p->counters, v);
}

void view_part_free(struct view_part *p)
{
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

/* What a region of a part's own definitions is in those of the whole. */
static uint32_t translated(const struct view_part *p, const struct view_part *other,
                           uint32_t region)
{
    if (region == NIL || p->defs == other->defs)
        return region;
    const struct region *r = &other->defs->regions.at[region];
    return region < REGIONS_OWN ? region : defs_region(p->defs, r->id);
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

static uint32_t translated_comm(const struct view_part *p, const struct view_part *other,
                                uint32_t comm)
{
    return p->defs == other->defs ? comm : defs_comm(p->defs, other->defs->comms.at[comm].id);
}

/* Regions and communicators that no definition has are numbered as they occur. */
static void join_numbers(struct view_part *p, struct view_part *other)
{
    struct view *v = p->view;
    size_t n = view_pyramid_cells(&v->shape);
    size_t n_defined = other->n_regions;
    for (size_t i = 0; i < v->rows.n && other->defs->regions.n > n_defined; i++)
        for (size_t k = 0; k < n && v->rows.at[i].part == other; k++)
            if (v->rows.at[i].cells[k].region != NIL && v->rows.at[i].cells[k].region >= n_defined)
                v->rows.at[i].cells[k].region = translated(p, other, v->rows.at[i].cells[k].region);
    for (size_t i = 0; i < other->exact.halves.n; i++) {
        uint32_t *comm = &other->exact.halves.at[i].envelope.comm;
        *comm = translated_comm(p, other, *comm);
    }
    for (size_t i = 0; i < other->exact.collectives.n; i++) {
        uint32_t *comm = &other->exact.collectives.at[i].comm;
        *comm = translated_comm(p, other, *comm);
    }
}

void view_part_join(struct view_part *p, struct view_part *other)
{
    size_t room = 0;
    join_numbers(p, other);
    uint32_t *numbers = list_grow(NULL, &room, other->paths.all.n, sizeof *numbers);
    join_paths(p, other, numbers);
    view_tally_join(&p->sums, &other->sums, numbers);
    view_tally_join(&p->pairs, &other->pairs, NULL);
    view_exact_join(&p->exact, &other->exact, numbers);
    view_counters_join(&p->counters, &other->counters);
    p->first = other->first < p->first ? other->first : p->first;
    p->last = other->last > p->last ? other->last : p->last;
    p->n_events += other->n_events;
    if (!p->trouble)
        p->trouble = other->trouble;
    free(numbers);
}

/* ---- the end ---- */

static int by_bucket(const void *x, const void *y)
{
    const struct tally_record *p = x;
    const struct tally_record *q = y;
    if (p->bucket != q->bucket)
        return p->bucket < q->bucket ? -1 : 1;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

void view_part_reduce(struct view_part *p, size_t sums, size_t pairs, size_t points)
{
    size_t rows = p->view->rows.n ? p->view->rows.n : 1;
    size_t processes = p->view->defs.processes.n ? p->view->defs.processes.n : 1;
    view_tally_finish(&p->sums, sums);
    if (p->sums.all.n > sums)
        p->is_cut |= view_tally_cut(&p->sums, 1 + sums / rows);
    view_tally_finish(&p->pairs, pairs);
    if (p->pairs.all.n > pairs)
        p->are_pairs_cut |= view_tally_cut(&p->pairs, 1 + pairs / processes);
    if (p->pairs.all.n)
        qsort(p->pairs.all.at, p->pairs.all.n, sizeof p->pairs.all.at[0], by_bucket);
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
    static uint64_t done;
    const struct view_lane *l = user;
    uint64_t all = l->part->view->n_events;
    done += n;
    if (all >= PROGRESS_FROM && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%3.0f %%  %llu M events", 100.0 * (double)done / (double)all,
                (unsigned long long)(done / 1000000));
    if (l->part->view->places)
        view_places_add(l->part->view->places, l, n);
    return true;
}

/* The rows of a part are those whose number leaves `rest` when it is divided by the parts. */
static void read_rows(struct view_part *p, OTF2_Reader *reader, unsigned rest, unsigned parts)
{
    struct view *v = p->view;
    OTF2_EvtReaderCallbacks *callbacks = view_events();
    for (uint32_t i = rest; i < v->rows.n; i += parts) {
        struct view_lane lane;
        struct view_row *row = &v->rows.at[i];
        row->part = p;
        view_lane_begin(&lane, p, i);
        const struct location *location = &p->defs->locations.at[row->location];
        const char *doubt = view_archive_definitions(reader, location);
        const char *trouble =
            view_archive_events(reader, location, callbacks, 0, on_progress, &lane);
        if (doubt)
            trouble = doubt;
        view_lane_finish(&lane);
        view_lane_free(&lane);
        if (trouble && !p->trouble)
            p->trouble = trouble;
    }
    OTF2_EvtReaderCallbacks_Delete(callbacks);
}

/* The first part has the definitions of the whole. */
static struct view_part *read_part(struct view *v, unsigned rest)
{
    size_t room = 0;
    struct view_part *p = list_grow(NULL, &room, 1, sizeof *p);
    struct defs *defs = &v->defs;
    OTF2_Reader *reader = v->reader;
    v->reader = NULL;
    if (!reader) {
        room = 0;
        defs = list_grow(NULL, &room, 1, sizeof *defs);
        reader = view_archive_open(v->path, defs);
    }
    view_part_init(p, v, rest ? defs : &v->defs);
    view_archive_select(reader, p->defs);
    read_rows(p, reader, rest, v->wish.parts);
    view_archive_close(reader);
    return p;
}

static void clear_rows(struct view *v)
{
    size_t n = view_pyramid_cells(&v->shape);
    for (size_t i = 0; i < v->rows.n; i++) {
        struct view_row *row = &v->rows.at[i];
        size_t room = 0;
        free(row->cells);
        row->cells = list_grow(NULL, &room, n, sizeof *row->cells);
        for (size_t k = 0; k < n; k++)
            row->cells[k].region = NIL;
        row->has_events = false;
        row->n_events = 0;
        row->marks.n = 0;
    }
}

struct view_part *view_pass(struct view *v)
{
    clear_rows(v);
    if (v->places)
        view_places_begin(v->places);
    struct view_part *p = read_part(v, 0);
    for (unsigned i = 1; i < v->wish.parts; i++) {
        struct view_part *other = read_part(v, i);
        view_part_join(p, other);
        view_part_free(other);
        free(other);
    }
    if (v->n_events >= PROGRESS_FROM && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    return p;
}
