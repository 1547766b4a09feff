/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/raw_file.h"
#include "finish/find/finish_find.h"
#include "finish/state/finish_trouble.h"
#include "session/journal.h"
#include "session/lock_cell.h"

enum { WINDOW = 1024 };

static int take(struct finish_process *p, const struct spur_lock_cell *cell)
{
    const uint64_t acquisitions = spur_lock_sum(&cell->acquisitions);
    const uint64_t signals = spur_lock_sum(&cell->signals);
    if (!cell->lock || acquisitions + signals == 0)
        return 0;
    uint64_t *to = spur_words_add(&p->lock_counts, SPUR_AT_LockCount_kind + 1);
    if (!to)
        return -ENOMEM;
    to[SPUR_AT_LockCount_lock] = cell->lock - 1;
    to[SPUR_AT_LockCount_acquisitions] = acquisitions;
    to[SPUR_AT_LockCount_signals] = signals;
    to[SPUR_AT_LockCount_threads] = cell->threads;
    to[SPUR_AT_LockCount_kind] = cell->kind;
    return 0;
}

static int take_all(struct finish_process *p, int fd, struct spur_lock_cell *window)
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

/* Of one number there is one count: objects may have ended without their numbers' end. */
static int merge(struct spur_words *counts)
{
    enum { CELLS = SPUR_AT_LockCount_kind + 1, ROOM = 1 << 20 };
    uint32_t *place = counts->n ? spur_mem_new(ROOM * sizeof *place) : NULL;
    uint64_t n = 0;
    if (!place)
        return counts->n ? -ENOMEM : 0;
    for (uint64_t i = 0; i + CELLS <= counts->n; i += CELLS) {
        const uint64_t *from = &counts->at[i], lock = from[SPUR_AT_LockCount_lock];
        uint64_t *to = lock < ROOM && place[lock] ? &counts->at[place[lock] - 1] : NULL;
        if (to) {
            to[SPUR_AT_LockCount_acquisitions] += from[SPUR_AT_LockCount_acquisitions];
            to[SPUR_AT_LockCount_signals] += from[SPUR_AT_LockCount_signals];
            if (to[SPUR_AT_LockCount_threads] < from[SPUR_AT_LockCount_threads])
                to[SPUR_AT_LockCount_threads] = from[SPUR_AT_LockCount_threads];
            continue;
        }
        if (lock < ROOM)
            place[lock] = (uint32_t)n + 1;
        memmove(&counts->at[n], from, CELLS * sizeof *from);
        n += CELLS;
    }
    counts->n = n;
    spur_mem_free(place, ROOM * sizeof *place);
    return 0;
}

static int load(const struct finish *f, struct finish_process *p)
{
    char path[SPUR_FILE_PATH_BYTES];
    uint64_t size;
    int fd = spur_file_open(finish_path(f, p, SPUR_COUNTS_FILE, path), &size);
    if (fd < 0)
        return spur_file_is_none(fd) ? 0 : fd;
    struct spur_lock_cell *window = spur_mem_new(WINDOW * sizeof *window);
    int err = window ? take_all(p, fd, window) : -ENOMEM;
    spur_mem_free(window, WINDOW * sizeof *window);
    spur_file_close(fd);
    return err;
}

int finish_counts_load(const struct finish *f, struct finish_process *p)
{
    int err = p->lock_counts.n ? 0 : load(f, p);
    return err ? err : merge(&p->lock_counts);
}
