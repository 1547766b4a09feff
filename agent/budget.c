/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/budget.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "agent/map.h"
#include "agent/process.h"

static struct {
    struct spur_limit limit;
    _Atomic uint64_t own;
    _Atomic uint64_t *all; /* NULL: not counted */
    void *map;             /* the same */
} budget;

static int map_count(const char *dir)
{
    char path[SPUR_PATH_BYTES + 32];
    snprintf(path, sizeof path, "%s/.spur/bytes", dir);
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    int err = -posix_fallocate(fd, 0, sizeof *budget.all);
    if (!err) {
        budget.all = budget.map = spur_map_file(fd, 0, sizeof *budget.all);
        err = budget.map ? 0 : -errno;
    }
    close(fd);
    return err;
}

int spur_budget_open(const char *dir, struct spur_limit limit)
{
    budget.limit = limit;
    return limit.all ? map_count(dir) : 0;
}

void spur_budget_forget(void)
{
    if (budget.map)
        spur_unmap(budget.map, sizeof *budget.all);
    budget.all = budget.map = NULL;
    atomic_store_explicit(&budget.own, 0, memory_order_relaxed);
}

enum spur_stop spur_budget_take(uint64_t bytes)
{
    const struct spur_limit limit = budget.limit;
    uint64_t own = atomic_fetch_add_explicit(&budget.own, bytes, memory_order_relaxed) + bytes;
    if (limit.process && own > limit.process)
        return SPUR_STOP_LIMIT;
    if (budget.all &&
        atomic_fetch_add_explicit(budget.all, bytes, memory_order_relaxed) + bytes > limit.all)
        return SPUR_STOP_LIMIT_ALL;
    return SPUR_STOP_NOT;
}
