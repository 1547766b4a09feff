/* SPDX-License-Identifier: BSD-3-Clause */
/* Random orders of calls: the same ones for the same seed. */
#ifndef REFERENCE_ORDERS_H
#define REFERENCE_ORDERS_H

#include "common.h"

enum { ORDER_NAME = 64 };

struct order {
    void (*call)(void);
    unsigned weight;
};

static uint64_t order_state;

static inline void order_begin(uint64_t seed)
{
    order_state = seed * UINT64_C(0x9e3779b97f4a7c15);
}

/* One of the numbers below `n`. */
static inline uint64_t draw(uint64_t n)
{
    order_state = order_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (order_state >> 33) % n;
}

#define ORDER_ANY(calls) order_any(calls, sizeof(calls) / sizeof(calls)[0])

/* Make one of `n` calls. */
static inline void order_any(const struct order *calls, size_t n)
{
    unsigned total = 0;
    for (size_t i = 0; i < n; i++)
        total += calls[i].weight;
    uint64_t at = draw(total);
    for (; at >= calls->weight; calls++)
        at -= calls->weight;
    calls->call();
}

/* ---- which seeds: SEED, the first one, and ORDERS, how many, in the environment ---- */

static inline uint64_t order_setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static inline uint64_t order_first(void)
{
    return order_setting("SEED", 1);
}

static inline uint64_t order_count(uint64_t otherwise)
{
    return order_setting("ORDERS", otherwise);
}

/* What makes this seed again. */
static inline const char *order_name(uint64_t seed, char name[ORDER_NAME])
{
    snprintf(name, ORDER_NAME, "SEED=%" PRIu64 " ORDERS=1", seed);
    return name;
}

#endif
