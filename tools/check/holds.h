/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who holds a lock, and under which numbers of acquisition. Every call takes the same time, however
 * much is held: a lock that is always released by another thread than its owner is held for ever.
 */
#ifndef CHECK_HOLDS_H
#define CHECK_HOLDS_H

#include "tools/check/check.h"

struct hold {
    const struct location *at;
    uint32_t order; /* the number */
    bool is_shared;
};

struct holder;

/* What is held of one lock. Zeros at first; it must not move. */
struct held {
    struct hold last; /* most locks are held once at a time: it is kept apart from the maps */
    bool has_last;
    struct holder *exclusive; /* locations that share it with nobody */
};

/* For all locks of an archive. */
struct holds {
    struct table numbers; /* struct number */
    struct table holders; /* struct holder */
};

void holds_begin(struct holds *holds);
void holds_end(struct holds *holds);

void holds_add(struct holds *holds, struct held *held, struct hold new);

/* One that rules out that `wish` is held as well; NULL: none. Valid until the next change. */
const struct hold *holds_rival(const struct held *held, const struct hold *wish);

/* Takes out the latest one of that number. False: there is none. */
bool holds_take(struct holds *holds, struct held *held, uint32_t order, struct hold *taken);

/* Takes out any of that location. */
void holds_take_any(struct holds *holds, struct held *held, const struct location *at);

#endif
