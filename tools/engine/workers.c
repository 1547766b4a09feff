/* SPDX-License-Identifier: BSD-3-Clause */
/* The ways to have workers, and the one without any other. */
#include "tools/engine/workers.h"

static const struct workers *const rows[] = {&workers_mpi, &workers_threads, &workers_alone};

const struct workers *workers_choose(unsigned *n)
{
    size_t i = 0;
    while (!rows[i]->is_here(n))
        i++;
    return rows[i];
}

/* ---- one worker ---- */

static bool is_here(unsigned *n)
{
    *n = 1;
    return true;
}

static void run(unsigned n, void (*work)(struct worker *worker, void *context), void *context)
{
    struct worker worker = {.how = &workers_alone, .size = n};
    work(&worker, context);
}

/* It never has to meet anybody. */
const struct workers workers_alone = {.name = "alone", .is_here = is_here, .run = run};
