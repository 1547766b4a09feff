/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The holders of locks, with the numbers of their acquisitions. Every call takes the same time,
 * however many locks are held: a lock that is always released by another thread than the owner is
 * held for ever.
 */
#ifndef CHECK_HOLDS_H
#define CHECK_HOLDS_H

#include "tools/check/check.h"

struct hold {
    const struct location *at;
    uint32_t order; /* number of the acquisition */
    bool is_shared;
};

struct holder;

/* All holds of one lock. Zeros at first; the struct must not move. */
struct held {
    struct hold last; /* most locks are held once at a time: apart from the maps */
    bool has_last;
    struct holder *exclusive; /* locations with an exclusive hold */
};

/* The maps for all locks of an archive. */
struct holds {
    struct table numbers; /* struct number */
    struct table holders; /* struct holder */
};

void holds_begin(struct holds *holds);
void holds_end(struct holds *holds);

void holds_add(struct holds *holds, struct held *held, struct hold new);

/* A hold that excludes `wish` at the same time; NULL: no rival. Valid until the next change. */
const struct hold *holds_rival(const struct held *held, const struct hold *wish);

/* Takes out the latest hold with the given number. False: no hold has that number. */
bool holds_take(struct holds *holds, struct held *held, uint32_t order, struct hold *taken);

/* Takes out any hold of the given location. */
void holds_take_any(struct holds *holds, struct held *held, const struct location *at);

#endif
