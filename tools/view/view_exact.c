/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_exact.h"

#include <stdlib.h>
#include <string.h>

enum { RECORDS_MAX = 1500000, CHANNELS_MAX = 1 << 20 };

void view_exact_init(struct view_exact *e, const struct view *v)
{
    *e = (struct view_exact){.view = v, .n_windows = v->windows.n};
}

void view_exact_begin(struct view_exact *e, uint64_t from)
{
    for (size_t i = 0; i < e->met.n; i++)
        e->channels.at[e->met.at[i]].before = 0;
    e->met.n = 0;
    e->from = from;
    e->is_over = false;
    e->n_windows = e->view->windows.n;
    e->calls.n = e->collectives.n = e->samples.n = e->idle.n = e->halves.n = e->messages.n = 0;
}

static bool has(const struct view_exact *e, uint32_t row, uint64_t from, uint64_t to)
{
    const struct view *v = e->view;
    if (v->is_whole)
        return true;
    for (size_t i = 0; i < e->n_windows; i++) {
        const struct view_window *w = &v->windows.at[i];
        if (w->from <= to && w->to >= from && (w->row == NIL || w->row == row))
            return true;
    }
    return false;
}

/* Keeps only items in the remaining windows. */
#define KEEP(e, list, from, to)                                                                    \
    do {                                                                                           \
        size_t n_ = 0;                                                                             \
        for (size_t i_ = 0; i_ < (e)->list.n; i_++) {                                              \
            __typeof__((e)->list.at) item = &(e)->list.at[i_];                                     \
            if (has(e, item->row, item->from, item->to))                                           \
                (e)->list.at[n_++] = *item;                                                        \
        }                                                                                          \
        (e)->list.n = n_;                                                                          \
    } while (0)

static void keep(struct view_exact *e)
{
    KEEP(e, calls, begin, end);
    KEEP(e, collectives, begin, end);
    KEEP(e, samples, time, time);
    KEEP(e, idle, begin, end);
    KEEP(e, halves, time, time);
}

static size_t records(const struct view_exact *e)
{
    return e->calls.n + e->collectives.n + e->samples.n + e->idle.n + e->halves.n;
}

/* Gives up windows until a further record has room. */
static void make_room(struct view_exact *e)
{
    if (e->view->is_whole || !e->n_windows) {
        e->is_over = true;
        e->calls.n = e->collectives.n = e->samples.n = e->idle.n = e->halves.n = 0;
    }
    while (!e->is_over && e->n_windows && records(e) >= RECORDS_MAX) {
        e->n_windows--;
        keep(e);
    }
}

static bool wants(struct view_exact *e, uint32_t row, uint64_t from, uint64_t to)
{
    if (e->is_over || !has(e, row, from, to))
        return false;
    if (records(e) < RECORDS_MAX)
        return true;
    make_room(e);
    return !e->is_over && has(e, row, from, to);
}

void view_exact_call(struct view_exact *e, const struct view_call *call)
{
    if (wants(e, call->row, call->begin, call->end))
        *LIST_ADD(&e->calls) = *call;
}

void view_exact_collective(struct view_exact *e, const struct view_collective *c)
{
    if (wants(e, c->row, c->begin, c->end))
        *LIST_ADD(&e->collectives) = *c;
}

void view_exact_sample(struct view_exact *e, const struct view_sample *sample)
{
    if (wants(e, sample->row, sample->time, sample->time))
        *LIST_ADD(&e->samples) = *sample;
}

void view_exact_idle(struct view_exact *e, const struct view_idle *idle)
{
    if (wants(e, idle->row, idle->begin, idle->end))
        *LIST_ADD(&e->idle) = *idle;
}

/* ---- messages ---- */

static uint64_t what(const struct view_envelope *e)
{
    return (uint64_t)e->comm << 32 | e->tag;
}

static uint64_t who(const struct view_envelope *e)
{
    return (uint64_t)e->sender << 32 | e->receiver;
}

