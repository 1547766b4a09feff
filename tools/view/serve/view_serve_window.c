/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/serve/view_serve_window.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/view/serve/view_serve_answer.h"
#include "tools/view/serve/view_serve_far.h"
#include "tools/view/serve/view_serve_keep.h"

enum {
    MARGIN_NS = 100000,
    STEPS_BEHIND = 16, /* of reading, for the end of a collective operation */
};

struct serve_windows {
    struct view view; /* a copy: the rows and definitions are the copy's own */
    struct view_part part;
    struct serve_numbers numbers;
    struct view_places places;
    struct cache *cache;
    OTF2_EvtReaderCallbacks *callbacks;
    char *key;
    bool is_cut;    /* not all events could be read */
    bool *is_ready; /* by row: the row's local definitions were read */
    bool *is_asked; /* by row: asked for in the present window */
    bool *is_read;
    /* The window of the present answer. */
    struct view_window window;
    uint64_t margin; /* the range for the search of messages' far ends */
    uint64_t n_events;
    double deadline;
    bool (*is_unwanted)(const void *who);
    const void *who;
    struct serve_far far;
    const char *trouble;
    char text[512]; /* the error answered instead */
};

/* A lane, known to the callbacks, and the purpose of reading the lane. */
struct reading {
    struct view_lane lane;
    struct serve_windows *windows;
    bool has_ended;
    unsigned n_behind; /* steps of reading behind the window */
    uint64_t n_left;   /* events still to read, at any time; 0: up to the window's end */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool is_over(const struct serve_windows *w)
{
    return now() > w->deadline || w->is_unwanted(w->who);
}

/* ---- a row ---- */

/* After a number of events: whether to go on. */
static bool go_on(void *user, uint64_t n)
{
    struct reading *r = user;
    const struct serve_windows *w = r->windows;
    r->has_ended = !n;
    if (is_over(w))
        return false;
    if (r->n_left)
        return (r->n_left -= n < r->n_left ? n : r->n_left) != 0;
    if (r->lane.last <= w->window.to + w->margin)
        return true;
    return r->lane.has_collective && r->lane.collective_begin <= w->window.to &&
           r->n_behind++ < STEPS_BEHIND;
}

/* Tells the calls still open at the end of reading. */
static void tell_open(struct view_lane *l, uint64_t to)
{
    for (size_t i = 1; i < l->stack.n; i++) {
        const struct view_frame *frame = &l->stack.at[i];
        struct view_call call = {frame->enter,    l->last > to ? l->last : to,
                                 l->number,       frame->path,
                                 (uint32_t)i - 1, frame->flags | CALL_GOES_ON,
                                 frame->calls};
        view_exact_call(&l->part->exact, &call);
    }
    if (l->stack.n)
        view_lane_tell_idle(l, l->last > to ? l->last : to);
}

static const char *prepare(struct serve_windows *w, uint32_t row)
{
    const struct location *l = &w->view.defs.locations.at[w->view.rows.at[row].location];
    if (w->is_ready[row])
        return NULL;
    w->is_ready[row] = true;
    return archive_definitions(&w->view.archive, l);
}

static const char *read_events(struct serve_windows *w, struct reading *r, uint64_t position)
{
    const struct location *l = &w->view.defs.locations.at[r->lane.location];
    const struct view_place *last = view_places_last(&w->places, r->lane.number);
    const char *trouble = NULL;
    r->has_ended = !last || position >= last->position;
    if (!r->has_ended)
        trouble = archive_location(&w->view.archive, l, w->callbacks, position, go_on, r);
    if (!trouble && r->has_ended && w->is_cut && (last ? last->position : 0) < l->n_events)
        trouble = "the events of this row could not be read to their end";
    return trouble;
}

/* NULL, or the fault of the row's events. */
static const char *read_row(struct serve_windows *w, uint32_t row, const struct view_place *place)
{
    struct reading r = {.windows = w};
    const char *doubt = prepare(w, row);
    const char *trouble = NULL;
    view_lane_begin(&r.lane, &w->part, row);
    if (!place || view_places_restore(&w->places, place, &r.lane)) {
        trouble = read_events(w, &r, place ? place->position : 0);
        if (trouble || r.has_ended)
            view_lane_finish(&r.lane);
        else
            tell_open(&r.lane, w->window.to);
    } else {
        trouble = "the overview of this archive cannot be read: start spur view --serve again";
    }
    view_lane_free(&r.lane);
    view_exact_forget(&w->part.exact);
    w->view.rows.at[row].marks.n = 0;
    w->is_read[row] = true;
    return trouble ? trouble : doubt;
}

/* ---- rows ---- */

static uint64_t events_of(const struct serve_windows *w, uint32_t row,
                          const struct view_place **from)
{
    *from = view_places_before(&w->places, row, w->window.from);
    return view_places_events(&w->places, row, *from, w->window.to + w->margin);
}

static void ask_for_rows(struct serve_windows *w, const struct serve_request *q)
{
    memset(w->is_asked, !q->n_ranges, w->view.rows.n);
    memset(w->is_read, 0, w->view.rows.n);
    for (size_t i = 0; i < q->n_ranges; i++)
        memset(&w->is_asked[q->rows[i].first], true, q->rows[i].last - q->rows[i].first + 1);
}

static void count_events(struct serve_windows *w)
{
    const struct view_place *ignored;
    w->n_events = 0;
    for (uint32_t row = 0; row < w->view.rows.n; row++)
        if (w->is_asked[row])
            w->n_events += events_of(w, row, &ignored);
}

static void read_asked(struct serve_windows *w)
{
    for (uint32_t row = 0; row < w->view.rows.n && !is_over(w); row++) {
        const struct view_place *from;
        if (!w->is_asked[row])
            continue;
        (void)events_of(w, row, &from);
        const char *trouble = read_row(w, row, from);
        w->trouble = w->trouble ? w->trouble : trouble;
    }
}

/* ---- the far ends of messages ---- */

/* Reads the marked rows, as long as the rows do not cost too much; false: the cost is too high. */
static bool read_marked(struct serve_windows *w, const bool *is_peer)
{
    for (uint32_t row = 0; row < w->view.rows.n && !is_over(w); row++) {
        const struct view_place *from;
        if (w->is_read[row] || !is_peer[row])
            continue;
        w->n_events += events_of(w, row, &from);
        if (w->n_events > WINDOW_EVENTS_MAX)
            return false;
        (void)read_row(w, row, from);
    }
    return true;
}

/* Marks the rows of the processes at the far ends of messages. */
static void mark_peers(const struct serve_windows *w, bool *is_peer)
{
    size_t room = 0;
    const struct view_exact *e = &w->part.exact;
    bool *is_process = list_grow(NULL, &room, w->view.defs.processes.n + 1, sizeof *is_process);
    for (size_t i = 0; i < e->halves.n; i++) {
        const struct view_envelope *envelope = &e->halves.at[i].envelope;
        uint32_t peer = e->halves.at[i].is_receive ? envelope->sender : envelope->receiver;
        if (peer != NIL)
            is_process[peer] = true;
    }
    for (uint32_t row = 0; row < w->view.rows.n; row++) {
        uint32_t location = w->view.rows.at[row].location;
        is_peer[row] = is_process[w->view.defs.locations.at[location].process];
    }
    free(is_process);
}

static bool is_far_over(void *user)
{
    return is_over(user);
}

static void read_far(void *user, uint32_t row, const struct view_place *place)
{
    struct serve_windows *w = user;
    const struct view_place *next = place ? place + 1 : view_places_first(&w->places, row);
    struct reading r = {.windows = w, .n_left = next->position - (place ? place->position : 0)};
    w->far.n_events += r.n_left;
    view_lane_begin(&r.lane, &w->part, row);
    if (!prepare(w, row) && (!place || view_places_restore(&w->places, place, &r.lane)))
        (void)read_events(w, &r, place ? place->position : 0);
    view_lane_free(&r.lane);
    view_exact_forget(&w->part.exact);
    w->view.rows.at[row].marks.n = 0;
}

static void read_others(struct serve_windows *w)
{
    size_t room = 0;
    bool *is_peer = list_grow(NULL, &room, w->view.rows.n + 1, sizeof *is_peer);
    w->far = (struct serve_far){.places = &w->places,
                                .part = &w->part,
                                .is_asked = w->is_asked,
                                .is_read = w->is_read,
                                .from = w->window.from,
                                .read = read_far,
                                .is_over = is_far_over,
                                .user = w};
    mark_peers(w, is_peer);
    bool has_all = read_marked(w, is_peer);
    serve_far_peers(&w->far, is_peer);
    has_all &= read_marked(w, is_peer);
    w->far.is_too_much |= !has_all;
    serve_far_find(&w->far);
    free(is_peer);
}

/* ---- the answer ---- */

__attribute__((format(printf, 3, 4))) static struct serve_answer
refuse(struct serve_windows *w, unsigned status, const char *format, ...)
{
    va_list va;
    va_start(va, format);
    vsnprintf(w->text, sizeof w->text, format, va);
    va_end(va);
    for (char *c = w->text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?'; /* of a path */
    return (struct serve_answer){.status = status, .text = w->text};
}

static void begin_window(struct serve_windows *w, const struct serve_request *q)
{
    w->window = (struct view_window){NIL, q->from, q->to};
    w->margin = MARGIN_NS + (q->to - q->from) / 4;
    w->view.windows.n = 0;
    *LIST_ADD(&w->view.windows) = w->window;
    w->view.margin = w->margin;
    w->deadline = now() + WINDOW_S_MAX;
    w->trouble = NULL;
    view_exact_begin(&w->part.exact, q->from);
    view_counters_clear(&w->part.counters);
    ask_for_rows(w, q);
    count_events(w);
}

static bool has_changed(const struct serve_windows *w)
{
    char *key = serve_key(&w->view);
    bool is_same = key && !strcmp(key, w->key);
    free(key);
    return !is_same;
}

/* The refusal, with its status, of a request that cannot be answered at all. */
static struct serve_answer check(struct serve_windows *w, const struct serve_request *q)
{
    size_t n = w->view.rows.n;
    if (has_changed(w))
        return refuse(w, 410,
                      "%s was changed or removed since this page was made; "
                      "start spur view --serve again",
                      w->view.path);
    if (q->n_ranges && q->rows[q->n_ranges - 1].last >= n)
        return refuse(w, 400, "there are %zu rows, from 0", n);
    if (!q->n_ranges && n > SERVE_ROWS_MAX)
        return refuse(w, 413, "there are %zu rows: name those that are wanted, up to %d", n,
                      SERVE_ROWS_MAX);
    begin_window(w, q);
    if (w->n_events > WINDOW_EVENTS_MAX)
        return refuse(w, 413,
                      "these rows have about %llu events in this window, and the page shows at "
                      "most %d: zoom in, or show fewer rows",
                      (unsigned long long)w->n_events, WINDOW_EVENTS_MAX);
    return (struct serve_answer){0};
}

struct serve_answer serve_windows_answer(void *windows, const struct serve_request *request,
                                         bool (*is_unwanted)(const void *who), const void *who)
{
    struct serve_windows *w = windows;
    struct view_exact *e = &w->part.exact;
    w->is_unwanted = is_unwanted;
    w->who = who;
    struct serve_answer a = check(w, request);
    if (a.status)
        return a;
    bool has_messages = request->sections & 1U << SERVE_MESSAGES;
    read_asked(w);
    if (has_messages)
        read_others(w);
    if (e->is_over || !e->n_windows)
        return refuse(w, 413,
                      "this window has more calls than the page can show: zoom in, or show "
                      "fewer rows");
    if (is_over(w))
        return refuse(w, 503,
                      "this window takes longer than %d seconds: zoom in, or show fewer rows",
                      WINDOW_S_MAX);
    if (w->trouble && !e->calls.n && !e->samples.n && !e->halves.n && !w->part.counters.curves.n)
        return refuse(w, 500, "%s", w->trouble);
    view_exact_match(e);
    view_exact_sort(e);
    return serve_answer_make(
        &(struct serve_found){.part = &w->part,
                              .numbers = &w->numbers,
                              .is_asked = w->is_asked,
                              .window = w->window,
                              .sections = request->sections,
                              .has_trouble = w->trouble != NULL,
                              .has_loose_ends = has_messages && w->far.is_too_much});
}

/* ---- begin and end ---- */

/* Windows have no pyramid: the shape has no level, and the only bucket never ends. */
static void make_part(struct serve_windows *w)
{
    size_t room = 0;
    struct view *v = &w->view;
    struct view_row *rows = list_grow(NULL, &room, v->rows.n + 1, sizeof *rows);
    for (size_t i = 0; i < v->rows.n; i++) {
        rows[i] = v->rows.at[i];
        memset(&rows[i].marks, 0, sizeof rows[i].marks);
    }
    v->rows.at = rows;
    v->shape = (struct view_shape){.bucket = NO_TIME, .stride = 1};
    memset(&v->windows, 0, sizeof v->windows);
    v->is_whole = false;
    view_part_init(&w->part, v, &v->defs);
    w->part.pyramid.end = NO_TIME;
    w->part.counters.most = WINDOW_EVENTS_MAX;
}

struct serve_windows *serve_windows_open(const struct view *v, struct cache *cache, const char *key)
{
    size_t room = 0;
    struct serve_windows *w = list_grow(NULL, &room, 1, sizeof *w);
    w->view = *v;
    w->cache = cache;
    make_part(w);
    w->key = copy_text(key);
    w->callbacks = view_events();
    w->is_cut = cache_find(cache, "trouble", &(struct cache_part){0});
    bool **flags[] = {&w->is_ready, &w->is_asked, &w->is_read};
    for (size_t i = 0; i < 3; i++) {
        room = 0;
        *flags[i] = list_grow(NULL, &room, v->rows.n + 1, sizeof **flags[i]);
    }
    w->view.archive.defs = &w->view.defs;
    archive_select(&w->view.archive);
    if (serve_keep_load(cache, &w->view, &w->part, &w->numbers) &&
        view_places_load(&w->places, cache, (uint32_t)w->view.rows.n, &w->part.exact))
        return w;
    serve_windows_close(w);
    return NULL;
}

void serve_windows_close(struct serve_windows *w)
{
    archive_close(&w->view.archive);
    OTF2_EvtReaderCallbacks_Delete(w->callbacks);
    view_places_free(&w->places);
    serve_numbers_free(&w->numbers);
    view_part_free(&w->part);
    free(w->view.rows.at);
    free(w->view.windows.at);
    free(w->is_ready);
    free(w->is_asked);
    free(w->is_read);
    free(w->key);
    free(w);
}
