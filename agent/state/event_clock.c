/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/state/event_clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/procfs.h"
#include "session/journal.h"

#if defined(__x86_64__) && __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#pragma weak __x86_get_cpuid_feature_leaf /* of glibc 2.33 and newer */
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { TRIES = 16, ID_BYTES = 512 };

#if defined(__x86_64__)
/* The C library has asked, if it is new: in a virtual machine the instruction costs some 10 us. */
static bool tsc_is_invariant(void)
{
#ifdef CPU_FEATURE_PRESENT
    if (__x86_get_cpuid_feature_leaf)
        return CPU_FEATURE_PRESENT(INVARIANT_TSC);
#endif
    const unsigned power_leaf = 0x80000007;
    const unsigned invariant = 1u << 8;
    unsigned a, b, c, d;
    return __get_cpuid(power_leaf, &a, &b, &c, &d) && d & invariant;
}
#else
/* The architecture demands it of the counter, if it has one. */
static bool tsc_is_invariant(void)
{
    return sizeof SPUR_CLOCK_SOURCE > 1;
}
#endif

/* The kernel watches its clocks and drops a TSC that differs between the processors. */
static bool kernel_uses_tsc(void)
{
    enum { LENGTH = sizeof SPUR_CLOCK_SOURCE - 1 };
    char text[LENGTH + 2] = "";
    long n = spur_procfs_read("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                              text, sizeof text);
    return n >= LENGTH && strncmp(text, SPUR_CLOCK_SOURCE, LENGTH) == 0 &&
           (text[LENGTH] == '\n' || text[LENGTH] == '\0');
}

/* Threads, children and programs that are executed inherit it. */
static bool is_forbidden(void)
{
    int is_allowed = PR_TSC_ENABLE;
    return syscall(SYS_prctl, PR_GET_TSC, &is_allowed, 0, 0, 0) == 0 &&
           is_allowed == PR_TSC_SIGSEGV;
}

enum spur_clock_kind spur_clock_init(enum spur_clock_choice wish)
{
    spur_clock_is_banned = is_forbidden();
    bool sound = !spur_clock_is_banned && tsc_is_invariant() &&
                 (wish == SPUR_CLOCK_WANT_TSC || kernel_uses_tsc());
    spur_clock_is_tsc = wish != SPUR_CLOCK_WANT_MONOTONIC && sound;
    return spur_clock_is_tsc ? SPUR_CLOCK_HERE : SPUR_CLOCK_MONOTONIC;
}

struct spur_moment spur_clock_moment(void)
{
    struct spur_moment best = {0};
    uint64_t best_width = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = spur_clock_now();
        uint64_t monotonic = spur_clock_monotonic();
        uint64_t after = spur_clock_now();
        uint64_t realtime = spur_clock_ns(CLOCK_REALTIME);
        uint64_t width = spur_clock_now() - before;
        if (width >= best_width)
            continue;
        best_width = width;
        best.ticks = spur_clock_counts_ns() ? monotonic : before + (after - before) / 2;
        best.monotonic = monotonic;
        best.realtime = realtime;
    }
    return best;
}

/*
 * The shift of CLOCK_MONOTONIC by a time namespace, in words. The kernel tells that of the
 * namespace in which children will be: another one than ours only after a call of unshare(2).
 */
static void describe_shift(char *text, size_t size)
{
    char own[64] = "", next[64] = "", offsets[128] = "";
    ssize_t n = readlink("/proc/self/ns/time", own, sizeof own - 1);
    if (n <= 0)
        return; /* a kernel without time namespaces */
    n = readlink("/proc/self/ns/time_for_children", next, sizeof next - 1);
    if (n > 0 && strcmp(own, next) != 0) {
        snprintf(text, size, "%s", own);
        return;
    }
    static const char name[] = "monotonic";
    spur_procfs_read("/proc/self/timens_offsets", offsets, sizeof offsets);
    char *at = strstr(offsets, name);
    long long seconds = at ? strtoll(at + strlen(name), &at, 10) : 0;
    long long nanoseconds = at ? strtoll(at, NULL, 10) : 0;
    snprintf(text, size, "%lld.%09lld", seconds, nanoseconds);
}

uint64_t spur_clock_identify(enum spur_clock_kind kind)
{
    union {
        char text[ID_BYTES];
        uint64_t word[ID_BYTES / sizeof(uint64_t)];
    } id = {.text = ""};
    char boot[SPUR_BOOT_ID_BYTES], shift[64] = "";
    struct utsname host = {.nodename = ""};
    if (!spur_procfs_boot_id(boot))
        uname(&host); /* better than to take all such hosts for one */
    if (kind == SPUR_CLOCK_MONOTONIC)
        describe_shift(shift, sizeof shift);
    snprintf(id.text, sizeof id.text, "%d/%s/%s/%s", kind, boot, host.nodename, shift);
    uint64_t hash = spur_hash(0, id.word, sizeof id.word / sizeof id.word[0]);
    return hash ? hash : 1;
}
