/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/raw_file.h"
#include "finish/find/finish_find.h"
#include "finish/state/finish_trouble.h"
#include "session/journal.h"
#include "session/lock_cell.h"

enum { WINDOW = 1024, CELLS = SPUR_AT_LockCount_kind + 1 };

static int take(struct finish_process *p, const struct spur_lock_cell *cell)
{
    const uint64_t acquisitions = spur_lock_sum(&cell->acquisitions);
    const uint64_t signals = spur_lock_sum(&cell->signals);
    if (!cell->lock || acquisitions + signals == 0)
        return 0;
    uint64_t *to = spur_words_add(&p->lock_counts, CELLS);
    if (!to)
        return -ENOMEM;
    to[SPUR_AT_LockCount_lock] = cell->lock - 1;
    to[SPUR_AT_LockCount_acquisitions] = acquisitions;
    to[SPUR_AT_LockCount_signals] = signals;
    to[SPUR_AT_LockCount_threads] = cell->threads;
    to[SPUR_AT_LockCount_kind] = cell->kind;
    return 0;
}

static int take_window(struct finish_process *p, int fd, struct spur_lock_cell *window)
{
    const uint64_t bytes = WINDOW * sizeof *window;
    int64_t n = (int64_t)bytes;
    int err = 0;
    for (uint64_t at = 0; n == (int64_t)bytes && at < SPUR_COUNTS_BYTES && !err; at += bytes) {
        n = spur_file_read(fd, at, window, bytes);
        for (int64_t i = 0; (i + 1) * (int64_t)sizeof *window <= n && !err; i++)
            err = take(p, &window[i]);
    }
    return n < 0 ? (int)n : err;
}

static bool less(const void *context, uint64_t a, uint64_t b)
{
    (void)context;
    return a < b;
}

/* Several objects may have had the number: one that ends while another thread begins it anew. */
static void add(uint64_t *sum, const uint64_t *one)
{
    sum[SPUR_AT_LockCount_acquisitions] += one[SPUR_AT_LockCount_acquisitions];
    sum[SPUR_AT_LockCount_signals] += one[SPUR_AT_LockCount_signals];
    if (sum[SPUR_AT_LockCount_threads] < one[SPUR_AT_LockCount_threads])
        sum[SPUR_AT_LockCount_threads] = one[SPUR_AT_LockCount_threads];
}

/* The same count from two places, of which one may have been read, or cut short, earlier. */
static void put_larger(uint64_t *to, const uint64_t *told, const uint64_t *found)
{
    for (int i = SPUR_AT_LockCount_acquisitions; i < SPUR_AT_LockCount_kind; i++)
        to[i] = told[i] < found[i] ? found[i] : told[i];
}

/* Each number once, in order: of the counts the first `n_told` are the journal's. */
static int put_in_order(struct spur_words *to, const struct spur_words *order,
                        const struct spur_words *counts, uint64_t n_told)
{
    for (uint64_t i = 0; i < order->n;) {
        const uint64_t lock = order->at[i] >> 32;
        uint64_t sum[2][CELLS] = {{0}};
        const uint64_t *cells = NULL;
        for (; i < order->n && order->at[i] >> 32 == lock; i++) {
            const uint64_t at = (uint32_t)order->at[i];
            cells = &counts->at[at * CELLS];
            add(sum[at >= n_told], cells);
        }
        uint64_t *one = spur_words_add(to, CELLS);
        if (!one)
            return -ENOMEM;
        memcpy(one, cells, CELLS * sizeof *one);
        put_larger(one, sum[0], sum[1]);
    }
    return 0;
}

static int unite(struct spur_words *counts, uint64_t n_told)
{
    struct spur_words order = {0}, united = {0};
    const uint64_t n = counts->n / CELLS;
    uint64_t *keys = n ? spur_words_add(&order, n) : NULL;
    if (!keys)
        return n ? -ENOMEM : 0;
    for (uint64_t i = 0; i < n; i++)
        keys[i] = counts->at[i * CELLS + SPUR_AT_LockCount_lock] << 32 | i;
    finish_sort(keys, n, less, NULL);
    const int err = put_in_order(&united, &order, counts, n_told);
    spur_words_free(&order);
    spur_words_free(counts);
    *counts = united;
    return err;
}

static int load(const struct finish *f, struct finish_process *p)
{
    char path[SPUR_FILE_PATH_BYTES];
    uint64_t size;
    int fd = spur_file_open(finish_path(f, p, SPUR_COUNTS_FILE, path), &size);
    if (fd < 0)
        return spur_file_is_none(fd) ? 0 : fd;
    struct spur_lock_cell *window = spur_mem_new(WINDOW * sizeof *window);
    int err = window ? take_window(p, fd, window) : -ENOMEM;
    spur_mem_free(window, WINDOW * sizeof *window);
    spur_file_close(fd);
    return err;
}

int finish_counts_load(const struct finish *f, struct finish_process *p)
{
    const uint64_t n_told = p->lock_counts.n / CELLS;
    const int err = p->is_settled ? 0 : load(f, p);
    return err ? err : unite(&p->lock_counts, n_told);
}
