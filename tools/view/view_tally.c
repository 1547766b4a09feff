/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_tally.h"

#include <stdlib.h>
#include <string.h>

enum { HELD_MAX = 4 << 20 };

static size_t share_of(size_t most, uint32_t n_a)
{
    return 1 + most / (n_a ? n_a : 1);
}

void view_tally_init(struct view_tally *t, uint32_t buckets, size_t most, uint32_t n_a,
                     uint32_t rest)
{
    *t = (struct view_tally){.most = HELD_MAX, .a = NIL, .rest = rest};
    t->least = 2 * most;
    t->most_of_one = share_of(most, n_a);
    while (buckets > UINT32_C(1) << t->shift_max)
        t->shift_max++;
}

void view_tally_share(struct view_tally *t, unsigned workers)
{
    size_t most = t->most / workers;
    t->most = most > t->least ? most : t->least;
}

void view_tally_free(struct view_tally *t)
{
    free(t->all.at);
    free(t->slots);
    free(t->touched.at);
}

void view_tally_room(struct view_tally *t, uint32_t b)
{
    t->slots = list_grow(t->slots, &t->n_slots, (size_t)b + 1, sizeof *t->slots);
}

static int by_key(const void *x, const void *y)
{
    const struct tally_record *p = x;
    const struct tally_record *q = y;
    ORDER(p->a, q->a);
    ORDER(p->bucket, q->bucket);
    return (p->b > q->b) - (p->b < q->b);
}

/* How many from there on are of the same a and bucket. */
static size_t neighbours(const struct view_tally *t, size_t first)
{
    const struct tally_record *all = t->all.at;
    size_t n = 1;
    while (first + n < t->all.n && all[first + n].a == all[first].a &&
           all[first + n].bucket == all[first].bucket)
        n++;
    return n;
}

static bool are_ordered(const struct tally_record *records, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (by_key(&records[i - 1], &records[i]) > 0)
            return false;
    return true;
}

/* They come by a and bucket, unless parts were joined: then only neighbours have to be sorted. */
static void put_in_order(struct view_tally *t)
{
    for (size_t i = 0, n = 0; i < t->all.n; i += n) {
        n = neighbours(t, i);
        if (!are_ordered(&t->all.at[i], n))
            qsort(&t->all.at[i], n, sizeof t->all.at[0], by_key);
        if (i && by_key(&t->all.at[i - 1], &t->all.at[i]) > 0) {
            qsort(t->all.at, t->all.n, sizeof t->all.at[0], by_key);
            return;
        }
    }
}

static void combine(struct view_tally *t)
{
    size_t n = 0;
    put_in_order(t);
    for (size_t i = 0; i < t->all.n; i++) {
        const struct tally_record *from = &t->all.at[i];
        if (n && !by_key(&t->all.at[n - 1], from)) {
            struct tally_record *to = &t->all.at[n - 1];
            to->value += from->value;
            to->n += from->n;
            to->samples += from->samples;
        } else {
            t->all.at[n++] = *from;
        }
    }
    t->all.n = n;
}

static void coarsen(struct view_tally *t)
{
    t->shift++;
    for (size_t i = 0; i < t->all.n; i++)
        t->all.at[i].bucket >>= 1;
    combine(t);
}

/* ---- fewer ---- */

/* What was put together is last, so that it does not matter how often that is done. */
static int by_value(const void *x, const void *y, void *tally)
{
    const struct view_tally *t = tally;
    const struct tally_record *p = x;
    const struct tally_record *q = y;
    if (p->is_rest != q->is_rest)
        return p->is_rest ? 1 : -1;
    ORDER(q->value, p->value);
    if (p->is_rest || !t->paths)
        return (p->b > q->b) - (p->b < q->b);
    uint64_t one = t->paths->all.at[p->b].hash;
    uint64_t other = t->paths->all.at[q->b].hash;
    return (one > other) - (one < other);
}

/* Those of one a and bucket, n of them. How many are left. */
static size_t cut(struct view_tally *t, struct tally_record *records, size_t n, size_t most)
{
    if (n <= most)
        return n;
    qsort_r(records, n, sizeof *records, by_value, t);
    struct tally_record *last = &records[most - 1];
    last->b = t->rest;
    last->is_rest = true;
    for (size_t i = most; i < n; i++) {
        last->value += records[i].value;
        last->n += records[i].n;
        last->samples += records[i].samples;
    }
    return most;
}

/* All a but one, which may not be over. */
static void cut_all(struct view_tally *t, size_t most, uint32_t but)
{
    size_t kept = 0;
    size_t all = t->all.n;
    for (size_t i = 0, n = 0; i < all; i += n) {
        n = neighbours(t, i);
        bool is_over = t->all.at[i].a != but;
        size_t left = is_over ? cut(t, &t->all.at[i], n, most) : n;
        memmove(&t->all.at[kept], &t->all.at[i], left * sizeof t->all.at[0]);
        kept += left;
    }
    t->all.n = kept;
    combine(t);
}

bool view_tally_cut(struct view_tally *t, size_t most, uint32_t n_a)
{
    if (t->all.n <= most && !t->is_cut)
        return false;
    cut_all(t, share_of(most, n_a), NIL);
    return true;
}

/* When there are too many to be held. */
static void shrink(struct view_tally *t)
{
    if (t->all.n <= t->most)
        return;
    combine(t);
    while (t->all.n > t->most / 2 && t->shift < t->shift_max)
        coarsen(t);
    if (t->all.n > t->most / 2) {
        cut_all(t, t->most_of_one, t->a);
        t->is_cut = true;
    }
}

void view_tally_flush(struct view_tally *t)
{
    for (size_t i = 0; i < t->touched.n; i++) {
        struct tally_slot *slot = &t->slots[t->touched.at[i]];
        *LIST_ADD(&t->all) = (struct tally_record){.value = slot->value,
                                                   .n = slot->n,
                                                   .a = t->a,
                                                   .bucket = t->bucket >> t->shift,
                                                   .b = t->touched.at[i],
                                                   .samples = slot->samples,
                                                   .is_rest = false};
        *slot = (struct tally_slot){0};
    }
    t->touched.n = 0;
    shrink(t);
}

void view_tally_finish(struct view_tally *t, size_t most)
{
    view_tally_flush(t);
    combine(t);
    while (t->all.n > most && t->shift < t->shift_max)
        coarsen(t);
}

void view_tally_join(struct view_tally *t, struct view_tally *other, const uint32_t *numbers)
{
    view_tally_flush(t);
    view_tally_flush(other);
    while (t->shift < other->shift)
        coarsen(t);
    while (other->shift < t->shift)
        coarsen(other);
    t->is_cut |= other->is_cut;
    for (size_t i = 0; i < other->all.n; i++) {
        struct tally_record *record = LIST_ADD(&t->all);
        *record = other->all.at[i];
        record->b = numbers ? numbers[record->b] : record->b;
    }
    shrink(t);
}
