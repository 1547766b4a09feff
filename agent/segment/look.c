/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/segment/look.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "agent/segment/buffer.h"
#include "base/procfs.h"
#include "session/usage.h"

enum {
    LONG_NS = 100000000,
    FILE_ROOM = 4 << 10,
    US_IN_A_SECOND = 1000000,
    NS_IN_A_US = 1000,
    LONG_US = 50000,
    WORD_BITS = 64
};

static bool has_forked; /* the process is a child: its memory is its own from the first look on */
static struct spur_cores ends; /* allowed processors of threads at their end */

static struct spur_usage *usage(void)
{
    struct spur_segment *segment = spur_buffer_segment();
    return segment ? &segment->usage : NULL;
}

static uint64_t us_of(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * US_IN_A_SECOND + (uint64_t)time->tv_usec;
}

static void add_core(struct spur_cores *cores, unsigned core)
{
    if (core < SPUR_USAGE_CORES)
        atomic_fetch_or_explicit(&cores->word[core / WORD_BITS], UINT64_C(1) << (core % WORD_BITS),
                                 memory_order_relaxed);
}

/*
 * Adds the allowed processors of a thread; 0: the calling thread. More processors than there is
 * room for: unknown.
 */
static void add_allowed(struct spur_cores *cores, int tid)
{
    uint64_t mask[SPUR_USAGE_WORDS] = {0};
    if (syscall(SYS_sched_getaffinity, tid, sizeof mask, mask) <= 0)
        return;
    for (int i = 0; i < SPUR_USAGE_WORDS; i++)
        if (mask[i])
            atomic_fetch_or_explicit(&cores->word[i], mask[i], memory_order_relaxed);
}

static void add_place(struct spur_usage *u)
{
    unsigned core = 0, node = 0;
    if (syscall(SYS_getcpu, &core, &node, NULL) != 0)
        return;
    add_core(&u->was, core);
    if (node < WORD_BITS)
        atomic_fetch_or_explicit(&u->nodes, UINT64_C(1) << node, memory_order_relaxed);
}

/*
 * The time for which the main thread had a processor, and the time of waiting for a processor. With
 * little CPU time the kernel is not asked: so processes of a shell script cost nothing.
 */
static void read_delay(uint64_t counts[SPUR_USAGE_COUNTED])
{
    char text[128], *end;
    if (counts[SPUR_USAGE_USER] + counts[SPUR_USAGE_SYSTEM] < LONG_US ||
        spur_procfs_read("/proc/self/schedstat", text, sizeof text) <= 0)
        return;
    counts[SPUR_USAGE_MAIN_RUN] = strtoull(text, &end, 10) / NS_IN_A_US;
    counts[SPUR_USAGE_MAIN_DELAY] = strtoull(end, NULL, 10) / NS_IN_A_US;
}

/* The peak in KiB; 0: unknown. */
static uint64_t read_counts(uint64_t counts[SPUR_USAGE_COUNTED])
{
    struct rusage now;
    if (syscall(SYS_getrusage, RUSAGE_SELF, &now) != 0)
        return 0;
    counts[SPUR_USAGE_USER] = us_of(&now.ru_utime);
    counts[SPUR_USAGE_SYSTEM] = us_of(&now.ru_stime);
    counts[SPUR_USAGE_MINOR] = (uint64_t)now.ru_minflt;
    counts[SPUR_USAGE_MAJOR] = (uint64_t)now.ru_majflt;
    counts[SPUR_USAGE_VOLUNTARY] = (uint64_t)now.ru_nvcsw;
    counts[SPUR_USAGE_INVOLUNTARY] = (uint64_t)now.ru_nivcsw;
    read_delay(counts);
    return (uint64_t)now.ru_maxrss;
}

void spur_usage_begin(bool is_forked)
{
    struct spur_usage *u = usage();
    int saved = errno;
    if (!u)
        return;
    has_forked = is_forked;
    for (int i = 0; i < SPUR_USAGE_WORDS; i++)
        atomic_store_explicit(&ends.word[i], 0, memory_order_relaxed);
    u->first_peak = read_counts(u->first);
    for (int i = 0; i < SPUR_USAGE_COUNTED; i++)
        atomic_store_explicit(&u->last[i], u->first[i], memory_order_relaxed);
    add_allowed(&u->may_first, 0);
    add_place(u);
    atomic_store_explicit(&u->looks, 1, memory_order_release);
    errno = saved;
}

/*
 * The kernel keeps the peak over exec(). So the peak is the program's only after the peak has
 * grown. In a child of fork() the memory is the parent's, but exists.
 */
static void note_peak(struct spur_usage *u, uint64_t kib)
{
    if (kib > u->first_peak || has_forked)
        atomic_store_explicit(&u->peak, kib, memory_order_relaxed);
}

void spur_usage_look(void)
{
    struct spur_usage *u = usage();
    uint64_t now[SPUR_USAGE_COUNTED] = {0};
    int saved = errno;
    if (!u || !atomic_load_explicit(&u->looks, memory_order_acquire))
        return;
    uint64_t peak = read_counts(now);
    if (peak) {
        for (int i = 0; i < SPUR_USAGE_COUNTED; i++)
            atomic_store_explicit(&u->last[i], now[i], memory_order_relaxed);
        note_peak(u, peak);
    }
    add_allowed(&u->may, 0);
    add_place(u);
    atomic_fetch_add_explicit(&u->looks, 1, memory_order_release);
    errno = saved;
}

void spur_usage_thread(int tid)
{
    struct spur_usage *u = usage();
    int saved = errno;
    if (u) {
        add_allowed(&u->may, tid);
        add_allowed(&ends, tid);
    }
    errno = saved;
}

/*
 * Keeps the allowed processors of an ending thread. A thread may have bound itself after a flush:
 * at the end the allowed processors are known better.
 */
static void keep_ends(struct spur_usage *u)
{
    add_allowed(&ends, 0);
    for (int i = 0; i < SPUR_USAGE_WORDS; i++)
        atomic_store_explicit(&u->may.word[i],
                              atomic_load_explicit(&ends.word[i], memory_order_relaxed),
                              memory_order_relaxed);
}

/* The number behind a word at the beginning of a line; false: the file does not say. */
static bool number_in(const char *path, const char *word, uint64_t *number)
{
    char text[FILE_ROOM];
    if (spur_procfs_read(path, text, sizeof text) <= 0)
        return false;
    const char *at = strstr(text, word);
    if (!at || (at != text && at[-1] != '\n'))
        return false;
    at += strlen(word);
    at += strspn(at, " \t:");
    if (*at < '0' || *at > '9')
        return false;
    *number = strtoull(at, NULL, 10);
    return true;
}

void spur_usage_end(unsigned long long ns, bool is_whole)
{
    struct spur_usage *u = usage();
    int saved = errno;
    uint64_t number;
    if (!u || !atomic_load_explicit(&u->looks, memory_order_acquire))
        return;
    spur_usage_look();
    if (is_whole)
        keep_ends(u);
    if (ns >= LONG_NS && number_in("/proc/self/sched", "se.nr_migrations", &number)) {
        atomic_store_explicit(&u->migrations, number, memory_order_relaxed);
        atomic_store_explicit(&u->has_migrations, 1, memory_order_release);
    }
    if (ns >= LONG_NS && !atomic_load_explicit(&u->peak, memory_order_relaxed) &&
        number_in("/proc/self/status", "VmHWM", &number))
        atomic_store_explicit(&u->peak, number, memory_order_relaxed);
    errno = saved;
}
