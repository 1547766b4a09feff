/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/segment/budget.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>

#include "agent/state/identity.h"
#include "base/file_map.h"
#include "base/mapping.h"

static struct {
    struct spur_limit limit;
    _Atomic uint64_t own;
    _Atomic uint64_t *all; /* NULL: not counted */
    void *map;             /* the same */
} budget;

static int map_count(const char *dir)
{
    char path[SPUR_PATH_BYTES + 32];
    const struct spur_file_map count = {.path = path,
                                        .flags = O_CREAT,
                                        .bytes = sizeof *budget.all,
                                        .has_space = true};
    char *map = NULL;
    snprintf(path, sizeof path, "%s/.spur/bytes", dir);
    int err = spur_file_map(&count, &map);
    budget.map = map;
    budget.all = budget.map;
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
