/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the clocks. Which of them times events is chosen by agent/state/event_clock.h. */
#ifndef SPUR_CLOCK_READ_H
#define SPUR_CLOCK_READ_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

extern _Atomic bool spur_clock_is_tsc;

/*
 * A thread of the process may not read the clock of the processor: prctl(PR_SET_TSC). The C
 * library's way to the system's clocks reads it as well, so all of them are read by system calls.
 */
extern _Atomic bool spur_clock_is_banned;

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
 * By the compiler's builtin: the headers of intrinsics are larger than all else that is included
 * here. Not fenced: a few instructions may move across, which is less than the resolution that a
 * fence would cost. That time does not run backwards on a location is ensured where it is recorded.
 */
static inline uint64_t spur_clock_now(void)
{
#if defined(__x86_64__)
    if (spur_clock_is_tsc)
        return __builtin_ia32_rdtsc();
#endif
    return spur_clock_called();
}

/* The same where spur_clock_is_tsc is known to be true. */
static inline uint64_t spur_clock_tsc(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}

#endif
