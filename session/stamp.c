/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/stamp.h"

#include <stdlib.h>

#include "session/clock_read.h"
#include "session/segment.h"

/* 0: it is not known. */
static uint64_t tsc_now(void)
{
    if (spur_clock_has_instead())
        return spur_clock_called();
    return spur_clock_is_banned ? 0 : spur_clock_tsc();
}

/* The closest of several tries: another process may run in between. */
struct spur_stamp spur_stamp_now(void)
{
    enum { TRIES = 3 };
    struct spur_stamp stamp = {.realtime = spur_clock_ns(CLOCK_REALTIME)};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = spur_clock_ns(CLOCK_MONOTONIC);
        uint64_t tsc = tsc_now();
        uint64_t took = spur_clock_ns(CLOCK_MONOTONIC) - before;
        if (took >= least)
            continue;
        least = took;
        stamp.monotonic = before + took / 2;
        stamp.tsc = tsc;
    }
    return stamp;
}

uint64_t spur_stamp_ticks(const struct spur_stamp *stamp, uint32_t clock)
{
    if (clock == SPUR_CLOCK_MONOTONIC)
        return stamp->monotonic;
    return clock == SPUR_CLOCK_HERE ? stamp->tsc : 0;
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
