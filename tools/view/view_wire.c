/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_wire.h"

#include <stdlib.h>
#include <string.h>

/* ---- lists ---- */

static void put_list(struct engine_bytes *to, const void *items, size_t n, size_t bytes)
{
    uint64_t count = n;
    engine_add(to, &count, sizeof count);
    engine_add(to, items, n * bytes);
}
#define PUT(to, list) put_list((to), (list)->at, (list)->n, sizeof *(list)->at)

static void get(const char **from, void *to, size_t n)
{
    if (n)
        memcpy(to, *from, n);
    *from += n;
}

static void *get_list(const char **from, size_t *n, size_t *room, size_t bytes)
{
    uint64_t count;
    get(from, &count, sizeof count);
    void *items = grow_memory(NULL, count ? (size_t)count * bytes : 1);
    get(from, items, (size_t)count * bytes);
    *n = *room = (size_t)count;
    return items;
}
#define GET(from, list)                                                                            \
    ((list)->at = get_list((from), &(list)->n, &(list)->room, sizeof *(list)->at))

static void put_string(struct engine_bytes *to, const char *text)
{
    put_list(to, text, text ? strlen(text) + 1 : 0, 1);
}

/* NULL: it is none. Kept to the end of the process. */
static char *get_text(const char **from)
{
    size_t n, room;
    char *text = get_list(from, &n, &room, 1);
    if (n)
        return text;
    free(text);
    return NULL;
}

/* ---- rows ---- */

static void put_row(const struct view_row *row, size_t n_cells, struct engine_bytes *to)
{
    struct view_row plain = {.has_events = row->has_events,
                             .first = row->first,
                             .last = row->last,
                             .n_events = row->n_events};
    engine_add(to, &plain, sizeof plain);
    engine_add(to, row->cells, n_cells * sizeof *row->cells);
    PUT(to, &row->marks);
    for (size_t i = 0; i < row->marks.n; i++) {
        put_string(to, row->marks.at[i].kind);
        put_string(to, row->marks.at[i].text);
    }
}

static void get_row(struct view_row *row, size_t n_cells, const char **from)
{
    struct view_row plain;
    get(from, &plain, sizeof plain);
    row->has_events = plain.has_events;
    row->first = plain.first;
    row->last = plain.last;
    row->n_events = plain.n_events;
    free(row->cells);
    row->cells = grow_memory(NULL, n_cells * sizeof *row->cells);
    get(from, row->cells, n_cells * sizeof *row->cells);
    free(row->marks.at);
    GET(from, &row->marks);
    for (size_t i = 0; i < row->marks.n; i++) {
        row->marks.at[i].kind = get_text(from);
        row->marks.at[i].text = get_text(from);
    }
}

/* ---- what is joined ---- */

static void put_tally(const struct view_tally *t, struct engine_bytes *to)
{
    engine_add(to, &t->shift, sizeof t->shift);
    engine_add(to, &t->is_cut, sizeof t->is_cut);
    PUT(to, &t->all);
}

/* One that is only joined: nothing comes to it, and it need not have less. */
static void get_tally(struct view_tally *t, const char **from)
{
    *t = (struct view_tally){.most = SIZE_MAX, .a = NIL};
    get(from, &t->shift, sizeof t->shift);
    get(from, &t->is_cut, sizeof t->is_cut);
    GET(from, &t->all);
}

static void put_exact(const struct view_exact *e, struct engine_bytes *to)
{
    engine_add(to, &e->is_over, sizeof e->is_over);
    engine_add(to, &e->n_windows, sizeof e->n_windows);
    PUT(to, &e->calls);
    PUT(to, &e->collectives);
    PUT(to, &e->samples);
    PUT(to, &e->idle);
    PUT(to, &e->halves);
    PUT(to, &e->channels);
}

static void get_exact(struct view_exact *e, const char **from)
{
    get(from, &e->is_over, sizeof e->is_over);
    get(from, &e->n_windows, sizeof e->n_windows);
    GET(from, &e->calls);
    GET(from, &e->collectives);
    GET(from, &e->samples);
    GET(from, &e->idle);
    GET(from, &e->halves);
    GET(from, &e->channels);
}

static void put_counters(const struct view_counters *c, struct engine_bytes *to)
{
    PUT(to, &c->curves);
    for (size_t i = 0; i < c->curves.n; i++)
        PUT(to, &c->curves.at[i].stretches);
}

static void get_counters(struct view_counters *c, const char **from)
{
    GET(from, &c->curves);
    for (size_t i = 0; i < c->curves.n; i++)
        GET(from, &c->curves.at[i].stretches);
}

/* ---- a part ---- */

struct head {
    uint32_t first_row, end_row;
    uint64_t first, last, n_events;
    uint64_t n_regions, n_comms;
};

void view_wire_put(const struct view_part *p, struct engine_bytes *to)
{
    size_t n_cells = view_pyramid_cells(&p->view->shape);
    struct head head = {p->first_row, p->end_row,   p->first,  p->last,
                        p->n_events,  p->n_regions, p->n_comms};
    engine_add(to, &head, sizeof head);
    put_string(to, p->trouble);
    PUT(to, &p->odd_regions);
    PUT(to, &p->odd_comms);
    PUT(to, &p->paths.all);
    put_tally(&p->sums, to);
    put_tally(&p->pairs, to);
    put_exact(&p->exact, to);
    put_counters(&p->counters, to);
    for (uint32_t i = p->first_row; i < p->end_row; i++)
        put_row(&p->view->rows.at[i], n_cells, to);
}

void view_wire_get(struct view_part *p, struct view *v, const void *bytes)
{
    const char *from = bytes;
    size_t n_cells = view_pyramid_cells(&v->shape);
    struct head head;
    get(&from, &head, sizeof head);
    *p = (struct view_part){.view = v,
                            .defs = &v->defs,
                            .first_row = head.first_row,
                            .end_row = head.end_row,
                            .first = head.first,
                            .last = head.last,
                            .n_events = head.n_events,
                            .n_regions = (size_t)head.n_regions,
                            .n_comms = (size_t)head.n_comms};
    p->trouble = get_text(&from);
    GET(&from, &p->odd_regions);
    GET(&from, &p->odd_comms);
    GET(&from, &p->paths.all);
    get_tally(&p->sums, &from);
    get_tally(&p->pairs, &from);
    get_exact(&p->exact, &from);
    get_counters(&p->counters, &from);
    for (uint32_t i = p->first_row; i < p->end_row; i++)
        get_row(&v->rows.at[i], n_cells, &from);
}
