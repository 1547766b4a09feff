/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the clocks. agent/state/event_clock.h chooses the clock that times events. */
#ifndef SPUR_CLOCK_READ_H
#define SPUR_CLOCK_READ_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

extern _Atomic bool spur_clock_is_tsc;

/*
 * A thread of the process may not read the clock of the processor: prctl(PR_SET_TSC). The C library
 * reads the same clock on the way to the clocks of the system, so all clocks of the system are read
 * by system calls.
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
 * The replacement of a TSC that can no longer be read, or has lost the time: as many ticks as the
 * TSC would have made at the former rate. False: a replacement has been put there before.
 */
struct spur_clock_instead {
    uint64_t ticks, monotonic; /* at one moment */
    double rate;               /* ticks in a nanosecond */
};
bool spur_clock_put_instead(const struct spur_clock_instead *instead);
bool spur_clock_has_instead(void);
/* In a child of fork(): a replacement that another thread was about to put there will not come. */
void spur_clock_after_fork(void);

/* The event clock is CLOCK_MONOTONIC itself. */
bool spur_clock_counts_ns(void);

/* The event clock if the event clock is not the TSC. */
uint64_t spur_clock_called(void);

/*
 * The counter of a processor for the time. All such counters are called TSC here, like the counter
 * of x86-64. Below: the kind of the counter in a segment, the name of the counter, and the name of
 * the kernel's clock source that reads the counter; "": there is no such source.
 */
#if defined(__x86_64__)
#define SPUR_CLOCK_HERE SPUR_CLOCK_TSC
#define SPUR_CLOCK_COUNTER "TSC"
#define SPUR_CLOCK_SOURCE "tsc"
#elif defined(__aarch64__)
#define SPUR_CLOCK_HERE SPUR_CLOCK_CNTVCT
#define SPUR_CLOCK_COUNTER "CNTVCT"
#define SPUR_CLOCK_SOURCE "arch_sys_counter"
#elif defined(__riscv)
#define SPUR_CLOCK_HERE SPUR_CLOCK_TIME_CSR
#define SPUR_CLOCK_COUNTER "time CSR"
#define SPUR_CLOCK_SOURCE "riscv_clocksource"
#else
#define SPUR_CLOCK_HERE SPUR_CLOCK_MONOTONIC
#define SPUR_CLOCK_COUNTER "counter"
#define SPUR_CLOCK_SOURCE ""
#endif

/*
 * By the compiler's builtin: the headers of intrinsics are larger than all other headers included
 * here. Not fenced: a few instructions may move across the reading. The error is smaller than the
 * resolution lost by a fence. The recorder of a location ensures that time does not run backwards
 * on the location.
 */
static inline uint64_t spur_clock_tsc(void)
{
    uint64_t ticks = 0;
#if defined(__x86_64__)
    ticks = __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
#elif defined(__riscv)
    __asm__ volatile("rdtime %0" : "=r"(ticks));
#endif
    return ticks;
}

static inline uint64_t spur_clock_now(void)
{
    return spur_clock_is_tsc ? spur_clock_tsc() : spur_clock_called();
}

#endif
