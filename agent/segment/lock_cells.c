/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/segment/lock_cells.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "agent/spur_locks.h"
#include "agent/state/identity.h"
#include "base/file_map.h"
#include "base/mapping.h"
#include "base/own_stack.h"

enum { FIRST_BYTES = 4 << 10, STEP_BYTES = 64 << 10, STEPS = SPUR_COUNTS_BYTES / STEP_BYTES };

static struct {
    char path[SPUR_PATH_BYTES + SPUR_NAME_BYTES + 32]; /* "": there is no file, or no room */
    char *step[STEPS];
    uint32_t steps;
    uint32_t left; /* bytes of the last one */
} cells;

static uint32_t bytes_of(uint32_t step)
{
    return step ? STEP_BYTES : FIRST_BYTES;
}

void spur_lock_cells_open(const char *dir)
{
    snprintf(cells.path, sizeof cells.path, "%s/" SPUR_COUNTS_FILE, dir);
}

void spur_lock_cells_forget(void)
{
    for (uint32_t i = 0; i < cells.steps; i++)
        (void)spur_map_anonymous_at(cells.step[i], bytes_of(i));
    memset(&cells, 0, sizeof cells);
}

static void add_step(void *failed)
{
    const uint32_t n = cells.steps;
    const struct spur_file_map step = {.path = cells.path,
                                       .flags = n ? 0 : O_CREAT | O_EXCL,
                                       .at = n ? FIRST_BYTES + (n - UINT64_C(1)) * STEP_BYTES : 0,
                                       .bytes = bytes_of(n),
                                       .has_space = true};
    int err = n < STEPS ? spur_file_map(&step, &cells.step[n]) : -ENOMEM;
    if (!err) {
        cells.steps++;
        cells.left = bytes_of(n);
    }
    *(bool *)failed = err != 0;
}

struct spur_lock_cell *spur_lock_cell_new(void)
{
    const uint32_t bytes = sizeof(struct spur_lock_cell);
    const int saved = errno;
    if (cells.path[0] && cells.left < bytes) {
        bool has_failed;
        spur_on_own_stack(add_step, &has_failed);
        if (has_failed)
            cells.path[0] = '\0';
    }
    errno = saved;
    if (!cells.path[0])
        return NULL;
    const uint32_t last = cells.steps - 1;
    char *at = cells.step[last] + bytes_of(last) - cells.left;
    cells.left -= bytes;
    return (struct spur_lock_cell *)(void *)at;
}
