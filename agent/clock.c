/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/clock.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { TRIES = 16 };

bool spur_clock_is_tsc;

#if defined(__x86_64__)
static bool tsc_is_invariant(void)
{
    const unsigned power_leaf = 0x80000007;
    const unsigned invariant = 1u << 8;
    unsigned a, b, c, d;
    return __get_cpuid(power_leaf, &a, &b, &c, &d) && d & invariant;
}

/* The kernel watches its clocks and drops a TSC that differs between the processors. */
static bool kernel_uses_tsc(void)
{
    char text[16] = "";
    long fd = syscall(SYS_openat, AT_FDCWD,
                      "/sys/devices/system/clocksource/clocksource0/current_clocksource",
                      O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    long n = syscall(SYS_read, fd, text, sizeof text - 1);
    syscall(SYS_close, fd);
    return n >= 3 && strncmp(text, "tsc", 3) == 0 && (text[3] == '\n' || text[3] == '\0');
}
#else
static bool tsc_is_invariant(void)
{
    return false;
}

static bool kernel_uses_tsc(void)
{
    return false;
}
#endif

enum spur_clock_kind spur_clock_init(enum spur_clock_choice wish)
{
    bool sound = tsc_is_invariant() && (wish == SPUR_CLOCK_WANT_TSC || kernel_uses_tsc());
    spur_clock_is_tsc = wish != SPUR_CLOCK_WANT_MONOTONIC && sound;
    return spur_clock_is_tsc ? SPUR_CLOCK_TSC : SPUR_CLOCK_MONOTONIC;
}

struct spur_moment spur_clock_moment(void)
{
    struct spur_moment best = {0};
    uint64_t best_width = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = spur_clock_now();
        uint64_t monotonic = spur_clock_monotonic();
        uint64_t after = spur_clock_now();
        if (after - before >= best_width)
            continue;
        best_width = after - before;
        best.ticks = spur_clock_is_tsc ? before + best_width / 2 : monotonic;
        best.monotonic = monotonic;
    }
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    best.realtime = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    best.realtime -= spur_clock_monotonic() - best.monotonic;
    return best;
}
