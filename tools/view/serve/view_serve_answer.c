/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/serve/view_serve_answer.h"

#include <stdlib.h>
#include <string.h>

#include "tools/view/view_data.h"

enum { HEAD_BYTES = 16, ENTRY_BYTES = 24, NAME_BYTES = 12, SECTIONS_MAX = 9 };

static const uint8_t magic[8] = {'S', 'P', 'U', 'R', 'W', 'I', 'N', '1'};

struct answer {
    struct view_bytes bytes; /* of the sections */
    struct entry {
        const char *name;
        size_t records;
        size_t at;
    } entries[SECTIONS_MAX];
    size_t n;
};

/* ---- what belongs to the window ---- */

#define KEEP(list, condition)                                                                      \
    do {                                                                                           \
        size_t kept_ = 0;                                                                          \
        for (size_t i_ = 0; i_ < (list)->n; i_++) {                                                \
            __typeof__((list)->at) item = &(list)->at[i_];                                         \
            if (condition)                                                                         \
                (list)->at[kept_++] = *item;                                                       \
        }                                                                                          \
        (list)->n = kept_;                                                                         \
    } while (0)

static bool touches(const struct view_window *w, uint64_t one, uint64_t other)
{
    uint64_t begin = one < other ? one : other;
    uint64_t end = one < other ? other : one;
    return begin <= w->to && end >= w->from;
}

static bool is_wanted(const struct serve_found *f, const struct view_message *m)
{
    uint64_t sent = m->sent == NO_TIME ? m->received : m->sent;
    uint64_t received = m->received == NO_TIME ? m->sent : m->received;
    return touches(&f->window, sent, received) &&
           ((m->from != NIL && f->is_asked[m->from]) || (m->to != NIL && f->is_asked[m->to]));
}

/* What is in the window, and the last value in front of it and the first behind. */
static void keep_values(struct view_curve *curve, const struct view_window *w)
{
    size_t first = 0;
    size_t n = curve->stretches.n;
    while (first + 1 < n && curve->stretches.at[first + 1].least.time < w->from)
        first++;
    while (n > first + 1 && curve->stretches.at[n - 2].least.time > w->to)
        n--;
    memmove(curve->stretches.at, curve->stretches.at + first,
            (n - first) * sizeof curve->stretches.at[0]);
    curve->stretches.n = n - first;
}

static void keep_counters(const struct serve_found *f)
{
    struct view_counters *c = &f->part->counters;
    for (size_t i = 0; i < c->curves.n; i++) {
        struct view_curve *curve = &c->curves.at[i];
        bool is_asked = f->is_asked[curve->row] && f->sections & 1U << SERVE_COUNTERS &&
                        serve_numbers_metric(f->numbers, curve->row, curve->member) != NIL;
        if (is_asked)
            keep_values(curve, &f->window);
        else
            curve->stretches.n = 0;
    }
}

static void keep_calls(const struct serve_found *f)
{
    struct view_exact *e = &f->part->exact;
    bool has_calls = f->sections & 1U << SERVE_CALLS;
    KEEP(&e->calls, has_calls && f->is_asked[item->row]);
    KEEP(&e->idle, has_calls && f->is_asked[item->row]);
}

static void keep_what_is_asked(const struct serve_found *f)
{
    struct view_exact *e = &f->part->exact;
    keep_calls(f);
    KEEP(&e->messages, is_wanted(f, item) && f->sections & 1U << SERVE_MESSAGES);
    KEEP(&e->collectives, f->is_asked[item->row] && f->sections & 1U << SERVE_COLLECTIVES);
    KEEP(&e->samples, f->is_asked[item->row] && f->sections & 1U << SERVE_SAMPLES);
    keep_counters(f);
}

/* ---- numbers ---- */

static void put_u32(struct view_bytes *b, uint32_t value)
{
    for (size_t i = 0; i < sizeof value; i++)
        *LIST_ADD(&b->of) = (uint8_t)(value >> 8 * i);
}

static size_t put_metrics(struct view_bytes *b, const struct serve_found *f)
{
    const struct view_counters *c = &f->part->counters;
    size_t n = 0;
    for (unsigned column = 0; column < 3; column++) {
        uint32_t first = 0;
        n = 0;
        for (size_t i = 0; i < c->curves.n; i++) {
            const struct view_curve *curve = &c->curves.at[i];
            uint32_t count = (uint32_t)view_data_points(curve);
            uint32_t columns[] = {serve_numbers_metric(f->numbers, curve->row, curve->member),
                                  first, count};
            if (count)
                put_u32(b, columns[column]);
            n += count != 0;
            first += count;
        }
    }
    return n;
}

