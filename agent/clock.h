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
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/config.h"
#include "agent/segment.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

extern _Atomic bool spur_clock_is_tsc;

/*
 * A thread of the process may not read the clock of the processor: prctl(PR_SET_TSC). The C
 * library's way to the system's clocks reads it as well, so all of them are read by system calls.
 */
extern _Atomic bool spur_clock_is_banned;

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

/* A system's clock in nanoseconds. */
static inline uint64_t spur_clock_ns(clockid_t id)
{
    struct timespec t;
    if (__builtin_expect(spur_clock_is_banned, 0))
        syscall(SYS_clock_gettime, id, &t);
    else
        clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t spur_clock_monotonic(void)
{
    return spur_clock_ns(CLOCK_MONOTONIC);
}

/*
 * What takes the place of a TSC that can be read no more, or has lost the time: as many ticks as it
 * would have made at the rate that it had. False: another one has been put there before.
 */
struct spur_clock_instead {
    uint64_t ticks, monotonic; /* at one moment */
    double rate;               /* ticks in a nanosecond */
};
bool spur_clock_put_instead(const struct spur_clock_instead *instead);
bool spur_clock_has_instead(void);
/* In a child of fork(): what another thread was about to put there will not be. */
void spur_clock_after_fork(void);

/* The event clock is CLOCK_MONOTONIC itself. */
bool spur_clock_counts_ns(void);

/* The event clock where it is not the TSC. */
uint64_t spur_clock_called(void);

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
    return spur_clock_called();
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

struct spur_loc;

/*
 * The location's time is far ahead of the clock: that has gone back, when the machine or its guest
 * was resumed or moved. From now on the system's clock tells the ticks; returns what it says.
 */
uint64_t spur_clock_went_back(struct spur_loc *loc, uint64_t now);

/* More than the processors' clocks may differ by: some milliseconds in ticks, or in ns. */
enum { SPUR_CLOCK_STEP = 1 << 23 };

/* Define what has become of the clock as a property of the process. */
void spur_clock_tell(void);

#endif