/* NULL: too many channels. */
static struct view_channel *channel(struct view_exact *e, const struct view_envelope *envelope,
                                    bool is_receive, uint32_t row)
{
    struct map *map = &e->channel_of[is_receive];
    uint32_t index = map_find(map, what(envelope), who(envelope));
    if (index == NIL) {
        if (e->channels.n >= CHANNELS_MAX)
            return NULL;
        index = (uint32_t)e->channels.n;
        *LIST_ADD(&e->channels) =
            (struct view_channel){.envelope = *envelope, .row = row, .is_receive = is_receive};
        map_set(map, what(envelope), who(envelope), index);
    }
    struct view_channel *c = &e->channels.at[index];
    if (c->row != row)
        c->row = NIL;
    return c;
}

static void mark(struct view_exact *e, struct view_channel *c)
{
    if (!c->has_changed)
        *LIST_ADD(&e->changed) = (uint32_t)(c - e->channels.at);
    c->has_changed = true;
}

void view_exact_add_channel(struct view_exact *e, const struct view_channel *c)
{
    struct view_channel *added = channel(e, &c->envelope, c->is_receive, c->row);
    if (added && c->row == NIL)
        added->row = NIL;
}

void view_exact_set(struct view_exact *e, uint32_t channel, uint64_t n)
{
    struct view_channel *c = &e->channels.at[channel];
    if (!c->has_changed)
        c->n = c->before = n;
    mark(e, c);
}

void view_exact_seen(struct view_exact *e)
{
    for (size_t i = 0; i < e->changed.n; i++)
        e->channels.at[e->changed.at[i]].has_changed = false;
    e->changed.n = 0;
}

void view_exact_forget(struct view_exact *e)
{
    for (size_t i = 0; i < e->changed.n; i++) {
        e->channels.at[e->changed.at[i]].n = 0;
        *LIST_ADD(&e->met) = e->changed.at[i];
    }
    view_exact_seen(e);
}

/* In archives with all messages, shown as a whole, the order of times is enough. */
static bool has_numbers(const struct view *v)
{
    return !v->is_whole || v->has_gaps;
}

static int by_end(const void *x, const void *y)
{
    const struct view_end *p = x;
    const struct view_end *q = y;
    ORDER(p->channel, q->channel);
    return (p->number > q->number) - (p->number < q->number);
}

void view_ends_sort(view_ends *ends)
{
    size_t n = 0;
    LIST_SORT(ends, by_end);
    for (size_t i = 0; i < ends->n; i++)
        if (!n || by_end(&ends->at[n - 1], &ends->at[i]))
            ends->at[n++] = ends->at[i];
    ends->n = n;
}

static void keep_wanted(struct view_exact *e, uint32_t channel, const struct view_half *half)
{
    struct view_end end = {channel, half->number};
    if (e->wanted->n && bsearch(&end, e->wanted->at, e->wanted->n, sizeof e->wanted->at[0], by_end))
        *LIST_ADD(&e->halves) = *half;
}

void view_exact_half(struct view_exact *e, struct view_half *half, uint64_t missed)
{
    const struct view *v = e->view;
    bool is_numbered = has_numbers(v);
    if (!v->places && !e->wanted && (e->is_over || (!v->is_whole && !e->n_windows)))
        return;
    if ((is_numbered || v->places) && half->number == NO_NUMBER && missed != NO_NUMBER) {
        struct view_channel *c = channel(e, &half->envelope, half->is_receive, half->row);
        if (c) {
            half->number = is_numbered ? c->n + missed : NO_NUMBER;
            c->n += missed + 1;
            if (half->time < e->from)
                c->before = c->n;
            mark(e, c);
            if (e->wanted)
                keep_wanted(e, (uint32_t)(c - e->channels.at), half);
        }
    }
    if (e->wanted)
        return;
    uint64_t from = half->time > v->margin ? half->time - v->margin : 0;
    if (wants(e, half->row, from, half->time + v->margin))
        *LIST_ADD(&e->halves) = *half;
}