/* Calls and samples of paths that the page does not have: those get numbers behind its own. */
static size_t number_paths(struct view_bytes *b, const struct serve_found *f,
                           struct view_numbers *numbers)
{
    const struct view_part *p = f->part;
    size_t room = 0;
    size_t all = p->paths.all.n;
    bool *is_used = list_grow(NULL, &room, all + 1, sizeof *is_used);
    LIST(uint32_t) added = {0};
    for (size_t i = 0; i < p->exact.calls.n; i++)
        is_used[p->exact.calls.at[i].path] = true;
    for (size_t i = 0; i < p->exact.samples.n; i++)
        is_used[p->exact.samples.at[i].path] = true;
    for (size_t i = all; i--;)
        if (is_used[i] && p->paths.all.at[i].parent != NIL)
            is_used[p->paths.all.at[i].parent] = true;
    for (uint32_t i = 0; i < all; i++)
        if (is_used[i] && numbers->path[i] == NIL) {
            numbers->path[i] = f->numbers->n_paths + (uint32_t)added.n;
            *LIST_ADD(&added) = i;
        }
    for (unsigned column = 0; column < 3; column++)
        for (size_t i = 0; i < added.n; i++) {
            const struct view_path *path = &p->paths.all.at[added.at[i]];
            uint32_t columns[] = {path->parent == NIL ? NIL : numbers->path[path->parent],
                                  view_numbers_region(numbers, path->region), path->kind};
            put_u32(b, columns[column]);
        }
    size_t n = added.n;
    free(is_used);
    free(added.at);
    return n;
}

/* ---- bytes ---- */

/* What has been put since the last section was ended. */
static void end_section(struct answer *a, const char *name, size_t records)
{
    size_t at = a->n ? a->entries[a->n].at : 0;
    if (records)
        a->entries[a->n++] = (struct entry){name, records, at};
    while (a->bytes.of.n % 8)
        *LIST_ADD(&a->bytes.of) = 0;
    a->entries[a->n].at = a->bytes.of.n;
}

static void put_sections(struct answer *a, const struct serve_found *f,
                         struct view_numbers *numbers)
{
    const struct view_exact *e = &f->part->exact;
    struct view_bytes *b = &a->bytes;
    size_t points = 0;
    for (size_t i = 0; i < f->part->counters.curves.n; i++)
        points += view_data_points(&f->part->counters.curves.at[i]);
    end_section(a, "paths", number_paths(b, f, numbers));
    view_data_calls(b, e, numbers);
    end_section(a, "calls", e->calls.n);
    view_data_messages(b, e, numbers);
    end_section(a, "messages", e->messages.n);
    view_data_collectives(b, e, numbers);
    end_section(a, "collectives", e->collectives.n);
    view_data_samples(b, e, numbers);
    end_section(a, "samples", e->samples.n);
    view_data_idle(b, e);
    end_section(a, "idle", e->idle.n);
    view_data_counters(b, &f->part->counters);
    end_section(a, "counters", points);
    end_section(a, "metrics", put_metrics(b, f));
}

static uint8_t *put(uint8_t *to, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        *to++ = (uint8_t)(value >> 8 * i);
    return to;
}

struct serve_answer serve_answer_make(const struct serve_found *found)
{
    struct answer a = {0};
    struct view_numbers numbers;
    keep_what_is_asked(found);
    serve_numbers_extend(&numbers, found->numbers, found->part);
    put_sections(&a, found, &numbers);
    size_t head = HEAD_BYTES + a.n * ENTRY_BYTES;
    uint8_t *bytes = malloc(head + a.bytes.of.n);
    if (bytes) {
        memcpy(bytes, magic, sizeof magic);
        unsigned flags = (found->has_trouble ? SERVE_IS_CUT : 0) |
                         (found->has_loose_ends ? SERVE_HAS_LOOSE_ENDS : 0);
        uint8_t *to = put(bytes + 8, flags, 4);
        to = put(to, a.n, 4);
        for (size_t i = 0; i < a.n; i++) {
            memset(to, 0, NAME_BYTES);
            memcpy(to, a.entries[i].name, strlen(a.entries[i].name));
            to = put(to + NAME_BYTES, a.entries[i].records, 4);
            to = put(to, head + a.entries[i].at, 8);
        }
        if (a.bytes.of.n)
            memcpy(to, a.bytes.of.at, a.bytes.of.n);
    }
    view_numbers_free(&numbers);
    free(a.bytes.of.at);
    if (!bytes)
        return (struct serve_answer){.status = 503, .text = "no memory for this window"};
    return (struct serve_answer){.status = 200, .bytes = bytes, .n_bytes = head + a.bytes.of.n};
}
