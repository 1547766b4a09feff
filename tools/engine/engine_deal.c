/* SPDX-License-Identifier: BSD-3-Clause */
/* The distribution of units to workers, and the number of workers. */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/fail.h"
#include "tools/engine/engine.h"

/* ---- dealing ---- */

struct unit {
    uint64_t size;
    size_t i;
};

/* A worker and the worker's load. The worker with the least load is on top of a heap. */
struct load {
    uint64_t sum;
    unsigned worker;
};

static int larger_first(const void *x, const void *y)
{
    const struct unit *a = x, *b = y;
    return a->size != b->size ? (a->size < b->size) - (a->size > b->size)
                              : (a->i > b->i) - (a->i < b->i);
}

static bool has_less(const struct load *a, const struct load *b)
{
    return a->sum != b->sum ? a->sum < b->sum : a->worker < b->worker;
}

static void sift_down(struct load *heap, unsigned n)
{
    struct load moved = heap[0];
    unsigned i = 0;
    for (unsigned child = 1; child < n; child = 2 * i + 1) {
        child += child + 1 < n && has_less(&heap[child + 1], &heap[child]);
        if (!has_less(&heap[child], &moved))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = moved;
}

/* An archive may say any size. A unit without events costs something too. */
static uint64_t sum_with(uint64_t sum, uint64_t size)
{
    if (__builtin_add_overflow(sum, size, &sum) || __builtin_add_overflow(sum, 1, &sum))
        return UINT64_MAX;
    return sum;
}

static uint64_t deal_largest_first(const uint64_t *sizes, size_t n, unsigned workers,
                                   uint32_t *owner)
{
    struct unit *units = take_memory(n * sizeof *units);
    struct load *heap = take_memory(workers * sizeof *heap);
    uint64_t most = 0;
    for (size_t i = 0; i < n; i++)
        units[i] = (struct unit){sizes[i], i};
    for (unsigned i = 0; i < workers; i++)
        heap[i].worker = i;
    qsort(units, n, sizeof *units, larger_first);
    for (size_t i = 0; i < n; i++) {
        owner[units[i].i] = heap[0].worker;
        heap[0].sum = sum_with(heap[0].sum, units[i].size);
        most = heap[0].sum > most ? heap[0].sum : most;
        sift_down(heap, workers);
    }
    free(units);
    free(heap);
    return most;
}

/* Where the share of so many workers ends. */
static uint64_t share_end(uint64_t total, unsigned n, unsigned workers)
{
    return total / workers * n + total % workers * n / workers;
}

/* Each worker gets consecutive units: all units whose middle lies in the worker's share. */
static uint64_t deal_in_order(const uint64_t *sizes, size_t n, unsigned workers, uint32_t *owner)
{
    uint64_t total = 0, before = 0, own = 0, most = 0;
    unsigned worker = 0;
    for (size_t i = 0; i < n; i++)
        total = sum_with(total, sizes[i]);
    if (total == UINT64_MAX)
        return total;
    for (size_t i = 0; i < n; i++) {
        for (; before + sizes[i] / 2 >= share_end(total, worker + 1, workers); worker++)
            own = 0;
        owner[i] = worker;
        before = sum_with(before, sizes[i]);
        own = sum_with(own, sizes[i]);
        most = own > most ? own : most;
    }
    return most;
}

uint64_t engine_deal(const uint64_t *sizes, size_t n, unsigned workers, uint32_t *owner)
{
    enum { PRICE = 64 }; /* 1/PRICE more to read costs less than notes to other workers */
    uint32_t *in_order = take_memory(n * sizeof *in_order);
    uint64_t least = deal_largest_first(sizes, n, workers, owner);
    uint64_t most = deal_in_order(sizes, n, workers, in_order);
    bool is_near = most <= least || most - least <= least / PRICE;
    if (is_near && most != UINT64_MAX)
        memcpy(owner, in_order, n * sizeof *owner);
    free(in_order);
    return is_near ? most : least;
}

/* ---- processors ---- */

/* The quota of a control group, in processors; 0: no quota. */
static unsigned quota_in(const char *folder)
{
    char path[4200];
    char line[64] = "";
    uint64_t quota = 0, period = 0;
    (void)snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", folder);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    bool is_there = fgets(line, sizeof line, file);
    (void)fclose(file);
    char *rest;
    quota = strtoull(line, &rest, 10); /* "max": no number */
    if (!is_there || rest == line)
        return 0;
    period = strtoull(rest, NULL, 10);
    return period ? (unsigned)((quota + period - 1) / period) : 0;
}

/* The least quota of the control group of the process and of the groups above; 0: no quota. */
static unsigned quota(void)
{
    char line[4100];
    unsigned least = 0;
    char *folder = NULL;
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file && !folder && fgets(line, sizeof line, file))
        if (strncmp(line, "0::", 3) == 0)
            folder = line + 3;
    if (file)
        (void)fclose(file);
    if (!folder)
        return 0;
    folder[strcspn(folder, "\n")] = '\0';
    for (char *slash = folder; slash;) {
        unsigned n = quota_in(folder);
        least = n && (!least || n < least) ? n : least;
        slash = strrchr(folder, '/');
        if (slash)
            *slash = '\0';
    }
    return least;
}

unsigned engine_processors(void)
{
    cpu_set_t set;
    unsigned limit = quota();
    int n = 1;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        n = CPU_COUNT(&set);
    else
        n = (int)sysconf(_SC_NPROCESSORS_ONLN);
    n = n < 1 ? 1 : n;
    return limit && limit < (unsigned)n ? limit : (unsigned)n;
}