static int by_channel(const void *x, const void *y)
{
    const struct view_half *p = x;
    const struct view_half *q = y;
    int order = memcmp(&p->envelope, &q->envelope, sizeof p->envelope);
    if (order)
        return order;
    ORDER(p->number, q->number);
    if (p->is_receive != q->is_receive)
        return p->is_receive ? 1 : -1;
    ORDER(p->time, q->time);
    return (p->row > q->row) - (p->row < q->row);
}

/* Numbers the halves of a channel's side, in the order of time. */
static void number_all(struct view_exact *e)
{
    const struct view_half *before = NULL;
    uint64_t n = 0;
    for (size_t i = 0; i < e->halves.n; i++) {
        struct view_half *half = &e->halves.at[i];
        bool is_same = before &&
                       !memcmp(&before->envelope, &half->envelope, sizeof half->envelope) &&
                       before->is_receive == half->is_receive;
        n = is_same ? n + 1 : 0;
        half->number = n;
        before = half;
    }
}

/* If threads of a process share a channel, the order of dropped halves is unknown. */
static void forget_shared(struct view_exact *e)
{
    for (size_t i = 0; i < e->halves.n; i++) {
        struct view_half *half = &e->halves.at[i];
        uint32_t index =
            map_find(&e->channel_of[half->is_receive], what(&half->envelope), who(&half->envelope));
        if (index != NIL && e->channels.at[index].row == NIL)
            half->number = NO_NUMBER;
    }
}

uint32_t view_exact_channel(const struct view_exact *e, const struct view_envelope *envelope,
                            bool is_receive)
{
    uint32_t index = map_find(&e->channel_of[is_receive], what(envelope), who(envelope));
    return index != NIL && e->channels.at[index].row != NIL ? index : NIL;
}

static bool is_known(const struct view_half *half)
{
    return half->number != NO_NUMBER && half->envelope.sender != NIL &&
           half->envelope.receiver != NIL;
}

/* A half, and the next half if both are a pair. */
static struct view_message message_of(const struct view_half *half, bool is_pair)
{
    const struct view_half *receive = half + is_pair;
    bool is_received = receive->is_receive;
    return (struct view_message){.sent = half->is_receive ? NO_TIME : half->time,
                                 .received = is_received ? receive->time : NO_TIME,
                                 .bytes = half->bytes,
                                 .from = half->is_receive ? NIL : half->row,
                                 .to = is_received ? receive->row : NIL,
                                 .tag = half->envelope.tag,
                                 .comm = half->envelope.comm};
}

/* Whether a half and the following half are both ends of a message. */
static bool are_pair(const struct view_exact *e, size_t i)
{
    const struct view_half *half = &e->halves.at[i];
    return i + 1 < e->halves.n && !half->is_receive && half[1].is_receive && is_known(half) &&
           half->number == half[1].number &&
           !memcmp(&half->envelope, &half[1].envelope, sizeof half->envelope);
}

void view_exact_loose(struct view_exact *e, view_ends *ends)
{
    forget_shared(e);
    LIST_SORT(&e->halves, by_channel);
    for (size_t i = 0; i < e->halves.n; i++) {
        const struct view_half *half = &e->halves.at[i];
        if (are_pair(e, i)) {
            i++;
            continue;
        }
        uint32_t other = view_exact_channel(e, &half->envelope, !half->is_receive);
        if (is_known(half) && other != NIL)
            *LIST_ADD(ends) = (struct view_end){other, half->number};
    }
}

bool view_exact_has(const struct view_exact *e, const struct view_end *end)
{
    const struct view_channel *c = &e->channels.at[end->channel];
    size_t low = 0;
    size_t n = e->halves.n;
    struct view_half wanted = {.envelope = c->envelope,
                               .number = end->number,
                               .is_receive = c->is_receive};
    while (n) { /* the first half not before `wanted`: times and rows are 0 */
        size_t half = n / 2;
        bool is_before = by_channel(&e->halves.at[low + half], &wanted) < 0;
        low += is_before ? half + 1 : 0;
        n = is_before ? n - half - 1 : half;
    }
    const struct view_half *found = low < e->halves.n ? &e->halves.at[low] : NULL;
    return found && found->number == end->number && found->is_receive == c->is_receive &&
           !memcmp(&found->envelope, &c->envelope, sizeof c->envelope);
}

