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
 * The counter that a processor has for the time. All of them are called TSC here, as that of
 * x86-64. Its kind in a segment, its name, and that of the kernel's source of time which reads it;
 * "": there is none.
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
 * By the compiler's builtin: the headers of intrinsics are larger than all else that is included
 * here. Not fenced: a few instructions may move across, which is less than the resolution that a
 * fence would cost. That time does not run backwards on a location is ensured where it is recorded.
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
