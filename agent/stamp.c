/* SPDX-License-Identifier: BSD-3-Clause */
/* What recording and finishing share of agent/death.h. */
#include <stdlib.h>

#include "agent/clock.h"
#include "agent/death.h"

static uint64_t clock_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The closest of several tries: another process may run in between. */
struct spur_stamp spur_stamp_now(void)
{
    enum { TRIES = 3 };
    struct spur_stamp stamp = {.realtime = clock_ns(CLOCK_REALTIME)};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = clock_ns(CLOCK_MONOTONIC);
        uint64_t tsc = spur_clock_tsc();
        uint64_t took = clock_ns(CLOCK_MONOTONIC) - before;
        if (took >= least)
            continue;
        least = took;
        stamp.monotonic = before + took / 2;
        stamp.tsc = tsc;
    }
    return stamp;
}

bool spur_death_parse(const char *text, struct spur_death *death)
{
    char *at;
    *death = (struct spur_death){.status = (int)strtol(text, &at, 10)};
    if (at == text || *at != ' ')
        return false;
    death->at.realtime = strtoull(at, &at, 10);
    death->at.monotonic = strtoull(at, &at, 10);
    death->at.tsc = strtoull(at, &at, 10);
    return *at == '\n' && death->at.realtime && death->at.monotonic;
}
