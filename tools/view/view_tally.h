/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums by (a, bucket, b), of which a and the buckets of an a come in their order: rows and call
 * paths, processes and those that they send to. When there are too many, buckets get twice as long.
 */
#ifndef TOOLS_VIEW_TALLY_H
#define TOOLS_VIEW_TALLY_H

#include "tools/view/view.h"
#include "tools/view/view_paths.h"

struct tally_record {
    uint64_t value;
    uint64_t n;
    uint32_t a;
    uint32_t bucket;
    uint32_t b;
    uint32_t samples;
    bool is_rest; /* of an a and bucket: what was put together */
};

/* The sums of the current (a, bucket), by b. */
struct tally_slot {
    uint64_t value;
    uint64_t n;
    uint32_t samples;
    bool is_used;
};

struct view_tally {
    LIST(struct tally_record) all;
    unsigned shift;
    unsigned shift_max;             /* then there is one bucket */
    size_t most;                    /* records to be held */
    size_t least;                   /* and so many in any case, or the result would depend on it */
    size_t most_of_one;             /* of an a that is over, when there is but one bucket */
    bool is_cut;                    /* to that */
    uint32_t rest;                  /* b of what is put together then */
    const struct view_paths *paths; /* that b are; NULL: they are processes */
    uint32_t a;
    uint32_t bucket;
    struct tally_slot *slots;
    size_t n_slots;
    LIST(uint32_t) touched;
};

/* In the end `most` are wanted, of n_a a. */
void view_tally_init(struct view_tally *t, uint32_t buckets, size_t most, uint32_t n_a,
                     uint32_t rest);
void view_tally_share(struct view_tally *t, unsigned workers); /* what may be held */
void view_tally_free(struct view_tally *t);
void view_tally_flush(struct view_tally *t);
void view_tally_room(struct view_tally *t, uint32_t b);

/* In the order of a, bucket, b, each once; buckets are as long as it needs to have no more than
 * that. */
void view_tally_finish(struct view_tally *t, size_t most);

/* Adds the records of another one, whose b are renumbered. */
void view_tally_join(struct view_tally *t, struct view_tally *other, const uint32_t *numbers);

/*
 * If there are more than that, or there were when there was no room for them, only the greatest of
 * each a and bucket stay. The others become one, of the number `rest`. Whether that was done.
 */
bool view_tally_cut(struct view_tally *t, size_t most, uint32_t n_a);

/* What comes next is of this a and bucket. */
static inline void view_tally_at(struct view_tally *t, uint32_t a, uint32_t bucket)
{
    if (t->a == a && t->bucket == bucket)
        return;
    view_tally_flush(t);
    t->a = a;
    t->bucket = bucket;
}

static inline struct tally_slot *view_tally_slot(struct view_tally *t, uint32_t b)
{
    if (__builtin_expect(b >= t->n_slots, 0))
        view_tally_room(t, b);
    struct tally_slot *slot = &t->slots[b];
    if (!slot->is_used) {
        slot->is_used = true;
        *LIST_ADD(&t->touched) = b;
    }
    return slot;
}

#endif
