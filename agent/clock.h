/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The event clock. Ticks are raw: the TSC where it is invariant and the kernel itself trusts it,
 * else nanoseconds of CLOCK_MONOTONIC. The frequency is found from two moments, at the start and
 * at the end of the run, by whoever finishes the archive.
 */
#ifndef SPUR_CLOCK_H
#define SPUR_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "agent/config.h"
#include "agent/segment.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

extern bool spur_clock_is_tsc;

/*
 * Choose the source. Returns the one in force; a wish for the TSC on a machine without a usable
 * one is answered with SPUR_CLOCK_MONOTONIC.
 */
enum spur_clock_kind spur_clock_init(enum spur_clock_choice wish);

/*
 * Identity of the clock that spur_clock_init() has chosen: a hash of the boot, of the kind of clock
 * and, since CLOCK_MONOTONIC is shifted by time namespaces and the TSC is not, of the shift.
 */
uint64_t spur_clock_identify(enum spur_clock_kind kind);

/* Event clock and system clocks at one moment: the closest of several tries. */
struct spur_moment spur_clock_moment(void);

static inline uint64_t spur_clock_monotonic(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/*
 * Not fenced: a few instructions may move across, which is less than the resolution that a fence
 * would cost. That time does not run backwards on a location is ensured where it is recorded.
 */
static inline uint64_t spur_clock_now(void)
{
#if defined(__x86_64__)
    if (spur_clock_is_tsc)
        return __rdtsc();
#endif
    return spur_clock_monotonic();
}

/* The same where spur_clock_is_tsc is known to be true. */
static inline uint64_t spur_clock_tsc(void)
{
#if defined(__x86_64__)
    return __rdtsc();
#else
    return 0;
#endif
}

#endif