void view_exact_match(struct view_exact *e)
{
    if (has_numbers(e->view))
        forget_shared(e);
    LIST_SORT(&e->halves, by_channel);
    if (!has_numbers(e->view) && e->halves.n) {
        number_all(e);
        qsort(e->halves.at, e->halves.n, sizeof e->halves.at[0], by_channel);
    }
    for (size_t i = 0; e->halves.at && i < e->halves.n; i++) {
        const struct view_half *half = &e->halves.at[i];
        bool is_pair = are_pair(e, i);
        *LIST_ADD(&e->messages) = message_of(half, is_pair);
        i += is_pair;
    }
}

/* ---- joining ---- */

#define APPEND(e, other, list)                                                                     \
    for (size_t i_ = 0; i_ < (other)->list.n; i_++)                                                \
    *LIST_ADD(&(e)->list) = (other)->list.at[i_]

void view_exact_join(struct view_exact *e, struct view_exact *other, const uint32_t *paths)
{
    for (size_t i = 0; i < other->calls.n; i++)
        other->calls.at[i].path = paths[other->calls.at[i].path];
    for (size_t i = 0; i < other->samples.n; i++)
        other->samples.at[i].path = paths[other->samples.at[i].path];
    e->n_windows = other->n_windows < e->n_windows ? other->n_windows : e->n_windows;
    e->is_over |= other->is_over;
    APPEND(e, other, calls);
    APPEND(e, other, collectives);
    APPEND(e, other, samples);
    APPEND(e, other, idle);
    APPEND(e, other, halves);
    keep(e);
    if (e->is_over || records(e) > RECORDS_MAX)
        make_room(e);
    for (size_t i = 0; i < other->channels.n; i++) {
        const struct view_channel *c = &other->channels.at[i];
        channel(e, &c->envelope, c->is_receive, c->row);
    }
}

/* ---- order ---- */

static int by_call(const void *x, const void *y)
{
    const struct view_call *p = x;
    const struct view_call *q = y;
    ORDER(p->row, q->row);
    ORDER(p->depth, q->depth);
    ORDER(p->begin, q->begin);
    ORDER(p->end, q->end);
    return (p->path > q->path) - (p->path < q->path);
}

static int by_collective(const void *x, const void *y)
{
    const struct view_collective *p = x;
    const struct view_collective *q = y;
    ORDER(p->row, q->row);
    ORDER(p->begin, q->begin);
    ORDER(p->end, q->end);
    return 0;
}

static int by_sample(const void *x, const void *y)
{
    const struct view_sample *p = x;
    const struct view_sample *q = y;
    ORDER(p->row, q->row);
    ORDER(p->time, q->time);
    return (p->path > q->path) - (p->path < q->path);
}

static int by_idle(const void *x, const void *y)
{
    const struct view_idle *p = x;
    const struct view_idle *q = y;
    ORDER(p->row, q->row);
    ORDER(p->begin, q->begin);
    ORDER(p->end, q->end);
    return 0;
}

static int by_message(const void *x, const void *y)
{
    const struct view_message *p = x;
    const struct view_message *q = y;
    ORDER(p->sent == NO_TIME ? p->received : p->sent, q->sent == NO_TIME ? q->received : q->sent);
    ORDER(p->received, q->received);
    ORDER(p->from, q->from);
    ORDER(p->to, q->to);
    ORDER(p->tag, q->tag);
    return 0;
}

void view_exact_sort(struct view_exact *e)
{
    LIST_SORT(&e->calls, by_call);
    LIST_SORT(&e->collectives, by_collective);
    LIST_SORT(&e->samples, by_sample);
    LIST_SORT(&e->idle, by_idle);
    LIST_SORT(&e->messages, by_message);
}
