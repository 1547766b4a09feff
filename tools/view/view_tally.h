/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums by (a, bucket, b): rows and call paths, or senders and receivers. The values of a, and the
 * buckets of an a, arrive in order. When the records are too many, buckets get twice as long.
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
    bool is_rest; /* of an a and bucket: the sum of small records */
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
    unsigned shift_max;             /* with this shift a single bucket is left */
    size_t most;                    /* upper limit of held records */
    size_t least;                   /* held in any case, or the result would depend on `most` */
    size_t most_of_one;             /* limit for a completed a, if there is but one bucket */
    bool is_cut;                    /* to most_of_one */
    uint32_t rest;                  /* b of the sums of small records */
    const struct view_paths *paths; /* paths with the number b; NULL: b are processes */
    uint32_t a;
    uint32_t bucket;
    struct tally_slot *slots;
    size_t n_slots;
    LIST(uint32_t) touched;
};

/* At the end `most` records are wanted, of n_a values of a. */
void view_tally_init(struct view_tally *t, uint32_t buckets, size_t most, uint32_t n_a,
                     uint32_t rest);
void view_tally_share(struct view_tally *t, unsigned workers); /* most */
void view_tally_free(struct view_tally *t);
void view_tally_flush(struct view_tally *t);
void view_tally_room(struct view_tally *t, uint32_t b);

/*
 * In the order of a, bucket, b, without duplicates; buckets get as long as necessary for at most
 * `most` records.
 */
void view_tally_finish(struct view_tally *t, size_t most);

/* Adds the records of another tally, whose b are renumbered. */
void view_tally_join(struct view_tally *t, struct view_tally *other, const uint32_t *numbers);

/*
 * If there are more than `most` records, or were too many to hold before, only the greatest records
 * of each a and bucket stay. All other records of an a and bucket become one record, with the
 * number `rest`. Returns whether records were cut.
 */
bool view_tally_cut(struct view_tally *t, size_t most, uint32_t n_a);

/* The following sums belong to this a and bucket. */
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
