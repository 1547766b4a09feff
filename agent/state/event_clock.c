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

enum { TRIES = 16, ID_BYTES = 512 };

static void source_of_kernel(char *text, size_t size)
{
    (void)spur_procfs_read(SPUR_CLOCK_SOURCE_FILE, text, size);
}

struct spur_clock_machine spur_clock_machine = {source_of_kernel, clock_gettime};

/* Threads, children and programs that are executed inherit it. */
static bool is_forbidden(void)
{
    int is_allowed = PR_TSC_ENABLE;
    return syscall(SYS_prctl, PR_GET_TSC, &is_allowed, 0, 0, 0) == 0 &&
           is_allowed == PR_TSC_SIGSEGV;
}

struct spur_clock_choice_made spur_clock_init(enum spur_clock_choice wish, const char *measured)
{
    spur_clock_is_banned = is_forbidden();
    struct spur_clock_choice_made made =
        spur_clock_choose(wish, spur_clock_is_banned, &spur_clock_machine, measured);
    spur_clock_is_tsc = spur_clock_takes_counter(&made);
    return made;
}

enum spur_clock_kind spur_clock_kind(void)
{
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
